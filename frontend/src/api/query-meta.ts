// The type of `meta` of all queries.
import "@tanstack/react-query";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** Errors show no notification: the page shows them in place of the data, or the query repeats soon. */
      quiet?: boolean;
    };
  }
}

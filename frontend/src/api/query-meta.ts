// What a query says of itself beyond its data.
import "@tanstack/react-query";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** A failure shows no notification: the place of the data says enough, or the query is asked again soon. */
      quiet?: boolean;
    };
  }
}

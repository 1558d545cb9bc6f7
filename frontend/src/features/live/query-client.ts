// The query cache and its defaults, for the site, the log reader's page and tests. If a query fails, the page shows its own
// text in place of the data, and a notification shows the general text.
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, errorText } from "../../api/errors";
import { toast } from "../../ui/toast";

/** Retries of network and server errors. */
const MAX_RETRIES = 1;

export function newQueryClient({ retryDelayMs = 1_000 }: { retryDelayMs?: number } = {}): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.meta?.quiet !== true && shouldNotify(error)) toast({ tone: "error", ...errorText(error) });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (count, error) =>
          count < MAX_RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: retryDelayMs,
        // A request without a network fails instead of waiting.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** A missing page and the end of a session have their own messages. */
const shouldNotify = (error: Error) =>
  !(error instanceof ApiError && (error.status === 404 || error.code === "TOKEN_EXPIRED"));

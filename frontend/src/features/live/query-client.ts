// The cache of everything the page asks the server for, with the rules that hold for every query. The page, the reader's
// page and the tests make theirs here. A failed query is shown in two places: the page shows its own text where the data
// would be, as long as there is none; the notification with the general text is shown from here and nowhere else.
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, errorText } from "../../api/errors";
import { toast } from "../../ui/toast";

/** One more try, for failures that the visitor did not cause. */
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
        // A call without network fails and says so; it does not wait for the network.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** A missing page says so itself, and the end of a session has a notification of its own. */
const shouldNotify = (error: Error) =>
  !(error instanceof ApiError && (error.status === 404 || error.code === "TOKEN_EXPIRED"));

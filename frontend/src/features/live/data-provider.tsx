// The query cache of the whole site. It wraps the router once; the cache is fed by `api/` and by live events.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError } from "../../api/errors";

/** A cache with the site's rules: what the visitor's own act caused is not retried, trouble of the server is, once. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => count < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      },
    },
  });
}

export function DataProvider({ children, client }: { children: ReactNode; client?: QueryClient }) {
  const [own] = useState(() => client ?? newQueryClient());
  return <QueryClientProvider client={own}>{children}</QueryClientProvider>;
}

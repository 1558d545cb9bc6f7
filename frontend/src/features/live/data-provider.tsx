import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { newQueryClient } from "./query-client";

/** Provides the query cache. */
export function DataProvider({ children, client }: { children: ReactNode; client?: QueryClient }) {
  const [own] = useState(() => client ?? newQueryClient());
  return <QueryClientProvider client={own}>{children}</QueryClientProvider>;
}

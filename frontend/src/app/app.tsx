import type { QueryClient } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, useEffect } from "react";
import { BrowserRouter } from "react-router";
import { DataProvider } from "../features/live/data-provider";
import { clearOnViewerChange } from "../features/sessions/viewer-cache";
import { ErrorBoundary } from "./error-page";
import { Pages } from "./router";

interface AppProps {
  cache: QueryClient;
  /** Tests use a router in memory. */
  Router?: ComponentType<{ children: ReactNode }>;
}

export function App({ cache, Router = BrowserRouter }: AppProps) {
  useEffect(() => clearOnViewerChange(cache), [cache]);
  return (
    <DataProvider client={cache}>
      <Router>
        <ErrorBoundary pathname="">
          <Pages />
        </ErrorBoundary>
      </Router>
    </DataProvider>
  );
}

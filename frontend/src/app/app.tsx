import type { QueryClient } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, useEffect } from "react";
import { BrowserRouter } from "react-router";
import { DataProvider } from "../features/live/data-provider";
import { clearOnViewerChange } from "../features/sessions/viewer-cache";
import { ErrorBoundary } from "./error-page";
import { Pages } from "./router";

interface AppProps {
  cache: QueryClient;
  /** Where the address is kept: in the browser's bar; tests keep it in memory. */
  Router?: ComponentType<{ children: ReactNode }>;
}

/** The whole site at the present address. */
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

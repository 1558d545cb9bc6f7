import type { QueryClient } from "@tanstack/react-query";
import { BrowserRouter } from "react-router";
import { DataProvider } from "../features/live/data-provider";
import { ErrorBoundary } from "./error-page";
import { Pages } from "./router";

export function App({ cache }: { cache: QueryClient }) {
  return (
    <DataProvider client={cache}>
      <BrowserRouter>
        <ErrorBoundary at="">
          <Pages />
        </ErrorBoundary>
      </BrowserRouter>
    </DataProvider>
  );
}

import { BrowserRouter } from "react-router";
import { DataProvider } from "../features/live/data-provider";
import { ErrorBoundary } from "./error-page";
import { Pages } from "./router";

export function App() {
  return (
    <DataProvider>
      <BrowserRouter>
        <ErrorBoundary at="">
          <Pages />
        </ErrorBoundary>
      </BrowserRouter>
    </DataProvider>
  );
}

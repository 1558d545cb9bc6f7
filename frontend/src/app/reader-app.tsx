// The bundle's other face: the page of a log reader on its user's own machine. No router, no header of a site.
import { DataProvider } from "../features/live/data-provider";
import ReaderPage from "../pages/reader";
import { ErrorBoundary } from "./error-page";

export default function ReaderApp() {
  return (
    <DataProvider>
      <ErrorBoundary pathname="">
        <ReaderPage />
      </ErrorBoundary>
    </DataProvider>
  );
}

// The second root of the bundle: the log reader's page on the user's machine, without the site's router and layout.
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

import "./styles/base.css";
import { lazy, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { isReaderPage } from "./api/reader";
import { App } from "./app/app";

const ReaderApp = lazy(() => import("./app/reader-app"));

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      {isReaderPage() ? (
        <Suspense>
          <ReaderApp />
        </Suspense>
      ) : (
        <App />
      )}
    </StrictMode>,
  );
}

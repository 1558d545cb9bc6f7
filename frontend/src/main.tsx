import "./styles/base.css";
import { lazy, StrictMode, Suspense, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { configQuery } from "./api/config";
import { isReaderPage } from "./api/reader-marker";
import { App } from "./app/app";
import { prepare } from "./app/router";
import { newQueryClient } from "./features/live/query-client";

const ReaderApp = lazy(() => import("./app/reader-app"));

async function start(root: HTMLElement) {
  const isReader = isReaderPage();
  const cache = newQueryClient();
  if (!isReader) {
    void cache.prefetchQuery(configQuery());
    await prepare(window.location.pathname, cache);
  }
  // A transition renders in small steps, which keeps slow phones responsive.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        {isReader ? (
          <Suspense>
            <ReaderApp />
          </Suspense>
        ) : (
          <App cache={cache} />
        )}
      </StrictMode>,
    ),
  );
}

const root = document.getElementById("root");
if (root) void start(root);

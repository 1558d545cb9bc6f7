// The route table. Each page is a lazily loaded file of `pages/`. Data loads through queries, so the smaller router without
// loaders suffices.
import type { QueryClient } from "@tanstack/react-query";
import { type ComponentType, lazy, Suspense } from "react";
import { matchPath, Navigate, Route, Routes, useLocation } from "react-router";
import { link, updates } from "../lib/paths";
import { Root } from "./root";

/**
 * A file of `pages/`. `prefetch` starts the page's first queries before it renders. If it returns a promise, all of them have started when that resolves.
 */
interface PageModule {
  default: ComponentType;
  prefetch?: (cache: QueryClient, params: Record<string, string | undefined>) => unknown;
}
type Load = () => Promise<PageModule>;

const FIRST_DATA_WAIT_MS = 500;

const PAGES = Object.entries<Load>({
  "/": () => import("../pages/home"),
  "/players": () => import("../pages/players"),
  "/guilds": () => import("../pages/guilds"),
  "/activity": () => import("../pages/activity"),
  "/event/:id": () => import("../pages/event"),
  "/player/claim": () => import("../pages/claim"),
  "/player/:handle/:tab?": () => import("../pages/player"),
  "/guild/:tag/:tab?": () => import("../pages/guild"),
  "/connect": () => import("../pages/connect"),
  "/link": () => import("../pages/link"),
  "/profile": () => import("../pages/profile"),
  "/profile/data": () => import("../pages/my-data"),
  "/updates": () => import("../pages/updates"),
  "/about": () => import("../pages/about"),
  "/guides": () => import("../pages/guides"),
  "/privacy": () => import("../pages/privacy"),
  "/terms": () => import("../pages/terms"),
  "/api": () => import("../pages/api"),
  "/discord-bot": () => import("../pages/discord-bot"),
  "/connect-app": () => import("../pages/connect-app"),
  "/upload": () => import("../pages/upload"),
  "/image-editor-test": () => import("../pages/image-editor-test"),
  "/admin": () => import("../pages/admin"),
}).map(([path, load]) => {
  let pending: ReturnType<Load> | undefined;
  const loadOnce = () => {
    pending ??= load();
    return pending;
  };
  return { path, load: loadOnce, Page: lazy(loadOnce) };
});

const loadNotFound = () => import("../pages/not-found");
const NotFound = lazy(loadNotFound);
const Overlay = lazy(() => import("../pages/overlay"));

/**
 * Loads the page of a path and starts its first queries. Rendering earlier would show a spinner, which React keeps for at least
 * 300 ms.
 */
export async function prepare(pathname: string, cache: QueryClient): Promise<void> {
  const page = PAGES.find(({ path }) => matchPath({ path, caseSensitive: true }, pathname));
  const load: Load = page?.load ?? loadNotFound;
  const module = await load().catch(() => undefined);
  if (!page) return;
  const prefetched = module?.prefetch?.(cache, matchPath(page.path, pathname)?.params ?? {});
  const started = Promise.resolve(prefetched).catch(() => undefined);
  await firstData(cache, started);
}

/**
 * Resolves when the page's first queries have started and no query is in flight, or after a limit. React then renders the page once with its data, in small steps, instead of
 * placeholders first and the data in one long step. Meanwhile the browser shows the HTML of the server.
 */
function firstData(cache: QueryClient, started: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    let isStarted = false;
    const check = () => {
      if (isStarted && cache.isFetching() === 0) done();
    };
    const unsubscribe = cache.getQueryCache().subscribe(check);
    const timer = setTimeout(done, FIRST_DATA_WAIT_MS);
    function done() {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    }
    void started.then(() => {
      isStarted = true;
      check();
    });
  });
}

/** The current page within the layout. */
export function Pages() {
  return (
    <Routes>
      {/* Rendered without the layout, over a video stream. */}
      <Route
        path="/overlay/player/:handle"
        element={
          <Suspense>
            <Overlay />
          </Suspense>
        }
      />
      <Route element={<Root />}>
        {PAGES.map(({ path, Page }) => (
          <Route key={path} path={path} caseSensitive element={<Page />} />
        ))}
        <Route path="/changelog" element={<Navigate to={updates} replace />} />
        <Route path="/auth" element={<RedirectToLink />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}

/** Keeps the query, which holds the OAuth code. */
function RedirectToLink() {
  const { search } = useLocation();
  return <Navigate to={link + search} replace />;
}

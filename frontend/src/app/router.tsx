// Every address of the site on one screen. Each page is a file of `pages/`, loaded when it is asked for. The router is the
// plain one: data comes through queries, so that its larger form, with loaders, would be code for nothing.
import type { QueryClient } from "@tanstack/react-query";
import { type ComponentType, lazy, Suspense } from "react";
import { matchPath, Navigate, Route, Routes, useLocation } from "react-router";
import { link, updates } from "../lib/paths";
import { Root } from "./root";

/** A file of `pages/`. `prefetch` asks for what the page will ask for first, before it is drawn; a promise is code to wait for. */
interface PageModule {
  default: ComponentType;
  prefetch?: (cache: QueryClient, params: Record<string, string | undefined>) => unknown;
}
type Load = () => Promise<PageModule>;

const PAGES = Object.entries<Load>({
  "/": () => import("../pages/home"),
  "/players": () => import("../pages/players"),
  "/guilds": () => import("../pages/guilds"),
  "/activity": () => import("../pages/activity"),
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
 * Ends once the page of an address is there, or will not come, and its first questions are asked. Drawn before that, the shell
 * would show a spinner, and React lets no spinner go before 300 ms.
 */
export async function prepare(pathname: string, cache: QueryClient): Promise<void> {
  const page = PAGES.find(({ path }) => matchPath(path, pathname));
  const load: Load = page?.load ?? loadNotFound;
  const module = await load().catch(() => undefined);
  if (!page) return;
  const prefetched = module?.prefetch?.(cache, matchPath(page.path, pathname)?.params ?? {});
  await Promise.resolve(prefetched).catch(() => undefined);
}

/** The page of the present address, in the shell. */
export function Pages() {
  return (
    <Routes>
      {/* Over a video stream: without the shell. */}
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
          <Route key={path} path={path} element={<Page />} />
        ))}
        <Route path="/changelog" element={<Navigate to={updates} replace />} />
        <Route path="/auth" element={<RedirectToLink />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}

/** The code of the chat platform comes along. */
function RedirectToLink() {
  const { search } = useLocation();
  return <Navigate to={link + search} replace />;
}

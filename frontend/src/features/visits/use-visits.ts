// Reports page views, page errors and load times while the site is open.
import { useEffect } from "react";
import { useLocation } from "react-router";
import { isTrackingAllowed, newVisitQueue, type VisitQueue, visitEvent } from "./visit-queue";

const VIEW_DELAY_MS = 100;
const POLL_MS = 1_000;

let queue: VisitQueue | null = null;
let recordedPath = "";

function recordView(): void {
  if (!queue || recordedPath === window.location.pathname) return;
  // Only the referrer's host, and only for the first page.
  const from = recordedPath === "" ? referrer() : null;
  recordedPath = window.location.pathname;
  queue.add(visitEvent("page_view", from ? { referrer: from } : {}));
}

function referrer(): string | null {
  try {
    const { host } = new URL(document.referrer);
    return host === window.location.host ? null : host;
  } catch {
    return null;
  }
}

export function useVisits(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (!isTrackingAllowed()) return;
    queue = newVisitQueue();
    recordedPath = "";
    const error = (event: ErrorEvent) =>
      queue?.add(
        visitEvent("error", { message: event.message, filename: event.filename || null, lineno: event.lineno || null }),
      );
    const loaded = () => {
      const [timing] = (performance.getEntriesByType?.("navigation") ?? []) as PerformanceNavigationTiming[];
      if (!timing?.loadEventEnd) return;
      queue?.add(
        visitEvent("performance", {
          loadTime: Math.round(timing.loadEventEnd),
          domContentLoaded: Math.round(timing.domContentLoadedEventEnd),
        }),
      );
    };
    // `loadEventEnd` is set after the load event.
    const onLoad = () => setTimeout(loaded, 0);
    if (document.readyState === "complete") onLoad();
    else window.addEventListener("load", onLoad, { once: true });
    window.addEventListener("error", error);
    const timer = setInterval(recordView, POLL_MS);
    return () => {
      clearInterval(timer);
      window.removeEventListener("load", onLoad);
      window.removeEventListener("error", error);
      queue?.stop();
      queue = null;
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every path counts as a view
  useEffect(() => {
    // The page must set its title first.
    const timer = setTimeout(recordView, VIEW_DELAY_MS);
    return () => clearTimeout(timer);
  }, [pathname]);
}

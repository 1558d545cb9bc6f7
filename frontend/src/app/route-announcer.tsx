// Announces page changes to assistive technology: moves the focus to the page's heading and names the page in a live region, as
// a full page load would.
import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

/** How long to wait for the heading of a page that is loading. */
const HEADING_TIMEOUT_MS = 10_000;
/** Pages set the document's title just after they render their heading. */
const TITLE_DELAY_MS = 100;

/** Rendered from the second page on; announces each page. */
export default function RouteAnnouncer() {
  const { pathname } = useLocation();
  const shown = useRef("");
  const [title, setTitle] = useState("");
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    return focusHeading(() => setTitle(document.title));
  }, [pathname]);
  return (
    // Titles of profiles are names; the focused heading is translated.
    <p role="status" className="visually-hidden" translate="no">
      {title}
    </p>
  );
}

/**
 * Moves the focus to the page's heading when it appears, and again if the loaded page replaces it. Focus that is already within
 * the page does not move: it may be in an autofocus field or on a tab of the same profile. Returns the function that stops.
 */
function focusHeading(onShown: () => void): () => void {
  const main = document.querySelector("main");
  if (!main) return () => {};
  let focused: HTMLElement | null = null;
  let titleTimer: ReturnType<typeof setTimeout>;
  const focusNewHeading = () => {
    const heading = main.querySelector<HTMLElement>('h1:not([aria-busy="true"] *, [inert] *)');
    if (!heading || heading === focused) return;
    const active = document.activeElement;
    const isInPage = active instanceof HTMLElement && active !== main && active !== focused && main.contains(active);
    if (!isInPage) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
    focused = heading;
    clearTimeout(titleTimer);
    titleTimer = setTimeout(onShown, TITLE_DELAY_MS);
  };
  const observer = new MutationObserver(focusNewHeading);
  const stop = () => {
    observer.disconnect();
    clearTimeout(headingTimer);
    for (const name of ["keydown", "pointerdown"]) document.removeEventListener(name, stop, true);
  };
  const headingTimer = setTimeout(stop, HEADING_TIMEOUT_MS);
  observer.observe(main, { subtree: true, childList: true, attributeFilter: ["inert", "aria-busy"] });
  // User input ends the automatic focus.
  for (const name of ["keydown", "pointerdown"]) document.addEventListener(name, stop, true);
  focusNewHeading();
  return () => {
    stop();
    clearTimeout(titleTimer);
  };
}

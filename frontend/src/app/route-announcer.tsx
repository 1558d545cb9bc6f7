// Tells assistive technology that another page is shown: the focus goes to its heading, and a live region names it. A full page
// load does both in any browser; navigation inside the page does neither without this.
import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

/** A page may load its heading; it is waited for this long. */
const HEADING_TIMEOUT_MS = 10_000;
/** The page writes its title just after its heading is there. */
const TITLE_DELAY_MS = 100;

/** Rendered from the second page on: each page it sees is announced. */
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
    <p role="status" className="visually-hidden">
      {title}
    </p>
  );
}

/**
 * Moves the focus to the heading of the page as soon as there is one, and again when a loaded page replaces it. Focus that is in
 * the page already stays: a field with autofocus, or a tab that leads to a part of the same profile. Returns how to stop.
 */
function focusHeading(onShown: () => void): () => void {
  const main = document.querySelector("main");
  if (!main) return () => {};
  let focused: HTMLElement | null = null;
  let titled: ReturnType<typeof setTimeout>;
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
    clearTimeout(titled);
    titled = setTimeout(onShown, TITLE_DELAY_MS);
  };
  const observer = new MutationObserver(focusNewHeading);
  const stop = () => {
    observer.disconnect();
    clearTimeout(end);
    for (const name of ["keydown", "pointerdown"]) document.removeEventListener(name, stop, true);
  };
  const end = setTimeout(stop, HEADING_TIMEOUT_MS);
  observer.observe(main, { subtree: true, childList: true, attributeFilter: ["inert", "aria-busy"] });
  // A visitor who acts has a place of their own to keep.
  for (const name of ["keydown", "pointerdown"]) document.addEventListener(name, stop, true);
  focusNewHeading();
  return () => {
    stop();
    clearTimeout(titled);
  };
}

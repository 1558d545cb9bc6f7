// The layout of every page: header, outlet, footer, notifications, keyboard shortcuts and scrolling.
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { Outlet, useLocation, useNavigate, useNavigationType } from "react-router";
import { ConnectionStatus } from "../features/live/connection-status";
import { onExpiry, probeServerForLocalUser } from "../features/sessions/session-store";
import { UpdateNotice } from "../features/site/update-notice";
import { useVisits } from "../features/visits/use-visits";
import { home } from "../lib/paths";
import { scrollBehavior } from "../ui/reduced-motion";
import { Spinner } from "../ui/states";
import { Toasts, toast } from "../ui/toast";
import { ErrorBoundary } from "./error-page";
import { Footer } from "./footer";
import { Header } from "./header";
import css from "./root.module.css";
import { areShortcutsEnabled } from "./shortcuts";

const REDIRECT_DELAY_MS = 100;
const SCROLL_DELAY_MS = 100;
const IDLE_TIMEOUT_MS = 2000;
const SESSION_EXPIRED_TEXT = "Your session has expired. You will be redirected to the login page.";

const ShortcutsDialog = lazy(() => import("./shortcuts-dialog"));
const RouteAnnouncer = lazy(() => import("./route-announcer"));
const ExactTip = lazy(() => import("../ui/exact-tip"));

export function Root() {
  const [isShortcutsDialogOpen, setShortcutsDialogOpen] = useState(false);
  const { pathname } = useLocation();
  // The browser announces the first page.
  const [first] = useState(pathname);
  const [hasMoved, setMoved] = useState(false);
  if (!hasMoved && pathname !== first) setMoved(true);
  const isIdle = useIdle();
  useScrollToTop();
  useSessionExpiry();
  useVisits();
  const showShortcuts = useCallback(() => setShortcutsDialogOpen(true), []);
  useShortcuts(showShortcuts);
  return (
    <div className={css.root}>
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <Header />
      <main id="content" tabIndex={-1}>
        <ErrorBoundary pathname={pathname}>
          <Suspense
            fallback={
              <div className={css.fallback}>
                <Spinner label="Loading…" />
              </div>
            }
          >
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
      <Footer onShowShortcuts={showShortcuts} />
      {hasMoved && (
        <Suspense>
          <RouteAnnouncer />
        </Suspense>
      )}
      <ConnectionStatus />
      <UpdateNotice />
      {isIdle && (
        <Suspense>
          <ExactTip />
        </Suspense>
      )}
      <Toasts />
      {isShortcutsDialogOpen && (
        <Suspense>
          <ShortcutsDialog onClose={() => setShortcutsDialogOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/**
 * Becomes true when the browser is idle after the first render. Components that only respond to input load then: they do not
 * delay the first page, and are ready before the first tap.
 */
function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    // Safari has no `requestIdleCallback`.
    if (!window.requestIdleCallback) {
      const timer = setTimeout(() => setIdle(true), IDLE_TIMEOUT_MS);
      return () => clearTimeout(timer);
    }
    const callback = requestIdleCallback(() => setIdle(true), { timeout: IDLE_TIMEOUT_MS });
    return () => cancelIdleCallback(callback);
  }, []);
  return isIdle;
}

/** The single-key shortcuts of all pages: `/` moves to the search, `?` shows the shortcuts. */
function useShortcuts(onShow: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !areShortcutsEnabled()) return;
      if (event.key === "?") onShow();
      if (event.key === "/") {
        event.preventDefault();
        focusSearch();
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [onShow]);
}

/** On narrow screens the field is behind a button. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("[data-search-shortcut]");
  if (field && field.offsetParent !== null) field.focus();
  else document.querySelector<HTMLButtonElement>('header button[aria-label="Search"][aria-expanded="false"]')?.click();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Scrolls to the top 100 ms after a navigation. Going back keeps the browser's scroll position; a fragment names its own. */
function useScrollToTop(): void {
  const { pathname, hash, state } = useLocation();
  const type = useNavigationType();
  const keep = type === "POP" || hash !== "" || !!(state as { keepScroll?: boolean } | null)?.keepScroll;
  const last = useRef(pathname);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // Changing only the query, such as a filter, does not scroll.
    if (last.current === pathname) return;
    last.current = pathname;
    clearTimeout(timer.current);
    if (keep) return;
    timer.current = setTimeout(() => window.scrollTo({ top: 0, behavior: scrollBehavior() }), SCROLL_DELAY_MS);
  }, [pathname, keep]);
  useEffect(() => () => clearTimeout(timer.current), []);
}

/** Shows that the session has expired, then navigates home. */
function useSessionExpiry(): void {
  const navigate = useNavigate();
  useEffect(() => {
    void probeServerForLocalUser();
    return onExpiry((message) => {
      toast({ tone: "error", title: "Signed out", text: message || SESSION_EXPIRED_TEXT });
      setTimeout(() => navigate(home), REDIRECT_DELAY_MS);
    });
  }, [navigate]);
}

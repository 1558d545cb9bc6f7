// Builds and sends visit events: ten at a time, one request at a time, with retries. Nothing is sent for visitors who opted
// out.
import { ApiError } from "../../api/errors";
import { trackVisits, type VisitEvent } from "../../api/visits";
import { localStore } from "../../lib/browser-storage";

const BATCH_EVENTS = 10;
const RETRY_MS = 1_000;
/** Content blockers fail every request. After so many failures in a row, each twice as late as the last, nothing more is sent. */
const MAX_FAILURES = 8;
/** While the server is unreachable, the oldest events are dropped. */
const MAX_QUEUED_EVENTS = 100;
const OPT_OUT_KEY = "analytics_disabled";

/** Reports whether visits may be counted: no opt-out, no Do-Not-Track, no Global Privacy Control. */
export function isTrackingAllowed(): boolean {
  const signals = navigator as Navigator & { globalPrivacyControl?: boolean };
  return (
    localStore.getItem(OPT_OUT_KEY) !== "true" && navigator.doNotTrack !== "1" && signals.globalPrivacyControl !== true
  );
}

export interface VisitQueue {
  add(event: VisitEvent): void;
  stop(): void;
}

export function newVisitQueue(send: (events: VisitEvent[]) => Promise<unknown> = trackVisits): VisitQueue {
  const waiting: VisitEvent[] = [];
  let sending = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), ms);
  };
  const flush = async () => {
    if (sending || waiting.length === 0 || !isTrackingAllowed()) return;
    sending = true;
    const batch = waiting.slice(0, BATCH_EVENTS);
    let wait = RETRY_MS;
    try {
      await send(batch);
      waiting.splice(0, batch.length);
      failures = 0;
    } catch (error) {
      wait = RETRY_MS * 2 ** failures;
      failures += 1;
      // The server would reject the batch again.
      const isRejected = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
      if (isRejected) waiting.splice(0, batch.length);
      if (error instanceof ApiError && error.retryAfter) wait = Math.max(wait, error.retryAfter * 1_000);
    } finally {
      sending = false;
    }
    if (waiting.length > 0 && failures < MAX_FAILURES) later(wait);
  };
  return {
    add(event) {
      if (failures >= MAX_FAILURES) return;
      waiting.push(event);
      if (waiting.length > MAX_QUEUED_EVENTS) waiting.shift();
      if (!sending && waiting.length === 1) void flush();
    },
    stop: () => clearTimeout(timer),
  };
}

/** Builds an event with page, screen and language. The URL is sent without its query, which may contain secrets. */
export function visitEvent(
  type: "page_view" | "error" | "performance",
  more: VisitEvent["customData"] = {},
): VisitEvent {
  const { connection } = navigator as Navigator & { connection?: { effectiveType?: string } };
  return {
    pageTitle: document.title,
    customData: {
      type,
      pageTitle: document.title,
      pagePath: window.location.pathname,
      pageUrl: window.location.origin + window.location.pathname,
      screenResolution: `${window.screen.width}x${window.screen.height}`,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      language: navigator.language,
      timestamp: Math.floor(Date.now() / 1_000),
      ...(connection?.effectiveType ? { connectionType: connection.effectiveType } : {}),
      ...more,
    },
  };
}

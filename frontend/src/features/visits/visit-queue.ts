// What is told of a visit, and the queue that tells it: ten events at a time, one call at a time, again after a second
// while something waits. Who does not want to be counted is not: then no queue is made at all.
import { ApiError } from "../../api/errors";
import { trackVisits, type VisitEvent } from "../../api/visits";

const BATCH_EVENTS = 10;
const RETRY_MS = 1_000;
/** A server that is away must not let the queue grow for ever; the oldest events go first. */
const MAX_QUEUED_EVENTS = 100;
const OPT_OUT_KEY = "analytics_disabled";

/** Whether this visitor may be counted: no opt-out, no Do-Not-Track, no Global Privacy Control. */
export function isTrackingAllowed(): boolean {
  const signals = navigator as Navigator & { globalPrivacyControl?: boolean };
  return (
    localStorage.getItem(OPT_OUT_KEY) !== "true" &&
    navigator.doNotTrack !== "1" &&
    signals.globalPrivacyControl !== true
  );
}

/** Switches the counting of this browser's visits off or on; it holds from the next page load. */
export function setOptOut(off: boolean): void {
  if (off) localStorage.setItem(OPT_OUT_KEY, "true");
  else localStorage.removeItem(OPT_OUT_KEY);
}

export interface VisitQueue {
  add(event: VisitEvent): void;
  stop(): void;
}

export function newVisitQueue(send: (events: VisitEvent[]) => Promise<unknown> = trackVisits): VisitQueue {
  const waiting: VisitEvent[] = [];
  let sending = false;
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
    } catch (error) {
      // A batch that the server does not want will not be wanted a second later either.
      const unwanted = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
      if (unwanted) waiting.splice(0, batch.length);
      if (error instanceof ApiError && error.retryAfter) wait = error.retryAfter * 1_000;
    } finally {
      sending = false;
    }
    if (waiting.length > 0) later(wait);
  };
  return {
    add(event) {
      waiting.push(event);
      if (waiting.length > MAX_QUEUED_EVENTS) waiting.shift();
      if (!sending && waiting.length === 1) void flush();
    },
    stop: () => clearTimeout(timer),
  };
}

/** The event of a moment: where, on what screen, in which language. The address goes without its query, which may hold secrets. */
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

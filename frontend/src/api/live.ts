// The only EventSource of the site. One tab of a visitor holds the stream (Web Locks) and hands what comes to the others
// (BroadcastChannel); where a browser lacks either, each tab has its own. It knows topics and event names, never a noun.

/** The server's events, and one of our own: `opened` names topics that were not heard before this moment, so that what
 * was read earlier may have missed something. */
export type LiveName = ServerName | "opened";
type ServerName = "activity" | "commit" | "counts" | "patch" | "player" | "guild" | "reset" | ReaderName;
/** What the log reader's own stream brings. */
type ReaderName = "row" | "reader";
export type LiveState = "connecting" | "live" | "reconnecting";

export interface LiveEvent {
  id: string;
  name: LiveName;
  data: unknown;
}

/** These tell how things stand now. They have no id of their own, and are told again to who comes back. */
const STANDING: readonly LiveName[] = ["counts", "patch", "reader"];
const NAMES: readonly ServerName[] = [
  "activity",
  "commit",
  "counts",
  "patch",
  "player",
  "guild",
  "reset",
  "row",
  "reader",
];
/** The server takes no more topics in one stream. */
const TOPICS_MAX = 20;
const BACK_OFF_FIRST_MS = 1_000;
const BACK_OFF_LAST_MS = 60_000;
/** A hidden tab draws no frames; its events are handed on this often. */
const HIDDEN_FLUSH_MS = 1_000;

type Message =
  | { kind: "ask" }
  | { kind: "topics"; tab: string; topics: string[] }
  | { kind: "event"; event: LiveEvent }
  | { kind: "state"; state: LiveState };

type Subscriber = (events: LiveEvent[]) => void;

const tab = crypto.randomUUID?.() ?? String(Math.random());
const subscribers = new Set<Subscriber>();
const ownTopics = new Map<string, number>();
const otherTopics = new Map<string, string[]>();
const stateListeners = new Set<() => void>();

let access = "";
let state: LiveState = "connecting";
let channel: BroadcastChannel | null = null;
let leading = false;
let started = false;
let source: EventSource | null = null;
let next: EventSource | null = null;
let sourceTopics = "";
/** What `source` brings. */
let heard: readonly string[] = [];
let lastId = 0;
let failures = 0;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let topicsTimer: ReturnType<typeof setTimeout> | undefined;
let waiting: LiveEvent[] = [];
let flushing = false;

/** Asks for topics until the returned function is called; `onEvents` gets what came, once per drawn frame. */
export function subscribe(topics: readonly string[], onEvents: Subscriber): () => void {
  subscribers.add(onEvents);
  for (const topic of topics) ownTopics.set(topic, (ownTopics.get(topic) ?? 0) + 1);
  start();
  topicsChanged();
  return () => {
    subscribers.delete(onEvents);
    for (const topic of topics) {
      const left = (ownTopics.get(topic) ?? 1) - 1;
      if (left > 0) ownTopics.set(topic, left);
      else ownTopics.delete(topic);
    }
    topicsChanged();
  };
}

/** Adds to the stream's address what its server wants to see, such as a token: an EventSource sets no headers. */
export function setAccess(query: string): void {
  access = `&${query}`;
}

/** How the stream stands; for `useSyncExternalStore`. */
export const liveState = (): LiveState => state;

export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}

function start(): void {
  if (started || typeof EventSource === "undefined") return;
  started = true;
  if (typeof BroadcastChannel === "undefined" || !navigator.locks) {
    leading = true;
    return;
  }
  channel = new BroadcastChannel("apogee-live");
  channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data);
  window.addEventListener("pagehide", () =>
    channel?.postMessage({ kind: "topics", tab, topics: [] } satisfies Message),
  );
  // Held for the life of the tab; the next tab in line leads when this one is gone.
  void navigator.locks.request("apogee-live", () => {
    leading = true;
    channel?.postMessage({ kind: "ask" } satisfies Message);
    topicsChanged();
    return new Promise<never>(() => {});
  });
}

function hear(message: Message): void {
  if (message.kind === "ask") tellTopics();
  else if (message.kind === "topics") {
    if (message.topics.length > 0) otherTopics.set(message.tab, message.topics);
    else otherTopics.delete(message.tab);
    if (!leading) return;
    topicsChanged();
    channel?.postMessage({ kind: "state", state } satisfies Message);
  } else if (!leading && message.kind === "event") {
    // This tab may have to lead next.
    if (message.event.id !== "") lastId = Number(message.event.id) || 0;
    fold(message.event);
  } else if (!leading && message.kind === "state") setState(message.state);
}

function tellTopics(): void {
  channel?.postMessage({ kind: "topics", tab, topics: [...ownTopics.keys()] } satisfies Message);
}

/** Waits for the end of the turn, so that a page that leaves and one that comes cost one change. */
function topicsChanged(): void {
  clearTimeout(topicsTimer);
  topicsTimer = setTimeout(() => {
    if (leading) open(false);
    else tellTopics();
  }, 50);
}

function wantedTopics(): string {
  const all = new Set([...ownTopics.keys(), ...[...otherTopics.values()].flat()]);
  // This tab's own come first when there are too many.
  return [...all].slice(0, TOPICS_MAX).sort().join(",");
}

/** Opens a stream for what is wanted now. The old one is closed once the new one is open, so that nothing is missed. */
function open(again: boolean): void {
  const topics = wantedTopics();
  if (topics === sourceTopics && source && !again) return;
  next?.close();
  clearTimeout(retryTimer);
  sourceTopics = topics;
  if (topics === "") {
    source?.close();
    source = next = null;
    heard = [];
    return;
  }
  // Where no stream is open, this one goes on after what this visitor's tabs have seen.
  const isResumed = !source && lastId > 0;
  const opened = new EventSource(
    `/api/live?topics=${encodeURIComponent(topics)}${isResumed ? `&lastEventId=${lastId}` : ""}${access}`,
  );
  next = opened;
  opened.onopen = () => {
    const before = source ? heard : [];
    if (next === opened) {
      source?.close();
      source = opened;
      next = null;
      heard = topics.split(",");
    }
    const fresh = heard.filter((topic) => !before.includes(topic));
    // Without a place to go on from, what happened while there was no stream is unknown: everybody reads again.
    if (failures > 0 && again && !isResumed) receive({ id: "", name: "reset", data: null });
    else if (fresh.length > 0) receive({ id: "", name: "opened", data: fresh });
    failures = 0;
    again = false;
    tellState("live");
  };
  opened.onerror = () => {
    tellState(state === "connecting" ? "connecting" : "reconnecting");
    // The browser itself tries again, with the last id, unless the server refused.
    if (opened.readyState !== EventSource.CLOSED) return;
    if (source === opened) source = null;
    if (next === opened) next = null;
    const wait = Math.min(BACK_OFF_LAST_MS, BACK_OFF_FIRST_MS * 2 ** failures);
    failures += 1;
    retryTimer = setTimeout(() => open(true), wait * (0.5 + Math.random() / 2));
  };
  for (const name of NAMES) {
    opened.addEventListener(name, (event) => {
      const { lastEventId: id, data } = event as MessageEvent<string>;
      receive({ id, name, data: parse(data) });
    });
  }
}

function receive(event: LiveEvent): void {
  const id = Number(event.id);
  // Two streams overlap for a moment when topics change; ids only grow.
  if (event.name !== "reset" && !STANDING.includes(event.name) && event.id !== "" && Number.isFinite(id)) {
    if (id <= lastId) return;
    lastId = id;
  }
  if (event.name === "reset") lastId = Number.isFinite(id) ? id : 0;
  if (otherTopics.size > 0) channel?.postMessage({ kind: "event", event } satisfies Message);
  fold(event);
}

/** Gathers what comes until the next drawing; each tab does so for itself, whichever of them holds the stream. */
function fold(event: LiveEvent): void {
  waiting.push(event);
  if (flushing) return;
  flushing = true;
  const flush = () => {
    flushing = false;
    const events = waiting;
    waiting = [];
    hand(events);
  };
  if (document.hidden) setTimeout(flush, HIDDEN_FLUSH_MS);
  else requestAnimationFrame(flush);
}

function hand(events: LiveEvent[]): void {
  for (const subscriber of [...subscribers]) subscriber(events);
}

function tellState(to: LiveState): void {
  setState(to);
  channel?.postMessage({ kind: "state", state: to } satisfies Message);
}

function setState(to: LiveState): void {
  if (state === to) return;
  state = to;
  for (const listener of stateListeners) listener();
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

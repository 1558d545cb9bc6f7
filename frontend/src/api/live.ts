// The live stream of the site. One tab of a visitor holds it (Web Locks) and hands what comes to the others
// (BroadcastChannel); where a browser lacks either, each tab has its own. It knows topics and event names, never a noun.
import { LiveStream, type ServerEventName, type StreamEvent } from "./live-stream";

/** The server's events, and two of our own that name topics: `opened`, which the stream brings from now on, beginning with
 * their current states; and `joined`, which it brought to another tab already, so that no state comes. What was read of
 * either before may have missed something. */
export type LiveEventName = ServerEventName | "opened" | "joined";
export type LiveState = LiveStream["state"];

export interface LiveEvent {
  id: string;
  name: LiveEventName;
  data: unknown;
}

/** The server takes no more topics in one stream; more of them are more streams. */
const MAX_TOPICS_PER_STREAM = 20;
/** A hidden tab draws no frames; its events are handed on this often. */
const HIDDEN_TAB_FLUSH_INTERVAL_MS = 1_000;

type TabMessage =
  | { kind: "ask" }
  | { kind: "topics"; tab: string; topics: string[] }
  | { kind: "joined"; tab: string; topics: string[] }
  /** `isLast`: a stream that takes over may continue after its id. */
  | { kind: "event"; event: LiveEvent; isLast: boolean }
  | { kind: "state"; state: LiveState };

type Subscriber = (events: LiveEvent[]) => void;

const tab = crypto.randomUUID?.() ?? String(Math.random());
const subscribers = new Set<Subscriber>();
const ownTopics = new Map<string, number>();
const otherTopics = new Map<string, string[]>();
const stateListeners = new Set<() => void>();

let accessQuery = "";
let state: LiveState = "connecting";
let channel: BroadcastChannel | null = null;
let isLeader = false;
let isStarted = false;
let streams: LiveStream[] = [];
/** This tab's topics when the stream was last asked for. */
let requestedTopics: string[] = [];
/** How far the tab that holds the stream was when it last said so. */
let lastId = 0;
/** Leaves the lock, or the queue for it. */
let releaseLeadership = () => {};
let topicsTimer: ReturnType<typeof setTimeout> | undefined;
let pendingEvents: LiveEvent[] = [];
let isFlushScheduled = false;

/** Asks for topics until the returned function is called; `onEvents` gets what came, once per drawn frame. */
export function subscribe(topics: readonly string[], onEvents: Subscriber): () => void {
  subscribers.add(onEvents);
  for (const topic of topics) ownTopics.set(topic, (ownTopics.get(topic) ?? 0) + 1);
  start();
  scheduleTopicUpdate();
  return () => {
    subscribers.delete(onEvents);
    for (const topic of topics) {
      const left = (ownTopics.get(topic) ?? 1) - 1;
      if (left > 0) ownTopics.set(topic, left);
      else ownTopics.delete(topic);
    }
    scheduleTopicUpdate();
  };
}

/** Adds to the stream's address what its server wants to see, such as a token: an EventSource sets no headers. */
export function setAccessQuery(query: string): void {
  accessQuery = `&${query}`;
}

/** How the stream stands; for `useSyncExternalStore`. */
export const liveState = (): LiveState => state;

export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}

function start(): void {
  if (isStarted || typeof EventSource === "undefined") return;
  isStarted = true;
  window.addEventListener("pagehide", disconnect);
  window.addEventListener("pageshow", (event) => event.persisted && reconnect());
  // A machine that slept has missed heartbeats; its timers may take a minute to find out.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) for (const stream of streams) stream.reopenIfSilent();
  });
  connectTabs();
}

/** Joins the other tabs. */
function connectTabs(): void {
  if (typeof BroadcastChannel !== "undefined" && navigator.locks) {
    channel = new BroadcastChannel("apogee-live");
    channel.onmessage = ({ data }: MessageEvent<TabMessage>) => onTabMessage(data);
  }
  requestLeadership();
}

/** Leads when no other tab does, and from then on for as long as the tab lives; the next tab in line leads after it. */
function requestLeadership(): void {
  if (!channel) {
    isLeader = true;
    return;
  }
  const queue = new AbortController();
  releaseLeadership = () => queue.abort();
  const held = () => {
    isLeader = true;
    channel?.postMessage({ kind: "ask" } satisfies TabMessage);
    scheduleTopicUpdate();
    return new Promise<void>((release) => {
      releaseLeadership = release;
    });
  };
  // Refused only when this tab leaves the queue.
  navigator.locks.request("apogee-live", { signal: queue.signal }, held).catch(() => {});
}

/** A page that is left may be kept as it is and shown again. Meanwhile it must not hold the stream for other tabs. */
function disconnect(): void {
  clearTimeout(topicsTimer);
  channel?.postMessage({ kind: "topics", tab, topics: [] } satisfies TabMessage);
  for (const stream of streams) stream.close();
  isLeader = false;
  releaseLeadership();
  channel?.close();
  channel = null;
}

/** The page is shown again: the stream comes back, and what was missed is read. */
function reconnect(): void {
  setState("reconnecting");
  requestedTopics = [];
  connectTabs();
  scheduleTopicUpdate();
}

function onTabMessage(message: TabMessage): void {
  if (message.kind === "ask") announceTopics();
  else if (message.kind === "topics") {
    const before = otherTopics.get(message.tab) ?? [];
    if (message.topics.length > 0) otherTopics.set(message.tab, message.topics);
    else otherTopics.delete(message.tab);
    if (!isLeader) return;
    const joined = message.topics.filter((topic) => !before.includes(topic) && isReceived(topic));
    if (joined.length > 0) {
      channel?.postMessage({ kind: "joined", tab: message.tab, topics: joined } satisfies TabMessage);
    }
    scheduleTopicUpdate();
    channel?.postMessage({ kind: "state", state } satisfies TabMessage);
  } else if (isLeader) return;
  else if (message.kind === "event") {
    // This tab may have to lead next.
    if (!message.isLast) lastId = 0;
    else if (message.event.id !== "") lastId = Number(message.event.id) || 0;
    enqueue(message.event);
  } else if (message.kind === "state") setState(message.state);
  else if (message.tab === tab) enqueue({ id: "", name: "joined", data: message.topics });
}

const isReceived = (topic: string) =>
  streams.some((stream) => stream.state === "live" && stream.activeTopics.includes(topic));

function announceTopics(): void {
  channel?.postMessage({ kind: "topics", tab, topics: [...ownTopics.keys()] } satisfies TabMessage);
}

/** Waits for the end of the turn, so that a page that leaves and one that comes cost one change. */
function scheduleTopicUpdate(): void {
  clearTimeout(topicsTimer);
  topicsTimer = setTimeout(() => {
    const added = [...ownTopics.keys()].filter((topic) => !requestedTopics.includes(topic));
    requestedTopics = [...ownTopics.keys()];
    if (!isLeader) return announceTopics();
    const joined = added.filter(isReceived);
    if (joined.length > 0) enqueue({ id: "", name: "joined", data: joined });
    distributeTopics();
  }, 50);
}

/** Spreads what all tabs want over as few streams as it takes. A topic stays where it is. */
function distributeTopics(): void {
  const all = new Set([...ownTopics.keys(), ...[...otherTopics.values()].flat()]);
  const parts = streams.map((stream) => stream.topics.filter((topic) => all.has(topic)));
  for (const topic of [...all].sort()) {
    if (parts.some((part) => part.includes(topic))) continue;
    const free = parts.find((part) => part.length < MAX_TOPICS_PER_STREAM);
    if (free) free.push(topic);
    else parts.push([topic]);
  }
  // Of several streams, none can say for all how far it was.
  const [after, heard] = parts.length > 1 || streams.length > 0 ? [0, []] : [lastId, [...all]];
  while (streams.length < parts.length) streams.push(newStream(after, after > 0 ? heard : []));
  streams.forEach((stream, index) => {
    const topics = parts[index] ?? [];
    if (topics.length > 0) stream.setTopics(topics.sort());
    else stream.close();
  });
  streams = streams.filter((stream) => stream.topics.length > 0);
  updateState();
}

function newStream(after: number, heard: readonly string[]): LiveStream {
  const listener = {
    onEvent: (event: StreamEvent) => publish(event),
    onOpen: (fresh: readonly string[]) => publish({ id: "", name: "opened", data: fresh }),
    onState: updateState,
  };
  return new LiveStream(listener, () => accessQuery, after, heard);
}

function publish(event: LiveEvent): void {
  if (otherTopics.size > 0) {
    channel?.postMessage({ kind: "event", event, isLast: streams.length === 1 } satisfies TabMessage);
  }
  enqueue(event);
}

/** Gathers what comes until the next drawing; each tab does so for itself, whichever of them holds the stream. */
function enqueue(event: LiveEvent): void {
  pendingEvents.push(event);
  if (isFlushScheduled) return;
  isFlushScheduled = true;
  const flush = () => {
    isFlushScheduled = false;
    const events = pendingEvents;
    pendingEvents = [];
    deliver(events);
  };
  if (document.hidden) setTimeout(flush, HIDDEN_TAB_FLUSH_INTERVAL_MS);
  else requestAnimationFrame(flush);
}

function deliver(events: LiveEvent[]): void {
  for (const subscriber of [...subscribers]) subscriber(events);
}

function updateState(): void {
  if (!isLeader || streams.length === 0) return;
  const is = (one: LiveState) => streams.some((stream) => stream.state === one);
  const now = is("reconnecting") ? "reconnecting" : is("connecting") ? "connecting" : "live";
  setState(now);
  channel?.postMessage({ kind: "state", state: now } satisfies TabMessage);
}

function setState(to: LiveState): void {
  if (state === to) return;
  state = to;
  for (const listener of stateListeners) listener();
}

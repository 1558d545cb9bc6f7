// Live events. One tab per browser holds the stream (Web Locks) and forwards its events to the others (BroadcastChannel);
// without these APIs each tab opens its own. This module knows topics and event names, but no resources.
import { LiveStream, type ServerEventName, type StreamEvent } from "./live-stream";

/**
 * The server's events and two local ones that list topics: `opened` when a stream starts to deliver topics, beginning with
 * their current state; `joined` when a tab subscribes to topics that the stream already delivers, so that no state follows.
 * Data fetched before either may be out of date.
 */
export type LiveEventName = ServerEventName | "opened" | "joined";
export type LiveState = LiveStream["state"];

export interface LiveEvent {
  id: string;
  name: LiveEventName;
  data: unknown;
}

/** The server's limit. Additional topics need further streams. */
const MAX_TOPICS_PER_STREAM = 20;
/** Hidden tabs get no animation frames; their events are delivered at this interval. */
const HIDDEN_TAB_FLUSH_INTERVAL_MS = 1_000;

type TabMessage =
  | { kind: "ask" }
  | { kind: "topics"; tab: string; topics: string[] }
  | { kind: "joined"; tab: string; topics: string[] }
  /** `isLast`: a stream that takes over may resume after this id. */
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
/** This tab's topics at the last update. */
let requestedTopics: string[] = [];
/** The last event id of the leading tab's stream; 0 if unknown. */
let lastId = 0;
/** Releases the lock or leaves its queue. */
let releaseLeadership = () => {};
let topicUpdateTimer: ReturnType<typeof setTimeout> | undefined;
let pendingEvents: LiveEvent[] = [];
let isFlushScheduled = false;

/** Subscribes to topics. `onEvents` is called once per animation frame. Returns the function that unsubscribes. */
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

/** Adds query parameters such as a token to the stream's URL: an EventSource cannot set headers. */
export function setAccessQuery(query: string): void {
  accessQuery = `&${query}`;
}

/** The state of the stream, for `useSyncExternalStore`. */
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
  // A machine that slept has missed heartbeats, and its timers may fire late.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) for (const stream of streams) stream.reopenIfSilent();
  });
  connectTabs();
}

function connectTabs(): void {
  if (typeof BroadcastChannel !== "undefined" && navigator.locks) {
    channel = new BroadcastChannel("apogee-live");
    channel.onmessage = ({ data }: MessageEvent<TabMessage>) => onTabMessage(data);
  }
  requestLeadership();
}

/** Waits for the lock. The tab that holds it leads until it closes; then the next tab in the queue does. */
function requestLeadership(): void {
  if (!channel) {
    isLeader = true;
    return;
  }
  const queue = new AbortController();
  releaseLeadership = () => queue.abort();
  const onLockAcquired = () => {
    isLeader = true;
    channel?.postMessage({ kind: "ask" } satisfies TabMessage);
    scheduleTopicUpdate();
    return new Promise<void>((release) => {
      releaseLeadership = release;
    });
  };
  // Rejected only when this tab leaves the queue.
  navigator.locks.request("apogee-live", { signal: queue.signal }, onLockAcquired).catch(() => {});
}

/** Disconnects a page that enters the back/forward cache, which must not hold the stream for other tabs. */
function disconnect(): void {
  clearTimeout(topicUpdateTimer);
  channel?.postMessage({ kind: "topics", tab, topics: [] } satisfies TabMessage);
  for (const stream of streams) stream.close();
  isLeader = false;
  releaseLeadership();
  channel?.close();
  channel = null;
}

/** Reconnects a page that leaves the back/forward cache. */
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
    // This tab may become the leader.
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

/** Debounced, so that navigating from one page to another causes one update. */
function scheduleTopicUpdate(): void {
  clearTimeout(topicUpdateTimer);
  topicUpdateTimer = setTimeout(() => {
    const added = [...ownTopics.keys()].filter((topic) => !requestedTopics.includes(topic));
    requestedTopics = [...ownTopics.keys()];
    if (!isLeader) return announceTopics();
    const joined = added.filter(isReceived);
    if (joined.length > 0) enqueue({ id: "", name: "joined", data: joined });
    distributeTopics();
  }, 50);
}

/** Distributes the topics of all tabs over as few streams as possible. A topic remains in its stream. */
function distributeTopics(): void {
  const all = new Set([...ownTopics.keys(), ...[...otherTopics.values()].flat()]);
  const parts = streams.map((stream) => stream.topics.filter((topic) => all.has(topic)));
  for (const topic of [...all].sort()) {
    if (parts.some((part) => part.includes(topic))) continue;
    const free = parts.find((part) => part.length < MAX_TOPICS_PER_STREAM);
    if (free) free.push(topic);
    else parts.push([topic]);
  }
  // With several streams, no single id covers all topics.
  const [after, activeTopics] = parts.length > 1 || streams.length > 0 ? [0, []] : [lastId, [...all]];
  while (streams.length < parts.length) streams.push(newStream(after, after > 0 ? activeTopics : []));
  streams.forEach((stream, index) => {
    const topics = parts[index] ?? [];
    if (topics.length > 0) stream.setTopics(topics.sort());
    else stream.close();
  });
  streams = streams.filter((stream) => stream.topics.length > 0);
  updateState();
}

function newStream(after: number, activeTopics: readonly string[]): LiveStream {
  const listener = {
    onEvent: (event: StreamEvent) => publish(event),
    onOpen: (added: readonly string[]) => publish({ id: "", name: "opened", data: added }),
    onState: updateState,
  };
  return new LiveStream(listener, () => accessQuery, after, activeTopics);
}

function publish(event: LiveEvent): void {
  if (otherTopics.size > 0) {
    channel?.postMessage({ kind: "event", event, isLast: streams.length === 1 } satisfies TabMessage);
  }
  enqueue(event);
}

/** Collects events until the next animation frame of this tab. */
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

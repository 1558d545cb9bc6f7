// The live stream of the site. One tab of a visitor holds it (Web Locks) and hands what comes to the others
// (BroadcastChannel); where a browser lacks either, each tab has its own. It knows topics and event names, never a noun.
import { LiveStream, type ServerName, type StreamEvent } from "./live-stream";

/** The server's events, and two of our own that name topics: `opened`, which the stream brings from now on, beginning with
 * their current states; and `joined`, which it brought to another tab already, so that no state comes. What was read of
 * either before may have missed something. */
export type LiveName = ServerName | "opened" | "joined";
export type LiveState = LiveStream["state"];

export interface LiveEvent {
  id: string;
  name: LiveName;
  data: unknown;
}

/** The server takes no more topics in one stream; more of them are more streams. */
const TOPICS_MAX = 20;
/** A hidden tab draws no frames; its events are handed on this often. */
const HIDDEN_FLUSH_MS = 1_000;

type Message =
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

let access = "";
let state: LiveState = "connecting";
let channel: BroadcastChannel | null = null;
let leading = false;
let started = false;
let streams: LiveStream[] = [];
/** This tab's topics when the stream was last asked for. */
let wanted: string[] = [];
/** How far the tab that holds the stream was when it last said so. */
let lastId = 0;
/** Leaves the lock, or the queue for it. */
let leave = () => {};
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
  window.addEventListener("pagehide", pause);
  window.addEventListener("pageshow", (event) => event.persisted && resume());
  // A machine that slept has missed heartbeats; its timers may take a minute to find out.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) for (const stream of streams) stream.check();
  });
  join();
}

/** Joins the other tabs. */
function join(): void {
  if (typeof BroadcastChannel !== "undefined" && navigator.locks) {
    channel = new BroadcastChannel("apogee-live");
    channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data);
  }
  queueForLead();
}

/** Leads when no other tab does, and from then on for as long as the tab lives; the next tab in line leads after it. */
function queueForLead(): void {
  if (!channel) {
    leading = true;
    return;
  }
  const queue = new AbortController();
  leave = () => queue.abort();
  const held = () => {
    leading = true;
    channel?.postMessage({ kind: "ask" } satisfies Message);
    topicsChanged();
    return new Promise<void>((release) => {
      leave = release;
    });
  };
  // Refused only when this tab leaves the queue.
  navigator.locks.request("apogee-live", { signal: queue.signal }, held).catch(() => {});
}

/** A page that is left may be kept as it is and shown again. Meanwhile it must not hold the stream for other tabs. */
function pause(): void {
  clearTimeout(topicsTimer);
  channel?.postMessage({ kind: "topics", tab, topics: [] } satisfies Message);
  for (const stream of streams) stream.close();
  leading = false;
  leave();
  channel?.close();
  channel = null;
}

/** The page is shown again: the stream comes back, and what was missed is read. */
function resume(): void {
  setState("reconnecting");
  wanted = [];
  join();
  topicsChanged();
}

function hear(message: Message): void {
  if (message.kind === "ask") tellTopics();
  else if (message.kind === "topics") {
    const before = otherTopics.get(message.tab) ?? [];
    if (message.topics.length > 0) otherTopics.set(message.tab, message.topics);
    else otherTopics.delete(message.tab);
    if (!leading) return;
    const joined = message.topics.filter((topic) => !before.includes(topic) && isHeard(topic));
    if (joined.length > 0) {
      channel?.postMessage({ kind: "joined", tab: message.tab, topics: joined } satisfies Message);
    }
    topicsChanged();
    channel?.postMessage({ kind: "state", state } satisfies Message);
  } else if (leading) return;
  else if (message.kind === "event") {
    // This tab may have to lead next.
    if (!message.isLast) lastId = 0;
    else if (message.event.id !== "") lastId = Number(message.event.id) || 0;
    fold(message.event);
  } else if (message.kind === "state") setState(message.state);
  else if (message.tab === tab) fold({ id: "", name: "joined", data: message.topics });
}

const isHeard = (topic: string) => streams.some((stream) => stream.state === "live" && stream.heard.includes(topic));

function tellTopics(): void {
  channel?.postMessage({ kind: "topics", tab, topics: [...ownTopics.keys()] } satisfies Message);
}

/** Waits for the end of the turn, so that a page that leaves and one that comes cost one change. */
function topicsChanged(): void {
  clearTimeout(topicsTimer);
  topicsTimer = setTimeout(() => {
    const added = [...ownTopics.keys()].filter((topic) => !wanted.includes(topic));
    wanted = [...ownTopics.keys()];
    if (!leading) return tellTopics();
    const joined = added.filter(isHeard);
    if (joined.length > 0) fold({ id: "", name: "joined", data: joined });
    spread();
  }, 50);
}

/** Spreads what all tabs want over as few streams as it takes. A topic stays where it is. */
function spread(): void {
  const all = new Set([...ownTopics.keys(), ...[...otherTopics.values()].flat()]);
  const parts = streams.map((stream) => stream.topics.filter((topic) => all.has(topic)));
  for (const topic of [...all].sort()) {
    if (parts.some((part) => part.includes(topic))) continue;
    const free = parts.find((part) => part.length < TOPICS_MAX);
    if (free) free.push(topic);
    else parts.push([topic]);
  }
  // Of several streams, none can say for all how far it was.
  const [after, heard] = parts.length > 1 || streams.length > 0 ? [0, []] : [lastId, [...all]];
  while (streams.length < parts.length) streams.push(newStream(after, after > 0 ? heard : []));
  streams.forEach((stream, at) => {
    const topics = parts[at] ?? [];
    if (topics.length > 0) stream.setTopics(topics.sort());
    else stream.close();
  });
  streams = streams.filter((stream) => stream.topics.length > 0);
  stateChanged();
}

function newStream(after: number, heard: readonly string[]): LiveStream {
  const listener = {
    onEvent: (event: StreamEvent) => send(event),
    onOpen: (fresh: readonly string[]) => send({ id: "", name: "opened", data: fresh }),
    onState: stateChanged,
  };
  return new LiveStream(listener, () => access, after, heard);
}

function send(event: LiveEvent): void {
  if (otherTopics.size > 0) {
    channel?.postMessage({ kind: "event", event, isLast: streams.length === 1 } satisfies Message);
  }
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

function stateChanged(): void {
  if (!leading || streams.length === 0) return;
  const is = (one: LiveState) => streams.some((stream) => stream.state === one);
  const now = is("reconnecting") ? "reconnecting" : is("connecting") ? "connecting" : "live";
  setState(now);
  channel?.postMessage({ kind: "state", state: now } satisfies Message);
}

function setState(to: LiveState): void {
  if (state === to) return;
  state = to;
  for (const listener of stateListeners) listener();
}

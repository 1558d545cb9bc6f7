// One EventSource of the live stream: which topics it brings, where it continues after a loss, and whether it is alive.
// `live.ts` decides which tab holds streams and for which topics.

/** The server's events. */
export type ServerEventName =
  | "activity"
  | "commit"
  | "counts"
  | "patch"
  | "player"
  | "guild"
  | "board"
  | "reset"
  /** What the log reader's own stream brings. */
  | "row"
  | "reader";

export interface StreamEvent {
  id: string;
  name: ServerEventName;
  data: unknown;
}

export interface StreamListener {
  onEvent: (event: StreamEvent) => void;
  /** The stream is open; these topics were not part of it before. */
  onOpen: (fresh: readonly string[]) => void;
  onState: () => void;
}

/** The current state of a topic: sent again to every stream that opens, so an id that is known does not make it old. */
const STATE_EVENTS: readonly ServerEventName[] = ["counts", "patch", "board", "reader"];
const EVENT_NAMES: readonly ServerEventName[] = [
  "activity",
  "commit",
  "player",
  "guild",
  "reset",
  "row",
  ...STATE_EVENTS,
];
/** The server sends a heartbeat every 15 s. A stream that brings nothing for two of them is half open. */
const SILENCE_TIMEOUT_MS = 35_000;
const SILENCE_CHECK_INTERVAL_MS = 5_000;
/** A stream that was open comes back within this time: a server that restarts gets its streams spread over it. */
const RECONNECT_MIN_MS = 1_000;
const RECONNECT_MAX_MS = 5_000;
const BACKOFF_MIN_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;

export class LiveStream {
  /** What the stream was asked for. */
  topics: readonly string[] = [];
  /** What it brings since it was last opened. */
  activeTopics: readonly string[];
  state: "connecting" | "live" | "reconnecting" = "connecting";
  private current: EventSource | null = null;
  private opening: EventSource | null = null;
  private failures = 0;
  private lastActivityAt = 0;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private checkTimer: ReturnType<typeof setInterval> | undefined;

  /** `lastId` and `heard`: how far a stream of another tab was that this one takes over; 0 where nothing is known. */
  constructor(
    private readonly listener: StreamListener,
    /** Added to the address. */
    private readonly access: () => string,
    private lastId = 0,
    heard: readonly string[] = [],
  ) {
    this.activeTopics = heard;
  }

  /** Opens the stream for these topics. The old one is closed once the new one is open. */
  setTopics(topics: readonly string[]): void {
    if (topics.join() === this.topics.join() && (this.current || this.opening || this.retryTimer)) return;
    this.topics = topics;
    this.open();
  }

  /** Ends the stream. Opened again, it continues where it was. */
  close(): void {
    clearTimeout(this.retryTimer);
    clearInterval(this.checkTimer);
    this.current?.close();
    this.opening?.close();
    this.current = this.opening = null;
    this.retryTimer = undefined;
    this.topics = [];
  }

  /** Opens the stream again if nothing came for too long. */
  reopenIfSilent(): void {
    if (this.topics.length === 0 || this.retryTimer || Date.now() - this.lastActivityAt < SILENCE_TIMEOUT_MS) return;
    this.current?.close();
    this.opening?.close();
    this.current = this.opening = null;
    this.setState("reconnecting");
    this.open();
  }

  private open(): void {
    this.opening?.close();
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    this.recordActivity();
    clearInterval(this.checkTimer);
    this.checkTimer = setInterval(() => this.reopenIfSilent(), SILENCE_CHECK_INTERVAL_MS);
    const { topics } = this;
    const after = this.lastId > 0 ? `&lastEventId=${this.lastId}` : "";
    const query = `topics=${encodeURIComponent(topics.join(","))}&heartbeat=event${after}${this.access()}`;
    const source = new EventSource(`/api/live?${query}`);
    this.opening = source;
    source.onopen = () => this.onStreamOpen(source, topics, after !== "");
    source.onerror = () => this.onStreamError(source);
    source.addEventListener("heartbeat", (event) => {
      this.recordActivity();
      this.lastId = Math.max(this.lastId, idOf(event) ?? 0);
    });
    for (const name of EVENT_NAMES) {
      source.addEventListener(name, (event) => {
        this.recordActivity();
        this.handle(name, event as MessageEvent<string>);
      });
    }
  }

  private onStreamOpen(stream: EventSource, topics: readonly string[], isResumed: boolean): void {
    if (this.opening !== stream) return;
    this.recordActivity();
    const isContinued = isResumed || this.current !== null;
    this.current?.close();
    this.current = stream;
    this.opening = null;
    const known = isContinued ? this.activeTopics : [];
    // Without an id to continue after, what happened while there was no stream is unknown.
    const isLost = !isContinued && this.activeTopics.length > 0;
    this.activeTopics = topics;
    this.failures = 0;
    this.setState("live");
    const fresh = topics.filter((topic) => !known.includes(topic));
    if (isLost) this.listener.onEvent({ id: "", name: "reset", data: null });
    else if (fresh.length > 0) this.listener.onOpen(fresh);
  }

  /** The browser would come back by itself after three seconds, as would all others. */
  private onStreamError(stream: EventSource): void {
    stream.close();
    if (stream !== this.current && stream !== this.opening) return;
    const wasOpen = stream === this.current;
    if (wasOpen) this.current = null;
    else this.opening = null;
    // The one that replaces it is on its way.
    if (wasOpen && this.opening) return;
    this.setState(this.state === "connecting" ? "connecting" : "reconnecting");
    const wait = wasOpen
      ? RECONNECT_MIN_MS + Math.random() * (RECONNECT_MAX_MS - RECONNECT_MIN_MS)
      : Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** this.failures) * (0.5 + Math.random() / 2);
    if (!wasOpen) this.failures += 1;
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => this.open(), wait);
  }

  private handle(name: ServerEventName, event: MessageEvent<string>): void {
    const id = idOf(event);
    // Two streams overlap for a moment when topics change; ids only grow.
    if (name === "reset") this.lastId = id ?? 0;
    else if (id !== null) {
      if (id <= this.lastId && !STATE_EVENTS.includes(name)) return;
      this.lastId = Math.max(this.lastId, id);
    }
    this.listener.onEvent({ id: event.lastEventId, name, data: parse(event.data) });
  }

  private recordActivity(): void {
    this.lastActivityAt = Date.now();
  }

  private setState(to: LiveStream["state"]): void {
    if (this.state === to) return;
    this.state = to;
    this.listener.onState();
  }
}

function idOf(event: Event): number | null {
  const { lastEventId } = event as MessageEvent;
  const id = Number(lastEventId);
  return lastEventId === "" || !Number.isFinite(id) ? null : id;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

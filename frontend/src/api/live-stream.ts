// One EventSource connection: its topics, the id it resumes after, and its silence timeout. `live.ts` decides which tab opens
// streams for which topics.

export type ServerEventName =
  | "activity"
  | "commit"
  | "counts"
  | "patch"
  | "player"
  | "guild"
  | "board"
  | "reset"
  /** Events of the log reader's own stream. */
  | "row"
  | "reader";

export interface StreamEvent {
  id: string;
  name: ServerEventName;
  data: unknown;
}

export interface StreamListener {
  onEvent: (event: StreamEvent) => void;
  /** The stream is open; `added` are the topics that it did not have before. */
  onOpen: (added: readonly string[]) => void;
  onState: () => void;
}

/**
 * Events with the current state of a topic. Every stream starts with them, so they are accepted even if their id is not new.
 */
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
/** The server sends a heartbeat every 15 s. After two missed heartbeats the connection counts as half-open. */
const SILENCE_TIMEOUT_MS = 35_000;
const SILENCE_CHECK_INTERVAL_MS = 5_000;
/**
 * A broken stream reconnects after a random time in this range, so that a restarted server does not get all streams together.
 */
const RECONNECT_MIN_MS = 1_000;
const RECONNECT_MAX_MS = 5_000;
const BACKOFF_MIN_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;

export class LiveStream {
  /** The requested topics. */
  topics: readonly string[] = [];
  /** The topics of the open connection. */
  activeTopics: readonly string[];
  state: "connecting" | "live" | "reconnecting" = "connecting";
  private current: EventSource | null = null;
  private opening: EventSource | null = null;
  private failures = 0;
  private lastActivityAt = 0;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private checkTimer: ReturnType<typeof setInterval> | undefined;

  /** `lastId` and `activeTopics` continue a stream of another tab; 0 and none if nothing is known. */
  constructor(
    private readonly listener: StreamListener,
    /** Returns additional query parameters. */
    private readonly access: () => string,
    private lastId = 0,
    activeTopics: readonly string[] = [],
  ) {
    this.activeTopics = activeTopics;
  }

  /** Opens the stream for these topics. The previous connection is closed when the new one has opened. */
  setTopics(topics: readonly string[]): void {
    if (topics.join() === this.topics.join() && (this.current || this.opening || this.retryTimer)) return;
    this.topics = topics;
    this.open();
  }

  /** Closes the stream. If it is opened again, it resumes after the last id. */
  close(): void {
    clearTimeout(this.retryTimer);
    clearInterval(this.checkTimer);
    this.current?.close();
    this.opening?.close();
    this.current = this.opening = null;
    this.retryTimer = undefined;
    this.topics = [];
  }

  /** Reconnects if nothing was received within `SILENCE_TIMEOUT_MS`. */
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
    // Without an id to resume after, the events in between are lost.
    const isLost = !isContinued && this.activeTopics.length > 0;
    this.activeTopics = topics;
    this.failures = 0;
    this.setState("live");
    const added = topics.filter((topic) => !known.includes(topic));
    if (isLost) this.listener.onEvent({ id: "", name: "reset", data: null });
    else if (added.length > 0) this.listener.onOpen(added);
  }

  /** Replaces the browser's own reconnect, which happens after three seconds for all clients alike. */
  private onStreamError(stream: EventSource): void {
    stream.close();
    if (stream !== this.current && stream !== this.opening) return;
    const wasOpen = stream === this.current;
    if (wasOpen) this.current = null;
    else this.opening = null;
    // Its replacement is already opening.
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
    // Two connections overlap when topics change; ids only increase.
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

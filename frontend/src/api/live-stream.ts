// One EventSource of the live stream: which topics it brings, where it continues after a loss, and whether it is alive.
// `live.ts` decides which tab holds streams and for which topics.

/** The server's events. */
export type ServerName =
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
  name: ServerName;
  data: unknown;
}

export interface StreamListener {
  onEvent: (event: StreamEvent) => void;
  /** The stream is open; these topics were not part of it before. */
  onOpen: (fresh: readonly string[]) => void;
  onState: () => void;
}

/** The current state of a topic: sent again to every stream that opens, so an id that is known does not make it old. */
const STATES: readonly ServerName[] = ["counts", "patch", "board", "reader"];
const NAMES: readonly ServerName[] = ["activity", "commit", "player", "guild", "reset", "row", ...STATES];
/** The server sends a heartbeat every 15 s. A stream that brings nothing for two of them is half open. */
const SILENCE_MS = 35_000;
const CHECK_MS = 5_000;
/** A stream that was open comes back within this time: a server that restarts gets its streams spread over it. */
const SPREAD_FROM_MS = 1_000;
const SPREAD_TO_MS = 5_000;
const BACK_OFF_FIRST_MS = 1_000;
const BACK_OFF_LAST_MS = 60_000;

export class LiveStream {
  /** What the stream was asked for. */
  topics: readonly string[] = [];
  /** What it brings since it was last opened. */
  heard: readonly string[];
  state: "connecting" | "live" | "reconnecting" = "connecting";
  private source: EventSource | null = null;
  private next: EventSource | null = null;
  private failures = 0;
  private aliveAt = 0;
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
    this.heard = heard;
  }

  /** Opens the stream for these topics. The old one is closed once the new one is open. */
  setTopics(topics: readonly string[]): void {
    if (topics.join() === this.topics.join() && (this.source || this.next || this.retryTimer)) return;
    this.topics = topics;
    this.open();
  }

  /** Ends the stream. Opened again, it continues where it was. */
  close(): void {
    clearTimeout(this.retryTimer);
    clearInterval(this.checkTimer);
    this.source?.close();
    this.next?.close();
    this.source = this.next = null;
    this.retryTimer = undefined;
    this.topics = [];
  }

  /** Opens the stream again if nothing came for too long. */
  check(): void {
    if (this.topics.length === 0 || this.retryTimer || Date.now() - this.aliveAt < SILENCE_MS) return;
    this.source?.close();
    this.next?.close();
    this.source = this.next = null;
    this.setState("reconnecting");
    this.open();
  }

  private open(): void {
    this.next?.close();
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    this.alive();
    clearInterval(this.checkTimer);
    this.checkTimer = setInterval(() => this.check(), CHECK_MS);
    const { topics } = this;
    const after = this.lastId > 0 ? `&lastEventId=${this.lastId}` : "";
    const query = `topics=${encodeURIComponent(topics.join(","))}&heartbeat=event${after}${this.access()}`;
    const opened = new EventSource(`/api/live?${query}`);
    this.next = opened;
    opened.onopen = () => this.opened(opened, topics, after !== "");
    opened.onerror = () => this.failed(opened);
    opened.addEventListener("heartbeat", (event) => {
      this.alive();
      this.lastId = Math.max(this.lastId, idOf(event) ?? 0);
    });
    for (const name of NAMES) {
      opened.addEventListener(name, (event) => {
        this.alive();
        this.take(name, event as MessageEvent<string>);
      });
    }
  }

  private opened(stream: EventSource, topics: readonly string[], isResumed: boolean): void {
    if (this.next !== stream) return;
    this.alive();
    const isContinued = isResumed || this.source !== null;
    this.source?.close();
    this.source = stream;
    this.next = null;
    const known = isContinued ? this.heard : [];
    // Without an id to continue after, what happened while there was no stream is unknown.
    const isLost = !isContinued && this.heard.length > 0;
    this.heard = topics;
    this.failures = 0;
    this.setState("live");
    const fresh = topics.filter((topic) => !known.includes(topic));
    if (isLost) this.listener.onEvent({ id: "", name: "reset", data: null });
    else if (fresh.length > 0) this.listener.onOpen(fresh);
  }

  /** The browser would come back by itself after three seconds, as would all others. */
  private failed(stream: EventSource): void {
    stream.close();
    if (stream !== this.source && stream !== this.next) return;
    const wasOpen = stream === this.source;
    if (wasOpen) this.source = null;
    else this.next = null;
    // The one that replaces it is on its way.
    if (wasOpen && this.next) return;
    this.setState(this.state === "connecting" ? "connecting" : "reconnecting");
    const wait = wasOpen
      ? SPREAD_FROM_MS + Math.random() * (SPREAD_TO_MS - SPREAD_FROM_MS)
      : Math.min(BACK_OFF_LAST_MS, BACK_OFF_FIRST_MS * 2 ** this.failures) * (0.5 + Math.random() / 2);
    if (!wasOpen) this.failures += 1;
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => this.open(), wait);
  }

  private take(name: ServerName, event: MessageEvent<string>): void {
    const id = idOf(event);
    // Two streams overlap for a moment when topics change; ids only grow.
    if (name === "reset") this.lastId = id ?? 0;
    else if (id !== null) {
      if (id <= this.lastId && !STATES.includes(name)) return;
      this.lastId = Math.max(this.lastId, id);
    }
    this.listener.onEvent({ id: event.lastEventId, name, data: parse(event.data) });
  }

  private alive(): void {
    this.aliveAt = Date.now();
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

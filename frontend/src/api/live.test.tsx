import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LiveEvent } from "./live";

/** An EventSource that the test opens, feeds and breaks. */
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static all: Stream[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly topics: string | null;
  readonly after: string | null;
  readonly heartbeat: string | null;
  constructor(url: string) {
    super();
    const { searchParams } = new URL(url, "http://site.test");
    this.topics = searchParams.get("topics");
    this.after = searchParams.get("lastEventId");
    this.heartbeat = searchParams.get("heartbeat");
    Stream.all.push(this);
  }
  close() {
    this.readyState = Stream.CLOSED;
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  send(name: string, id: number, data: unknown) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data), lastEventId: String(id) }));
  }
  /** Opens as the server does: with an event that carries an id. */
  begin(id: number) {
    this.open();
    this.send("heartbeat", id, {});
  }
  refuse() {
    this.readyState = Stream.CLOSED;
    this.onerror?.();
  }
  static get last(): Stream {
    const one = Stream.all.at(-1);
    if (!one) throw new Error("no stream was opened");
    return one;
  }
}

/** Web Locks and BroadcastChannel of one browser with several tabs. */
let queue: (() => unknown)[] = [];
let channels: Channel[] = [];
class Channel {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  constructor() {
    channels.push(this);
  }
  close() {
    channels = channels.filter((other) => other !== this);
  }
  postMessage(data: unknown) {
    for (const other of channels) if (other !== this) other.onmessage?.({ data: structuredClone(data) });
  }
}

async function newTab(): Promise<typeof import("./live")> {
  vi.resetModules();
  return import("./live");
}

/** Tabs of earlier tests must not receive page events. */
let tabs: AbortController;
const listen = window.addEventListener.bind(window);

beforeEach(() => {
  tabs = new AbortController();
  vi.spyOn(window, "addEventListener").mockImplementation((name: string, listener: unknown) =>
    listen(name, listener as EventListener, { signal: tabs.signal }),
  );
  vi.useFakeTimers({
    toFake: [
      "setTimeout",
      "clearTimeout",
      "setInterval",
      "clearInterval",
      "Date",
      "requestAnimationFrame",
      "cancelAnimationFrame",
    ],
  });
  Stream.all = [];
  queue = [];
  channels = [];
  vi.stubGlobal("EventSource", Stream);
  vi.stubGlobal("BroadcastChannel", Channel);
  Object.defineProperty(navigator, "locks", {
    configurable: true,
    value: {
      request: (_: string, { signal }: { signal: AbortSignal }, callback: () => unknown) => {
        const lead = () =>
          void Promise.resolve(callback()).then(() => {
            queue.splice(queue.indexOf(lead), 1);
            queue[0]?.();
          });
        queue.push(lead);
        if (queue.length === 1) lead();
        signal.addEventListener("abort", () => queue.indexOf(lead) > 0 && queue.splice(queue.indexOf(lead), 1));
        return new Promise(() => {});
      },
    },
  });
});
afterEach(() => {
  tabs.abort();
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settle = () => vi.advanceTimersByTime(60);

test("topics of several callers share a stream, and leaving removes only one's own", async () => {
  const { subscribe } = await newTab();
  const stop = subscribe(["counts", "patch"], () => {});
  subscribe(["counts"], () => {});
  settle();
  expect(Stream.all.map((one) => one.topics)).toEqual(["counts,patch"]);
  Stream.last.open();
  stop();
  settle();
  const [first, second] = Stream.all;
  expect(second?.topics).toBe("counts");
  // The old connection delivers until the new one is open.
  expect(first?.readyState).toBe(1);
  second?.open();
  expect(first?.readyState).toBe(Stream.CLOSED);
});

test("events within a frame are delivered together, each once", async () => {
  const { subscribe } = await newTab();
  const received: LiveEvent[][] = [];
  subscribe(["activity"], (events) => received.push(events));
  settle();
  Stream.last.open();
  vi.advanceTimersToNextFrame();
  received.length = 0;
  Stream.last.send("activity", 7, { id: "1" });
  Stream.last.send("activity", 8, { id: "2" });
  Stream.last.send("activity", 8, { id: "2" });
  expect(received).toEqual([]);
  vi.advanceTimersToNextFrame();
  expect(received.map((events) => events.map((event) => event.id))).toEqual([["7", "8"]]);
});

test("newly received topics are reported when their stream has opened", async () => {
  const { subscribe } = await newTab();
  const opened: unknown[] = [];
  const note = (events: LiveEvent[]) =>
    opened.push(...events.filter((event) => event.name === "opened").map((event) => event.data));
  subscribe(["activity"], note);
  settle();
  Stream.last.open();
  vi.advanceTimersToNextFrame();
  subscribe(["player:vexa"], () => {});
  settle();
  Stream.last.open();
  vi.advanceTimersToNextFrame();
  expect(opened).toEqual([["activity"], ["player:vexa"]]);
});

test("a rejected stream is reopened and everything is refetched", async () => {
  const { subscribe, liveState } = await newTab();
  const names: string[] = [];
  subscribe(["counts"], (events) => names.push(...events.map((event) => event.name)));
  settle();
  Stream.last.open();
  vi.advanceTimersToNextFrame();
  names.length = 0;
  Stream.last.refuse();
  expect(liveState()).toBe("reconnecting");
  vi.advanceTimersByTime(5_000);
  expect(Stream.all).toHaveLength(2);
  Stream.last.open();
  vi.advanceTimersToNextFrame();
  expect(liveState()).toBe("live");
  expect(names).toEqual(["reset"]);
});

test("two tabs share one stream, and the second leads after the first has closed", async () => {
  const one = await newTab();
  const two = await newTab();
  const receivedByTwo: string[] = [];
  one.subscribe(["counts"], () => {});
  two.subscribe(["activity"], (events) => receivedByTwo.push(...events.map((event) => event.name)));
  settle();
  settle();
  expect(Stream.all.filter((stream) => stream.readyState !== Stream.CLOSED)).toHaveLength(1);
  expect(Stream.last.topics).toBe("activity,counts");
  Stream.last.open();
  Stream.last.send("activity", 9, { id: "9" });
  vi.advanceTimersToNextFrame();
  expect(receivedByTwo).toEqual(["opened", "activity"]);
  expect(two.liveState()).toBe("live");
  // The first tab closes: its lock goes to the next tab in the queue.
  const before = Stream.all.length;
  channels.shift();
  queue[1]?.();
  settle();
  expect(Stream.last.topics).toContain("activity");
  expect(Stream.all).toHaveLength(before + 1);
});

test("state events are accepted although their id is not new", async () => {
  const { subscribe } = await newTab();
  const received: unknown[] = [];
  subscribe(["counts"], (events) =>
    received.push(...events.filter((one) => one.name === "counts").map((one) => one.data)),
  );
  settle();
  Stream.last.open();
  // The browser reports the last event id of the connection.
  Stream.last.send("activity", 8, { id: "8" });
  Stream.last.send("counts", 8, { players: 1 });
  Stream.last.send("counts", 8, { players: 2 });
  vi.advanceTimersToNextFrame();
  expect(received).toEqual([{ players: 1 }, { players: 2 }]);
});

test("a reopened stream resumes after the last event without refetching", async () => {
  const { subscribe } = await newTab();
  const names: string[] = [];
  subscribe(["activity"], (events) => names.push(...events.map((event) => event.name)));
  settle();
  Stream.last.open();
  Stream.last.send("activity", 41, { id: "41" });
  vi.advanceTimersToNextFrame();
  names.length = 0;
  Stream.last.refuse();
  vi.advanceTimersByTime(5_000);
  expect(Stream.last.after).toBe("41");
  Stream.last.open();
  Stream.last.send("activity", 42, { id: "42" });
  vi.advanceTimersToNextFrame();
  expect(names).toEqual(["activity"]);
});

test("a new leading tab resumes after the last id of the previous one", async () => {
  const one = await newTab();
  const two = await newTab();
  one.subscribe(["activity"], () => {});
  two.subscribe(["activity"], () => {});
  settle();
  settle();
  Stream.last.open();
  Stream.last.send("activity", 9, { id: "9" });
  channels.shift();
  queue[1]?.();
  settle();
  expect(Stream.last.after).toBe("9");
});

test("each failure increases the delay, up to a minute", async () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const { subscribe } = await newTab();
  subscribe(["counts"], () => {});
  settle();
  const delays: number[] = [];
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const before = Stream.all.length;
    Stream.last.refuse();
    let delay = 0;
    while (Stream.all.length === before) {
      vi.advanceTimersByTime(500);
      delay += 0.5;
    }
    delays.push(delay);
  }
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

test("broken streams reconnect at random times within seconds", async () => {
  const delays = new Set<number>();
  for (const chance of [0, 0.25, 0.5, 0.99]) {
    vi.spyOn(Math, "random").mockReturnValue(chance);
    queue = [];
    const { subscribe } = await newTab();
    subscribe(["counts"], () => {});
    settle();
    Stream.last.begin(7);
    const [broken, count] = [Stream.last, Stream.all.length];
    // The browser would reconnect after the same time as all others.
    broken.readyState = 0;
    broken.onerror?.();
    expect(broken.readyState).toBe(Stream.CLOSED);
    let delay = 0;
    while (Stream.all.length === count) {
      vi.advanceTimersByTime(100);
      delay += 100;
    }
    delays.add(delay);
    expect(Stream.last.after).toBe("7");
  }
  expect([...delays]).toEqual([1_000, 2_000, 3_000, 5_000]);
});

test("a stream without two heartbeats is reopened after its last id", async () => {
  const { subscribe, liveState } = await newTab();
  subscribe(["activity"], () => {});
  settle();
  expect(Stream.last.heartbeat).toBe("event");
  Stream.last.begin(40);
  for (let beat = 0; beat < 10; beat += 1) {
    vi.advanceTimersByTime(15_000);
    Stream.last.send("heartbeat", 41 + beat, {});
  }
  expect(Stream.all).toHaveLength(1);
  vi.advanceTimersByTime(30_000);
  expect(Stream.all).toHaveLength(1);
  vi.advanceTimersByTime(15_000);
  const [silent, again] = Stream.all;
  expect([silent?.readyState, again?.after, liveState()]).toEqual([Stream.CLOSED, "50", "reconnecting"]);
  again?.begin(50);
  expect(liveState()).toBe("live");
});

test("more topics than a stream accepts use several streams", async () => {
  const { subscribe, liveState } = await newTab();
  const received: unknown[] = [];
  const topics = Array.from({ length: 30 }, (_, index) => `player:pilot-${index}`);
  const stop = subscribe(topics, () => {});
  subscribe(["activity"], (events) => received.push(...events.map((event) => event.data)));
  settle();
  expect(Stream.all).toHaveLength(2);
  const requested = Stream.all.flatMap((stream) => stream.topics?.split(",") ?? []);
  expect(requested.sort()).toEqual(["activity", ...topics].sort());
  expect(Stream.all.every((stream) => (stream.topics?.split(",").length ?? 0) <= 20)).toBe(true);
  const [one, two] = Stream.all;
  one?.begin(1);
  expect(liveState()).toBe("connecting");
  two?.begin(1);
  expect(liveState()).toBe("live");
  // Ids of different streams are unrelated.
  one?.send("player", 900, { handle: "a" });
  two?.send("player", 800, { handle: "b" });
  vi.advanceTimersToNextFrame();
  expect(received).toContainEqual({ handle: "a" });
  expect(received).toContainEqual({ handle: "b" });
  stop();
  settle();
  Stream.last.begin(900);
  expect(Stream.all.filter((stream) => stream.readyState !== Stream.CLOSED).map((stream) => stream.topics)).toEqual([
    "activity",
  ]);
});

/** Moves the page into or out of the back/forward cache. */
const dispatchPageEvent = (name: "pagehide" | "pageshow") =>
  window.dispatchEvent(Object.assign(new Event(name), { persisted: true }));

test("a page restored from the back/forward cache reopens its stream", async () => {
  const { subscribe, liveState } = await newTab();
  subscribe(["activity"], () => {});
  settle();
  Stream.last.begin(70);
  dispatchPageEvent("pagehide");
  expect(Stream.last.readyState).toBe(Stream.CLOSED);
  // Nothing is opened while the page is hidden.
  vi.advanceTimersByTime(120_000);
  expect(Stream.all).toHaveLength(1);
  dispatchPageEvent("pageshow");
  await vi.advanceTimersByTimeAsync(60);
  settle();
  expect(Stream.all).toHaveLength(2);
  expect([Stream.last.topics, Stream.last.after]).toEqual(["activity", "70"]);
  Stream.last.begin(70);
  expect(liveState()).toBe("live");
});

test("a hidden page passes the lead on, and refetches when it is shown", async () => {
  const one = await newTab();
  const inOne: unknown[] = [];
  one.subscribe(["activity"], (events) => inOne.push(...events.map(({ name, data }) => [name, data])));
  // In a browser a page hides alone; both tabs of this test share a window.
  vi.mocked(window.addEventListener).mockImplementation(() => {});
  const two = await newTab();
  two.subscribe(["activity"], () => {});
  settle();
  settle();
  Stream.last.begin(5);
  dispatchPageEvent("pagehide");
  await vi.advanceTimersByTimeAsync(60);
  settle();
  expect(Stream.all.filter((stream) => stream.readyState !== Stream.CLOSED)).toHaveLength(1);
  Stream.last.begin(5);
  expect(two.liveState()).toBe("live");
  vi.advanceTimersToNextFrame();
  inOne.length = 0;
  dispatchPageEvent("pageshow");
  await vi.advanceTimersByTimeAsync(120);
  vi.advanceTimersToNextFrame();
  expect(inOne).toEqual([["joined", ["activity"]]]);
});

test("a tab that joins topics of another tab gets a joined event", async () => {
  const one = await newTab();
  const two = await newTab();
  const receivedByTwo: unknown[] = [];
  one.subscribe(["board:players:overall"], () => {});
  settle();
  Stream.last.begin(5);
  two.subscribe(["board:players:overall", "counts"], (events) =>
    receivedByTwo.push(...events.map(({ name, data }) => [name, data])),
  );
  settle();
  settle();
  Stream.last.begin(5);
  vi.advanceTimersToNextFrame();
  expect(receivedByTwo).toEqual([
    ["joined", ["board:players:overall"]],
    ["opened", ["counts"]],
  ]);
});

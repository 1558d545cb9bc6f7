import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LiveEvent } from "./live";

/** A stream that the test opens, feeds and breaks by hand. */
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static all: Stream[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly topics: string | null;
  constructor(url: string) {
    super();
    this.topics = new URL(url, "http://site.test").searchParams.get("topics");
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

/** Locks and channels of one browser with several tabs, in one place. */
let queue: (() => unknown)[] = [];
let channels: Channel[] = [];
class Channel {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  constructor() {
    channels.push(this);
  }
  postMessage(data: unknown) {
    for (const other of channels) if (other !== this) other.onmessage?.({ data: structuredClone(data) });
  }
}

async function newTab(): Promise<typeof import("./live")> {
  vi.resetModules();
  return import("./live");
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"] });
  Stream.all = [];
  queue = [];
  channels = [];
  vi.stubGlobal("EventSource", Stream);
  vi.stubGlobal("BroadcastChannel", Channel);
  Object.defineProperty(navigator, "locks", {
    configurable: true,
    value: {
      request: (_: string, callback: () => unknown) => {
        queue.push(callback);
        if (queue.length === 1) callback();
        return new Promise(() => {});
      },
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settle = () => vi.advanceTimersByTime(60);

test("topics of several callers are one stream, and one that leaves takes its own along", async () => {
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
  // The old one is heard until the new one is open.
  expect(first?.readyState).toBe(1);
  second?.open();
  expect(first?.readyState).toBe(Stream.CLOSED);
});

test("what comes within a frame is handed on together, each event once", async () => {
  const { subscribe } = await newTab();
  const got: LiveEvent[][] = [];
  subscribe(["counts"], (events) => got.push(events));
  settle();
  Stream.last.open();
  vi.advanceTimersToNextFrame();
  got.length = 0;
  Stream.last.send("counts", 7, { players: 1 });
  Stream.last.send("counts", 8, { players: 2 });
  Stream.last.send("counts", 8, { players: 2 });
  expect(got).toEqual([]);
  vi.advanceTimersToNextFrame();
  expect(got.map((events) => events.map((event) => event.id))).toEqual([["7", "8"]]);
});

test("topics that were not heard before are named once their stream is open", async () => {
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

test("a stream that the server refuses is asked for again, and everybody reads anew", async () => {
  const { subscribe, liveState } = await newTab();
  const names: string[] = [];
  subscribe(["counts"], (events) => names.push(...events.map((event) => event.name)));
  settle();
  Stream.last.open();
  vi.advanceTimersToNextFrame();
  names.length = 0;
  Stream.last.refuse();
  expect(liveState()).toBe("reconnecting");
  vi.advanceTimersByTime(1_000);
  expect(Stream.all).toHaveLength(2);
  Stream.last.open();
  vi.advanceTimersToNextFrame();
  expect(liveState()).toBe("live");
  expect(names).toEqual(["reset"]);
});

test("two tabs share one stream, and the second leads when the first is gone", async () => {
  const one = await newTab();
  const two = await newTab();
  const inTwo: string[] = [];
  one.subscribe(["counts"], () => {});
  two.subscribe(["activity"], (events) => inTwo.push(...events.map((event) => event.name)));
  settle();
  settle();
  expect(Stream.all.filter((stream) => stream.readyState !== Stream.CLOSED)).toHaveLength(1);
  expect(Stream.last.topics).toBe("activity,counts");
  Stream.last.open();
  Stream.last.send("activity", 9, { id: "9" });
  vi.advanceTimersToNextFrame();
  expect(inTwo).toEqual(["opened", "activity"]);
  expect(two.liveState()).toBe("live");
  // The first tab closes: its lock goes to the next in line.
  const before = Stream.all.length;
  channels.shift();
  queue[1]?.();
  settle();
  expect(Stream.last.topics).toContain("activity");
  expect(Stream.all).toHaveLength(before + 1);
});

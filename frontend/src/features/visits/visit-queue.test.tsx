import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../../api/errors";
import type { VisitEvent } from "../../api/visits";
import { isTrackingAllowed, newVisitQueue, visitEvent } from "./visit-queue";

const event = (at: number): VisitEvent => ({ pageTitle: String(at), customData: {} });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("events are sent in batches of ten, one request at a time, a second apart", async () => {
  const sent: number[] = [];
  let inFlight = 0;
  const queue = newVisitQueue(async (events) => {
    inFlight += 1;
    expect(inFlight).toBe(1);
    sent.push(events.length);
    await new Promise((done) => setTimeout(done, 50));
    inFlight -= 1;
  });
  for (let at = 0; at < 25; at += 1) queue.add(event(at));
  await vi.advanceTimersByTimeAsync(60);
  expect(sent).toEqual([1]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual([1, 10, 10, 4]);
});

test("failed events are sent again after one and two seconds, in order", async () => {
  const sent: string[] = [];
  let fails = 2;
  const queue = newVisitQueue(async (events) => {
    if (fails-- > 0) throw new ApiError(0, "NETWORK", "offline");
    sent.push(...events.map((one) => one.pageTitle));
  });
  queue.add(event(1));
  await vi.advanceTimersByTimeAsync(10);
  queue.add(event(2));
  await vi.advanceTimersByTimeAsync(990);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sent).toEqual(["1", "2"]);
});

test.each([
  ["blocked", new ApiError(0, "NETWORK", "blocked")],
  ["rejected", new ApiError(403, "FORBIDDEN", "no")],
])("a queue whose requests are %s stops, also while pages are visited", async (_, error) => {
  const send = vi.fn().mockRejectedValue(error);
  const queue = newVisitQueue(send);
  for (let second = 0; second < 600; second += 1) {
    queue.add(event(second));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(send.mock.calls.length).toBeGreaterThan(1);
  expect(send.mock.calls.length).toBeLessThanOrEqual(12);
});

test("a rejected batch is not sent forever", async () => {
  const send = vi.fn().mockRejectedValue(new ApiError(400, "VALIDATION", "no"));
  newVisitQueue(send).add(event(1));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(send).toHaveBeenCalledTimes(1);
});

test.each([
  ["the opt-out", () => localStorage.setItem("analytics_disabled", "true")],
  ["Do-Not-Track", () => vi.stubGlobal("navigator", { ...navigator, doNotTrack: "1" })],
  ["Global Privacy Control", () => vi.stubGlobal("navigator", { ...navigator, globalPrivacyControl: true })],
])("%s is respected", async (_, optOut) => {
  expect(isTrackingAllowed()).toBe(true);
  optOut();
  expect(isTrackingAllowed()).toBe(false);
});

test("an event names the path and never the query", () => {
  window.history.replaceState(null, "", "/link?code=secret");
  const { customData } = visitEvent("page_view");
  expect(customData.pagePath).toBe("/link");
  expect(JSON.stringify(customData)).not.toContain("secret");
  expect(Object.keys(customData)).toEqual(
    expect.arrayContaining(["pageTitle", "pageUrl", "screenResolution", "timezone", "language", "timestamp"]),
  );
});

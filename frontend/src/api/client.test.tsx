import { waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { handleRequests } from "../test/server";
import { call, callText, onSessionExpired, readToken, storeToken } from "./client";

type MockResponse = { status?: number; body?: unknown; text?: string; headers?: Record<string, string> };

/** Mocks the responses of calls, in order. Returns the calls. */
function respondWith(...list: MockResponse[]) {
  const calls: { path: string; headers: Record<string, string> }[] = [];
  handleRequests(async (request, { pathname, search }) => {
    calls.push({ path: pathname + search, headers: Object.fromEntries(request.headers) });
    const next = list.shift();
    if (!next) return null;
    return new Response(next.text ?? JSON.stringify(next.body ?? { success: true }), {
      status: next.status ?? 200,
      headers: next.headers,
    });
  });
  return calls;
}

const expired = { status: 401, body: { success: false, error: "Your session is over.", code: "TOKEN_EXPIRED" } };

test("the bearer token and the handle are sent, empty parameters are not", async () => {
  localStorage.setItem("jwt", "old");
  localStorage.setItem("linkUser", JSON.stringify({ handle: "Kestrel" }));
  const calls = respondWith({});
  await call("/api/x", { query: { a: 1, b: null, c: undefined } });
  expect(calls[0]).toMatchObject({
    path: "/api/x?a=1",
    headers: { authorization: "Bearer old", "x-user-handle": "Kestrel" },
  });
});

test("calls that expire together share one refresh and are repeated", async () => {
  localStorage.setItem("jwt", "one");
  const calls = respondWith(expired, expired, { body: { success: true, token: "two" } }, {}, {});
  await Promise.all([call("/api/a"), call("/api/b")]);
  expect(calls.filter((c) => c.path === "/api/auth/refresh")).toHaveLength(1);
  expect(calls.slice(-2).map((c) => c.headers.authorization)).toEqual(["Bearer two", "Bearer two"]);
  expect(readToken()).toBe("two");
});

test("a rejected refresh ends the session and shows a message", async () => {
  localStorage.setItem("jwt", "one");
  localStorage.setItem("linkUser", "{}");
  const listener = vi.fn();
  const stop = onSessionExpired(listener);
  respondWith(expired, { status: 401, body: { success: false, error: "no", code: "UNAUTHORIZED" } });
  await expect(call("/api/a")).rejects.toMatchObject({ status: 401, code: "TOKEN_EXPIRED" });
  stop();
  expect(listener).toHaveBeenCalledWith("Your session is over.");
  expect(readToken()).toBeNull();
  expect(localStorage.getItem("linkUser")).toBeNull();
});

test("a refresh without a response keeps the session", async () => {
  localStorage.setItem("jwt", "one");
  respondWith(expired);
  await expect(call("/api/a")).rejects.toMatchObject({ status: 0 });
  expect(readToken()).toBe("one");
});

/** A token with the part that the page reads. */
const tokenOf = (sid: string, n: number) => `h.${btoa(JSON.stringify({ sid, n }))}.s`;

test("a token that another tab has refreshed meanwhile is used, and not refreshed again", async () => {
  localStorage.setItem("jwt", tokenOf("s", 1));
  const calls = respondWith(expired, {});
  const sent = call("/api/a");
  localStorage.setItem("jwt", tokenOf("s", 2));
  await sent;
  expect(calls.map((c) => c.path)).toEqual(["/api/a", "/api/a"]);
  expect(calls[1]?.headers.authorization).toBe(`Bearer ${tokenOf("s", 2)}`);
});

test("two tabs refresh in turn, and the second uses the first one's token", async () => {
  let last = Promise.resolve();
  const request = vi.fn((_name: string, _options: object, act: () => Promise<unknown>) => {
    const mine = last.then(act);
    last = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  });
  vi.stubGlobal("navigator", { ...navigator, locks: { request } });
  localStorage.setItem("jwt", tokenOf("s", 1));
  const calls = respondWith(expired, { body: { success: true, token: tokenOf("s", 3) } }, {});
  // The other tab holds the lock first, until this one waits for it.
  let storeTheirs = () => {};
  const theirs = new Promise<void>((done) => {
    storeTheirs = () => {
      localStorage.setItem("jwt", tokenOf("s", 2));
      done();
    };
  });
  void navigator.locks.request("apogee-token-refresh", {}, () => theirs);
  const sent = call("/api/a").catch(() => undefined);
  await waitFor(() => expect(request).toHaveBeenCalledTimes(2));
  storeTheirs();
  await sent;
  expect(calls.map((c) => c.path)).toEqual(["/api/a", "/api/a"]);
  expect(readToken()).toBe(tokenOf("s", 2));
});

test("no write of a new token leaves the storage without one, since another tab may read between two writes", () => {
  localStorage.setItem("jwt", "one");
  const read: (string | null)[] = [];
  for (const method of ["setItem", "removeItem"] as const) {
    const write = Storage.prototype[method] as (...values: string[]) => void;
    vi.spyOn(Storage.prototype, method).mockImplementation(function (this: Storage, ...values: string[]) {
      write.apply(this, values);
      read.push(readToken());
    });
  }
  storeToken("two");
  vi.restoreAllMocks();
  expect(new Set(read)).toEqual(new Set(["two"]));
  storeToken(null);
  expect(readToken()).toBeNull();
});

test("a call of one account is never repeated as another or after signing out", async () => {
  for (const next of [tokenOf("other", 1), null]) {
    localStorage.setItem("jwt", tokenOf("s", 1));
    const calls = respondWith(expired, {});
    const sent = call("/api/a", { method: "POST" });
    localStorage.removeItem("jwt");
    if (next) localStorage.setItem("jwt", next);
    await expect(sent).rejects.toMatchObject({ status: 401, code: "UNAUTHORIZED" });
    expect(calls).toHaveLength(1);
    expect(readToken()).toBe(next);
  }
});

test("a session ended elsewhere ends here, too; other errors do not end it", async () => {
  const refused = { status: 401, body: { success: false, error: "This session has ended.", code: "UNAUTHORIZED" } };
  localStorage.setItem("jwt", tokenOf("s", 1));
  const listener = vi.fn();
  const stop = onSessionExpired(listener);
  respondWith(refused, refused, { status: 403, body: { success: false, error: "No.", code: "FORBIDDEN" } });
  await expect(call("/api/auth/discord/callback", { auth: false })).rejects.toMatchObject({ status: 401 });
  expect(listener).not.toHaveBeenCalled();
  // The error code of an ended session, which has its own notification.
  await expect(call("/api/keys")).rejects.toMatchObject({ code: "TOKEN_EXPIRED", message: "This session has ended." });
  expect(listener).toHaveBeenCalledExactlyOnceWith("This session has ended.");
  expect(readToken()).toBeNull();
  localStorage.setItem("jwt", tokenOf("s", 2));
  await expect(call("/api/keys")).rejects.toMatchObject({ status: 403 });
  stop();
  expect(listener).toHaveBeenCalledOnce();
});

test("a token that arrives after signing out is not stored", async () => {
  localStorage.setItem("jwt", tokenOf("s", 1));
  handleRequests(async (_, { pathname }) => {
    if (pathname !== "/api/auth/refresh") return new Response(JSON.stringify(expired.body), { status: 401 });
    localStorage.removeItem("jwt");
    return new Response(JSON.stringify({ success: true, token: tokenOf("s", 2) }));
  });
  await expect(call("/api/a")).rejects.toMatchObject({ status: 401 });
  expect(readToken()).toBeNull();
});

test("a rejected refresh of an old token does not affect a later sign-in", async () => {
  localStorage.setItem("jwt", tokenOf("s", 1));
  const listener = vi.fn();
  const stop = onSessionExpired(listener);
  handleRequests(async (_, { pathname }) => {
    if (pathname !== "/api/auth/refresh") return new Response(JSON.stringify(expired.body), { status: 401 });
    localStorage.setItem("jwt", tokenOf("new", 1));
    return new Response(JSON.stringify({ success: false, error: "no", code: "UNAUTHORIZED" }), { status: 401 });
  });
  await expect(call("/api/a")).rejects.toMatchObject({ status: 401 });
  stop();
  expect(listener).not.toHaveBeenCalled();
  expect(readToken()).toBe(tokenOf("new", 1));
});

test("an error has status, code, message, retry time and request id", async () => {
  respondWith({
    status: 429,
    body: { success: false, error: "Slow down.", code: "RATE_LIMIT_EXCEEDED" },
    headers: { "retry-after": "7", "x-request-id": "r1" },
  });
  await expect(call("/api/a")).rejects.toMatchObject({
    status: 429,
    message: "Slow down.",
    retryAfter: 7,
    requestId: "r1",
  });
});

test("a response that is not a JSON object is an error with its own message", async () => {
  respondWith({ text: "<html>" }, { text: "3" }, { status: 502, text: "bad" });
  await expect(call("/api/a")).rejects.toThrow("Invalid response format from server");
  await expect(call("/api/a")).rejects.toThrow("Invalid response from server");
  await expect(call("/api/a")).rejects.toThrow("API call failed: 502");
});

/** A server that accepts a call and never completes the response; with `head` it sends the headers. */
function mockHangingServer(head: boolean) {
  handleRequests(async ({ signal }) => {
    const never = new ReadableStream({
      start: (body) => signal.addEventListener("abort", () => body.error(signal.reason)),
    });
    return head ? new Response(never) : new Promise<never>(() => {});
  });
}

test.each([
  ["never begins", false],
  ["stops in the middle", true],
])("a response that %s fails the call after its timeout", async (_, head) => {
  mockHangingServer(head);
  await expect(call("/api/a", { timeoutMs: 20 })).rejects.toMatchObject({ status: 0, code: "TIMEOUT" });
  await expect(callText("/help_en.md", { timeoutMs: 20 })).rejects.toMatchObject({ status: 0, code: "TIMEOUT" });
});

test("every call has a timeout, and an aborted call is not a server failure", async () => {
  const limits: number[] = [];
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    limits.push(ms);
    return new AbortController().signal;
  });
  respondWith({}, {}, { text: "x" });
  await call("/api/a");
  await call("/api/upload/x", { method: "POST", body: new FormData() });
  await callText("/help_en.md");
  expect(limits).toEqual([30_000, 180_000, 30_000]);
  timeout.mockRestore();
  mockHangingServer(false);
  const controller = new AbortController();
  const aborted = call("/api/a", { signal: controller.signal });
  controller.abort();
  await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
});

test("a failure without a message leaves the text to the page", async () => {
  respondWith({ text: '{"success":false}' });
  await expect(call("/api/a")).rejects.toMatchObject({ status: 200, message: "" });
});

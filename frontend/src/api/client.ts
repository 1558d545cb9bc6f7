// The HTTP client of the site, used by all files of this folder. It handles tokens, response envelopes and errors, and knows
// nothing about particular resources or the interface.
import { localStore } from "../lib/browser-storage";
import { ApiError, serverSentence } from "./errors";

const TOKEN_KEY = "jwt";
const USER_KEY = "linkUser";
const EXPIRED_FALLBACK = "Your session has expired. Please log in again.";

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface CallOptions {
  method?: "GET" | "POST" | "DELETE" | "HEAD";
  query?: Query;
  /** Sent as JSON, except for `FormData` and `Blob`. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Sends the bearer token. Default true; guild suggestions are requested without it. */
  auth?: boolean;
  signal?: AbortSignal;
  /** Time limit for the whole response. Default `CALL_TIMEOUT_MS`; `UPLOAD_TIMEOUT_MS` for files. */
  timeoutMs?: number;
}

const CALL_TIMEOUT_MS = 30_000;
/** 15 MB take two minutes at 1 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 180_000;

/** Receives the server's message, if there is one. */
type SessionExpiredListener = (message: string) => void;
const expiredListeners = new Set<SessionExpiredListener>();

/** Calls `listener` when a session has ended and cannot be refreshed. Returns the function that unsubscribes. */
export function onSessionExpired(listener: SessionExpiredListener): () => void {
  expiredListeners.add(listener);
  return () => expiredListeners.delete(listener);
}

/** `isReached` is false when a call got no HTTP response. */
type ReachabilityListener = (isReached: boolean) => void;
const reachabilityListeners = new Set<ReachabilityListener>();

/** Calls `listener` after each call. Returns the function that unsubscribes. */
export function onReachability(listener: ReachabilityListener): () => void {
  reachabilityListeners.add(listener);
  return () => reachabilityListeners.delete(listener);
}

export const readToken = (): string | null => localStore.getItem(TOKEN_KEY) || null;

/** Stores a token; null removes it. */
export function storeToken(token: string | null): void {
  // One write replaces the token, so that no other tab reads a state between two tokens that looks signed out.
  if (token) localStore.setItem(TOKEN_KEY, token);
  else localStore.removeItem(TOKEN_KEY);
}

/** The stored user's handle, for the `x-user-handle` header. The server ignores the header. */
function storedHandle(): string | null {
  try {
    const user: unknown = JSON.parse(localStore.getItem(USER_KEY) ?? "null");
    const handle = user && typeof user === "object" && "handle" in user ? user.handle : null;
    return typeof handle === "string" && handle !== "" ? handle : null;
  } catch {
    return null;
  }
}

/**
 * Sends one request. Returns the response object if it reports success; throws an `ApiError` otherwise, except when the caller
 * aborts.
 */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const token = options.auth === false ? null : readToken();
  try {
    return await attempt<T>(path, options, token);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    // The session was ended on the server, for example from another browser: a refresh cannot restore it.
    if (error.code === "UNAUTHORIZED" && sessionIdOf(token) && readToken() === token) {
      endExpiredSession(serverSentence(error));
      throw new ApiError(401, "TOKEN_EXPIRED", error.message, null, error.requestId, error.body);
    }
    if (error.code !== "TOKEN_EXPIRED") throw error;
    const newToken = await refreshToken(token, serverSentence(error));
    return attempt<T>(path, options, newToken);
  }
}

async function attempt<T>(path: string, options: CallOptions, token: string | null): Promise<T> {
  const response = await send(path, options, token);
  const requestId = response.headers.get("x-request-id");
  const fail = (code: string, message: string) =>
    new ApiError(response.status, code, message, retryAfter(response), requestId, body);
  let body: unknown = null;
  try {
    body = JSON.parse(await bodyText(response));
  } catch (error) {
    if (isAbort(error) || error instanceof ApiError) throw error;
    throw fail(
      response.ok ? "INVALID_RESPONSE" : defaultCode(response.status),
      response.ok ? "Invalid response format from server" : apiCallFailed(response),
    );
  }
  if (body === null || typeof body !== "object") throw fail("INVALID_RESPONSE", "Invalid response from server");
  const envelope = body as { success?: unknown; error?: unknown; message?: unknown; code?: unknown };
  if (!response.ok || envelope.success === false) {
    const message = [envelope.error, envelope.message].find((text) => typeof text === "string" && text !== "");
    throw fail(
      typeof envelope.code === "string" ? envelope.code : defaultCode(response.status),
      // A 2xx response may report a failure without a message; the page then shows its own.
      typeof message === "string" ? message : response.ok ? "" : apiCallFailed(response),
    );
  }
  return body as T;
}

async function send(path: string, options: CallOptions, token: string | null): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json", ...options.headers };
  if (token) headers.authorization = `Bearer ${token}`;
  const handle = storedHandle();
  if (handle) headers["x-user-handle"] = handle;
  let body: BodyInit | undefined;
  if (options.body instanceof FormData || options.body instanceof Blob) body = options.body;
  else if (options.body !== undefined) {
    headers["content-type"] = "application/json";
    body = JSON.stringify(options.body);
  }
  const timeoutMs =
    options.timeoutMs ?? (body instanceof FormData || body instanceof Blob ? UPLOAD_TIMEOUT_MS : CALL_TIMEOUT_MS);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    const response = await fetch(path + queryString(options.query), {
      method: options.method ?? "GET",
      headers,
      body,
      signal,
      credentials: "same-origin",
    });
    for (const listener of reachabilityListeners) listener(true);
    return response;
  } catch (error) {
    // The caller aborted, which is not a failure of the server.
    if (options.signal?.aborted) throw error;
    for (const listener of reachabilityListeners) listener(false);
    throw isTimeout(error) ? timedOut() : new ApiError(0, "NETWORK", "The server could not be reached.");
  }
}

/** Reads a body. The time limit of the call also covers the body. */
async function bodyText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw isTimeout(error) ? timedOut() : error;
  }
}

const timedOut = () => new ApiError(0, "TIMEOUT", "The server took too long to answer.");

/** Fetches a text file of the site, such as the help file, with its `Last-Modified` header. */
export async function callText(
  path: string,
  options: CallOptions = {},
): Promise<{ text: string; lastModified: string | null }> {
  const response = await send(path, { ...options, auth: false }, null);
  if (!response.ok) throw new ApiError(response.status, defaultCode(response.status), `HTTP ${response.status}`);
  return { text: await bodyText(response), lastModified: response.headers.get("last-modified") };
}

/** Returns the `Last-Modified` header of a file; null if the file or the header is missing. */
export async function lastModified(path: string, signal?: AbortSignal): Promise<string | null> {
  const response = await send(path, { method: "HEAD", auth: false, signal }, null);
  return response.ok ? response.headers.get("last-modified") : null;
}

export interface RawResponse {
  status: number;
  contentType: string;
  text: string;
  ms: number;
}

/** Sends a GET and returns the raw response, whatever its status. Used by the API documentation page. */
export async function fetchRaw(path: string, query: Query): Promise<RawResponse> {
  const startedAt = performance.now();
  const response = await send(path, { query }, readToken());
  const text = await bodyText(response);
  return {
    status: response.status,
    contentType: response.headers.get("content-type") ?? "",
    text,
    ms: Math.round(performance.now() - startedAt),
  };
}

/** Reports whether a file of the site exists. A failed request counts as no. */
export async function fileExists(path: string): Promise<boolean> {
  try {
    return (await send(path, { method: "HEAD", auth: false }, null)).ok;
  } catch {
    return false;
  }
}

/** Time limit for a refresh and for waiting for the refresh of another tab. */
const REFRESH_TIMEOUT_MS = 10_000;
const REFRESH_LOCK = "apogee-token-refresh";

let refreshInFlight: { of: string | null; token: Promise<string> } | null = null;

/** Replaces an expired token. Calls that expire together share one refresh, also across tabs. */
function refreshToken(old: string | null, message: string): Promise<string> {
  if (refreshInFlight?.of === old) return refreshInFlight.token;
  const token = withTabLock(() => requestNewToken(old, message)).finally(() => {
    if (refreshInFlight?.token === token) refreshInFlight = null;
  });
  refreshInFlight = { of: old, token };
  return token;
}

async function requestNewToken(old: string | null, message: string): Promise<string> {
  const before = readToken();
  if (before !== old) return tokenOfSameSession(old, before);
  try {
    const options = { method: "POST", timeoutMs: REFRESH_TIMEOUT_MS } as const;
    const { token } = await attempt<{ token?: string }>("/api/auth/refresh", options, old);
    if (!token) throw new ApiError(401, "UNAUTHORIZED", EXPIRED_FALLBACK);
    // The user signed out or switched accounts during the request: discard this token.
    const after = readToken();
    if (after !== old && after !== token) return tokenOfSameSession(old, after);
    storeToken(token);
    return token;
  } catch (error) {
    // An unreachable or failing server has not ended the session.
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error;
    const after = readToken();
    if (after !== old) return tokenOfSameSession(old, after);
    endExpiredSession(message);
    throw new ApiError(401, "TOKEN_EXPIRED", message || EXPIRED_FALLBACK);
  }
}

/** Removes a session that the server has ended, and notifies the listeners. */
function endExpiredSession(message: string): void {
  storeToken(null);
  localStore.removeItem(USER_KEY);
  for (const listener of expiredListeners) listener(message);
}

/** Returns the stored token if it belongs to the same session as `old`. A call of one session is never repeated in another. */
function tokenOfSameSession(old: string | null, stored: string | null): string {
  const [was, is] = [sessionIdOf(old), sessionIdOf(stored)];
  if (stored && (was === null || is === null || was === is)) return stored;
  throw new ApiError(401, "UNAUTHORIZED", "The session of this call has ended.");
}

/** Returns the session id of a token; null if the token is unreadable. */
function sessionIdOf(token: string | null): string | null {
  try {
    const payload = (token?.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const { sid } = JSON.parse(atob(payload)) as { sid?: unknown };
    return typeof sid === "string" ? sid : null;
  } catch {
    return null;
  }
}

/** Runs `run` under a lock shared by all tabs. Without the Web Locks API, the server gives both tabs the same token. */
async function withTabLock<T>(request: () => Promise<T>): Promise<T> {
  if (!navigator.locks) return request();
  let started = false;
  const run = () => {
    started = true;
    return request();
  };
  try {
    return await navigator.locks.request(REFRESH_LOCK, { signal: AbortSignal.timeout(REFRESH_TIMEOUT_MS) }, run);
  } catch (error) {
    if (started) throw error;
    return request();
  }
}

const apiCallFailed = ({ status, statusText }: Response) => `API call failed: ${status} ${statusText}`.trim();

function queryString(query: Query | undefined): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined) params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `?${text}` : "";
}

function retryAfter(response: Response): number | null {
  const header = response.headers.get("retry-after");
  const seconds = header === null ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
}

function defaultCode(status: number): string {
  if (status === 401) return "UNAUTHORIZED";
  if (status === 403) return "FORBIDDEN";
  if (status === 404) return "NOT_FOUND";
  if (status === 429) return "RATE_LIMIT_EXCEEDED";
  return status >= 500 ? "INTERNAL" : "VALIDATION";
}

const isTimeout = (error: unknown) => nameOf(error) === "TimeoutError";
const isAbort = (error: unknown) => nameOf(error) === "AbortError";
const nameOf = (error: unknown) => (error instanceof Object && "name" in error ? error.name : null);

// Log readers: pending logins on the site, and the reader's own page. Keys: `["reader", "pending-login", code]` and `["reader",
// "page"]`. The page's types mirror `src/reader_page/service.rs`, which has no OpenAPI description.
import { queryOptions } from "@tanstack/react-query";
import { call, readToken, storeToken } from "./client";
import { setAccessQuery } from "./live";
import type { LoginStatus, PendingReaderLogin } from "./types";

const loginPath = (code: string) => `/api/reader/login/${encodeURIComponent(code)}`;

/** Returns the login that waits for confirmation under a code. */
export const pendingLoginQuery = (code: string) =>
  queryOptions({
    queryKey: ["reader", "pending-login", code],
    queryFn: ({ signal }) => call<PendingReaderLogin>(loginPath(code), { signal }),
    // Wrong codes count against a limit, so there is no retry.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: code !== "",
  });

export const answerLogin = (code: string, allow: boolean) =>
  call<LoginStatus>(`${loginPath(code)}/answer`, { method: "POST", body: { allow } });

export type EventKind = "pvp" | "pve" | "deaths" | "vehicles" | "seats" | "missions" | "sessions";

export interface ReaderRow {
  id: number;
  /** Epoch milliseconds. */
  at: number;
  kind: EventKind;
  mode: "PU" | "AC" | null;
  text: string;
}

/** Times are in epoch milliseconds. */
export interface Stopwatch {
  ended_ms: number;
  /** Since when it runs. */
  since: number | null;
}

export interface Evening {
  player: string | null;
  player_kills: number;
  npc_kills: number;
  deaths: number;
  vehicles: number;
  contracts_completed: number;
  contracts: { mission_id: string; title: string; accepted_at: number }[];
  payouts: number;
  pay: number;
  died_at: number | null;
  ship: string | null;
  ship_crashes: number;
  game_crashes: number;
  game: Stopwatch;
  universe: Stopwatch;
  seat: Stopwatch;
}

export type Figure = "clocks" | "contracts" | "pay" | "kills" | "vehicles" | "ship" | "crashes";

export interface ReaderState {
  language: string;
  server: string | null;
  is_connected: boolean;
  is_agreed: boolean;
  is_paused: boolean;
  notice: string[];
  logs: { path: string; is_followed: boolean }[];
  hide: string[];
  skips_backups: boolean;
  sends_samples: boolean;
  samples: { patch: string; samples: { line: string; count: number }[] };
  evening: Evening;
  /** What happens to the events behind a figure. */
  reach: Record<Figure, "hidden" | "local" | "shared">;
  upload: {
    waiting: number;
    sent: number;
    /** Players whom nobody has claimed, with the page for the claim and the number of events that wait for it. */
    unclaimed: { handle: string; url: string; waiting: number }[];
    trouble: string | null;
    is_key_refused: boolean;
  };
  notes: string[];
  login: { code: string; confirm_url: string; error: string | null } | null;
}

export interface ReaderPage {
  state: ReaderState;
  /** Newest first. */
  rows: ReaderRow[];
  languages: { code: string; name: string }[];
  words: Record<string, string>;
  kinds: EventKind[];
  version: string;
  grammar: number;
}

/** Settings to change. Omitted fields remain unchanged. */
export interface ReaderSettingsPatch {
  language?: string;
  hide?: string[];
  skips_backups?: boolean;
  sends_samples?: boolean;
  is_paused?: boolean;
  add_log?: string;
  remove_log?: string;
  agree?: boolean;
  disconnect?: boolean;
}

/** Returns texts in the user's language for when the reader does not respond. */
export function offlineTexts(): { foreign: string; lost: string } {
  const metaContent = (name: string) => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";
  return { foreign: metaContent("apogee-reader"), lost: metaContent("apogee-reader-lost") };
}

/** Moves the token from the URL to the browser's storage, and adds it to the live stream's URL. */
export function storeReaderToken(): void {
  const token = window.location.hash.slice(1);
  if (token !== "") {
    storeToken(token);
    window.history.replaceState(null, "", "/");
  }
  const storedToken = readToken();
  if (storedToken) setAccessQuery(`token=${encodeURIComponent(storedToken)}`);
}

export const readerPageQuery = () =>
  queryOptions({
    queryKey: ["reader", "page"],
    queryFn: ({ signal }) => call<ReaderPage>("/api/reader/page", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const changeReader = (patch: ReaderSettingsPatch) =>
  call<{ state: ReaderState }>("/api/reader/page", { method: "POST", body: patch });

export const connectReader = (server: string) =>
  call<{ state: ReaderState }>("/api/reader/page/login", { method: "POST", body: { server } });

export const cancelConnect = () => call<{ state: ReaderState }>("/api/reader/page/login", { method: "DELETE" });

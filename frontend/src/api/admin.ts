// How the server fares, for admins. Keys: `["admin", "state"]`. The server decides who may see it.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";

export type Tone = "ok" | "warn" | "error" | "off";

/** One part of the server: what it is, how it is, and its figures in the order to show them. */
export interface AdminSection {
  /** `database`, `index`, `upstreams`, `queues`, `jobs`, `statsfeed`, `webhooks`, `webhook-log`, `rosters`, `sessions`, `keys`, `reader`. */
  id: string;
  title: string;
  tone: Tone;
  /** One sentence on the state. */
  summary: string;
  facts: { label: string; value: string | number; unit?: "bytes" | "seconds" | "ms" | "at" }[];
  /** `acts` has one list for each row. */
  rows?: { heads: string[]; rows: (string | number | null)[][]; acts: AdminAction[][] };
}

/** Something that may be done: a call to a path, without a body. */
export interface AdminAction {
  label: string;
  path: string;
}

export interface AdminError {
  at: number;
  code: string;
  message: string;
  request_id: string | null;
  path: string | null;
}

export interface AdminVisits {
  /** `YYYY-MM-DD`, oldest first; `load_ms` on average. */
  days: { day: string; views: number; visitors: number; errors: number; load_ms: number | null }[];
  pages: { label: string; value: number }[];
  referrers: { label: string; value: number }[];
}

export interface AdminState {
  version: string;
  started_at: number;
  at: number;
  sections: AdminSection[];
  errors: AdminError[];
  visits: AdminVisits;
}

/** Does what an act of the page says. */
export const runAdminAction = (act: AdminAction) => call(act.path, { method: "POST" });

const REFRESH_INTERVAL_MS = 15_000;

export const adminStateQuery = () =>
  queryOptions({
    queryKey: ["admin", "state"],
    // It is asked for every few seconds, and the page itself says that the server does not answer.
    meta: { quiet: true },
    queryFn: async ({ signal }) => (await call<{ state: AdminState }>("/api/admin/state", { signal })).state,
    refetchInterval: REFRESH_INTERVAL_MS,
  });

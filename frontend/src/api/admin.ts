// Server status for admins. Keys: `["admin", "state"]`. The server checks permissions.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";

export type Tone = "ok" | "warn" | "error" | "off";

/** One part of the server, with its figures in display order. */
export interface AdminSection {
  /** `database`, `index`, `upstreams`, `queues`, `jobs`, `statsfeed`, `webhooks`, `webhook-log`, `rosters`, `sessions`, `keys`, `reader`. */
  id: string;
  title: string;
  tone: Tone;
  /** Describes the state in one sentence. */
  summary: string;
  facts: { label: string; value: string | number; unit?: "bytes" | "seconds" | "ms" | "at" }[];
  /** `acts[i]` belongs to `rows[i]`. */
  rows?: { heads: string[]; rows: (string | number | null)[][]; acts: AdminAction[][] };
}

/** An action that an admin may take: a POST without a body. */
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

export const runAdminAction = (act: AdminAction) => call(act.path, { method: "POST" });

const REFRESH_INTERVAL_MS = 15_000;

export const adminStateQuery = () =>
  queryOptions({
    queryKey: ["admin", "state"],
    // The page itself shows when the server stops responding.
    meta: { quiet: true },
    queryFn: async ({ signal }) => (await call<{ state: AdminState }>("/api/admin/state", { signal })).state,
    refetchInterval: REFRESH_INTERVAL_MS,
  });

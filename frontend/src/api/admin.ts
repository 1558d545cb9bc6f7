// How the server fares, for admins. Keys: `["admin", "state"]`. The server decides who may see it.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";

export type Tone = "ok" | "warn" | "error" | "off";

/** One part of the server: what it is, how it is, and its figures in the order to show them. */
export interface AdminSection {
  /** `database`, `index`, `upstreams`, `queues`, `jobs`, `statsfeed`, `sessions`. */
  id: string;
  title: string;
  tone: Tone;
  /** One sentence on the state. */
  summary: string;
  facts: { label: string; value: string | number; unit?: "bytes" | "seconds" | "ms" | "at" }[];
  rows?: { heads: string[]; rows: (string | number | null)[][] };
}

export interface AdminError {
  at: number;
  code: string;
  message: string;
  request_id: string | null;
  path: string | null;
}

export interface AdminVisits {
  /** `YYYY-MM-DD`, oldest first. */
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

const REFRESH_MS = 15_000;

export const adminStateQuery = () =>
  queryOptions({
    queryKey: ["admin", "state"],
    queryFn: async ({ signal }) => (await call<{ state: AdminState }>("/api/admin/state", { signal })).state,
    refetchInterval: REFRESH_MS,
  });

// Single events, what their reports are worth, and the signed-in user's own events that do not count. Keys: `["event", id]`,
// `["evidence", id]`, `["held"]`. Separate from `activity.ts`, which profiles load.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { encoded } from "../lib/text";
import { call } from "./client";
import type { ActivityRow, EventEvidence, HeldPage } from "./types";

const HELD_PAGE_ROWS = 20;

export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ["event", id],
    queryFn: async ({ signal }) =>
      (await call<{ event: ActivityRow }>(`/api/activity/${encoded(id)}`, { signal })).event,
    meta: { quiet: true },
  });

export const evidenceQuery = (id: string) =>
  queryOptions({
    queryKey: ["evidence", id],
    queryFn: ({ signal }) => call<EventEvidence>(`/api/activity/${encoded(id)}/evidence`, { signal }),
    meta: { quiet: true },
  });

/** Events that the user reported and that do not count, newest first. */
export const heldQuery = () =>
  infiniteQueryOptions({
    queryKey: ["held"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) =>
      call<HeldPage>("/api/me/held", { query: { before: pageParam, limit: HELD_PAGE_ROWS }, signal }),
    getNextPageParam: (last) => last.next,
    meta: { quiet: true },
  });

// Disputes of events. Keys: `["disputes", "own"]`, `["disputes", "of", event]`, `["admin", "disputes"]`. The server checks permissions.
import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { encoded } from "../lib/text";
import { call } from "./client";
import { eventQuery, evidenceQuery } from "./evidence";
import type { AdminDisputes, DisputeAnswer, DisputeDecision, DisputePage, StartedEntry } from "./types";

const PAGE_ROWS = 20;

const pathOf = (event: string) => `/api/activity/${encoded(event)}/dispute`;

/** The user's own disputes, newest first. */
export const ownDisputesQuery = () =>
  infiniteQueryOptions({
    queryKey: ["disputes", "own"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) =>
      call<DisputePage>("/api/me/disputes", { query: { before: pageParam, limit: PAGE_ROWS }, signal }),
    getNextPageParam: (last) => last.next,
    meta: { quiet: true },
  });

/** The user's own dispute of an event, and how many more events the user can dispute today. */
export const disputeOfQuery = (event: string) =>
  queryOptions({
    queryKey: ["disputes", "of", event],
    queryFn: ({ signal }) => call<DisputePage>("/api/me/disputes", { query: { event }, signal }),
    meta: { quiet: true },
  });

export const disputeEvent = (event: string, reason: string) =>
  call<DisputeAnswer>(pathOf(event), { method: "POST", body: { reason } });

export const withdrawDispute = (event: string) => call<DisputeAnswer>(pathOf(event), { method: "DELETE" });

/** Refetches the user's disputes, and the event with its evidence. */
export const invalidateDisputes = (cache: QueryClient, event: string) =>
  Promise.all(
    [["disputes"], eventQuery(event).queryKey, evidenceQuery(event).queryKey].map((queryKey) =>
      cache.invalidateQueries({ queryKey }),
    ),
  );

/** All disputes, open ones first; only for admins. */
export const adminDisputesQuery = () =>
  queryOptions({
    queryKey: ["admin", "disputes"],
    queryFn: async ({ signal }) => (await call<AdminDisputes>("/api/admin/disputes", { signal })).data,
    meta: { quiet: true },
  });

/** Decides a dispute. Returns the entry of the ledger, which may still be running. */
export const decideDispute = async (id: number, decision: DisputeDecision, reason: string) =>
  (await call<StartedEntry>(`/api/admin/disputes/${id}/decision`, { method: "POST", body: { decision, reason } }))
    .entry;

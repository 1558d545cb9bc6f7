// Moderation of events and its public ledger. Keys: `["ledger"]`, `["admin", "events", …]`. The server checks permissions.
import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type {
  AdminEventPage,
  EventState,
  LedgerPage,
  ModerationAction,
  ModerationPreview,
  ModerationSelect,
  StartedEntry,
  WithheldKills,
} from "./types";

const LEDGER_PAGE_ROWS = 20;
const EVENT_PAGE_ROWS = 50;

/** Exactly one of the targets, optionally within a period. */
export type Selection = { [Field in keyof ModerationSelect]?: NonNullable<ModerationSelect[Field]> };

export interface ModerationInput {
  action: ModerationAction;
  select: Selection;
}

/** Returns the effect of an action without running it. */
export const previewModeration = (request: ModerationInput) =>
  call<ModerationPreview>("/api/admin/moderation/preview", { method: "POST", body: request });

/** Starts an action. Its entry may still be running. */
export const runModeration = async (request: ModerationInput, reason: string) =>
  (
    await call<StartedEntry>("/api/admin/moderation", {
      method: "POST",
      body: { ...request, reason },
    })
  ).entry;

/** Starts undoing an entry. Returns the new entry. */
export const undoEntry = async (id: number, reason: string) =>
  (await call<StartedEntry>(`/api/admin/ledger/${id}/undo`, { method: "POST", body: { reason } })).entry;

/** All entries, newest first. */
export const ledgerQuery = () =>
  infiniteQueryOptions({
    queryKey: ["ledger"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) =>
      call<LedgerPage>("/api/ledger", { query: { before: pageParam, limit: LEDGER_PAGE_ROWS }, signal }),
    getNextPageParam: (last) => last.next,
    // The page shows its own text, and admins refetch a running entry every two seconds.
    meta: { quiet: true },
  });

/** Repeated kills that do not count. */
export const withheldQuery = () =>
  queryOptions({
    queryKey: ["admin", "withheld"],
    queryFn: ({ signal }) => call<WithheldKills>("/api/admin/withheld", { signal }),
    meta: { quiet: true },
  });

/** At most one of key, account and player. */
export interface AdminEventFilter {
  key?: number;
  account?: string;
  player?: string;
  state?: EventState;
}

export const adminEventsKey = ["admin", "events"] as const;

/** Events with their moderation state, newest first; only for admins. */
export const adminEventsQuery = (filter: AdminEventFilter) =>
  infiniteQueryOptions({
    queryKey: [...adminEventsKey, filter],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) =>
      call<AdminEventPage>("/api/admin/events", {
        query: { ...filter, before: pageParam, limit: EVENT_PAGE_ROWS },
        signal,
      }),
    getNextPageParam: (last) => last.next,
    meta: { quiet: true },
  });

/** Refetches the ledger and the listed events. */
export const invalidateModeration = (cache: QueryClient) =>
  Promise.all([ledgerQuery().queryKey, adminEventsKey].map((queryKey) => cache.invalidateQueries({ queryKey })));

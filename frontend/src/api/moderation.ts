// Moderation of events and its history. Keys: `["admin", "history"]`, `["admin", "events", …]`. The server checks permissions.
import { infiniteQueryOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "./client";
import type {
  AdminEventPage,
  EventState,
  ModerationAction,
  ModerationEntry,
  ModerationPage,
  ModerationPreview,
  ModerationSelect,
  StartedEntry,
} from "./types";

/** An action of an admin, as the history shows it. */
export type HistoryEntry = ModerationEntry;
export type HistoryPage = ModerationPage;

const HISTORY_PAGE_ROWS = 20;
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
  (await call<StartedEntry>(`/api/admin/moderation/${id}/undo`, { method: "POST", body: { reason } })).entry;

/** All actions, newest first; only for admins. */
export const historyQuery = () =>
  infiniteQueryOptions({
    queryKey: ["admin", "history"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) =>
      call<HistoryPage>("/api/admin/moderation", { query: { before: pageParam, limit: HISTORY_PAGE_ROWS }, signal }),
    getNextPageParam: (last) => last.next,
    // The page shows its own text, and refetches a running entry every two seconds.
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

/** Refetches the history and the listed events. */
export const invalidateModeration = (cache: QueryClient) =>
  Promise.all([historyQuery().queryKey, adminEventsKey].map((queryKey) => cache.invalidateQueries({ queryKey })));

// Moderation by admins and its history. Keys: `["admin", "history"]`, `["admin", "reports", target]`. The server checks permissions.
import { infiniteQueryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { AdminReportPage, ModerationAction, ModerationPage, ModerationTarget, StartedEntry } from "./types";

const HISTORY_PAGE_ROWS = 20;
const REPORT_PAGE_ROWS = 50;

/** Exactly one of the targets; reports optionally within a period. */
export type Target = { [Field in keyof ModerationTarget]?: NonNullable<ModerationTarget[Field]> };

export interface ModerationInput {
  action: ModerationAction;
  target: Target;
  handle?: string;
  reason: string;
}

/** Starts an action. Its entry may still be running. */
export const moderate = async (body: ModerationInput) =>
  (await call<StartedEntry>("/api/admin/moderation", { method: "POST", body })).entry;

/** Starts undoing an entry. */
export const undoEntry = async (id: number) =>
  (await call<StartedEntry>(`/api/admin/moderation/${id}/undo`, { method: "POST" })).entry;

/** All entries, newest first; only for admins. */
export const historyQuery = () =>
  infiniteQueryOptions({
    queryKey: ["admin", "history"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) =>
      call<ModerationPage>("/api/admin/moderation", { query: { before: pageParam, limit: HISTORY_PAGE_ROWS }, signal }),
    getNextPageParam: (last) => last.next,
    // The page shows its own text, and refetches a running entry every two seconds.
    meta: { quiet: true },
  });

/** The reports that an action would concern, in the order of their arrival; only for admins. */
export const reportsQuery = (target: Target) =>
  infiniteQueryOptions({
    queryKey: ["admin", "reports", target],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) =>
      call<AdminReportPage>("/api/admin/reports", {
        query: { ...target, after: pageParam, limit: REPORT_PAGE_ROWS },
        signal,
      }),
    getNextPageParam: (last) => last.next,
    // An action changes the states of reports.
    gcTime: 0,
    meta: { quiet: true },
  });

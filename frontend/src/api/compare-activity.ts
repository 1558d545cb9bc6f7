import type { ActivityRow } from "./types";

/** Below 0 when `a` stands before `b` in a feed: newest first, by time and then by id. */
export function compareActivity(a: ActivityRow, b: ActivityRow): number {
  return b.event_time - a.event_time || Number(b.id) - Number(a.id);
}

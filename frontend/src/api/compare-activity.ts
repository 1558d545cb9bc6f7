import type { ActivityRow } from "./types";

/** Compares feed rows: newest first, by time and then by id. Negative if `a` comes first. */
export function compareActivity(a: ActivityRow, b: ActivityRow): number {
  return b.event_time - a.event_time || Number(b.id) - Number(a.id);
}

// Feeds that a reader holds still. The live stream goes on meanwhile, so that a held feed takes only so many rows above the ones
// on screen; the page asks for the feed again when the reader wants to see more than that. Written by `features/activity`, read
// by `features/live`.
import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { compareActivity } from "./compare-activity";
import type { ActivityRow } from "./types";

/** Rows that wait above a held feed. From here on further rows are not stored. */
export const MAX_PENDING_ROWS = 1_000;

const frozenFeeds = new WeakMap<QueryClient, Map<string, ActivityRow>>();

/** Marks a feed as held with `top` as its newest row on screen. Returns how to release it. */
export function freezeFeed(cache: QueryClient, key: QueryKey, top: ActivityRow): () => void {
  const held = frozenFeeds.get(cache) ?? new Map<string, ActivityRow>();
  frozenFeeds.set(cache, held);
  const hash = hashKey(key);
  held.set(hash, top);
  return () => {
    if (held.get(hash) === top) held.delete(hash);
  };
}

/** How many more rows a feed that has `known` takes above the ones on screen. Without limit while nobody holds it. */
export function remainingCapacity(cache: QueryClient, key: QueryKey, known: readonly ActivityRow[]): number {
  const top = frozenFeeds.get(cache)?.get(hashKey(key));
  if (!top) return Number.POSITIVE_INFINITY;
  return Math.max(0, MAX_PENDING_ROWS - known.filter((row) => compareActivity(row, top) < 0).length);
}

// Frozen feeds. A feed that the user is reading keeps its rows in place while live rows continue to arrive; it accepts a
// limited number of rows above the visible ones and is refetched beyond that. `features/activity` freezes feeds,
// `features/live` queries their capacity.
import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { compareActivity } from "./compare-activity";
import type { ActivityRow } from "./types";

/** Rows that a frozen feed accepts above the visible ones. Further rows are dropped. */
export const MAX_PENDING_ROWS = 1_000;

const frozenFeeds = new WeakMap<QueryClient, Map<string, ActivityRow>>();

/** Freezes a feed whose newest visible row is `top`. Returns the function that releases it. */
export function freezeFeed(cache: QueryClient, key: QueryKey, top: ActivityRow): () => void {
  const frozen = frozenFeeds.get(cache) ?? new Map<string, ActivityRow>();
  frozenFeeds.set(cache, frozen);
  const hash = hashKey(key);
  frozen.set(hash, top);
  return () => {
    if (frozen.get(hash) === top) frozen.delete(hash);
  };
}

/** Returns how many more rows a feed accepts above the visible ones: no limit unless it is frozen. */
export function remainingCapacity(cache: QueryClient, key: QueryKey, known: readonly ActivityRow[]): number {
  const top = frozenFeeds.get(cache)?.get(hashKey(key));
  if (!top) return Number.POSITIVE_INFINITY;
  return Math.max(0, MAX_PENDING_ROWS - known.filter((row) => compareActivity(row, top) < 0).length);
}

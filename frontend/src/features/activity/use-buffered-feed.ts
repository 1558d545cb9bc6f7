// A feed that stands still while somebody reads it: it keeps the rows on screen and counts the newer ones. It asks for nothing.
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { compareActivity } from "../../api/compare-activity";
import { freezeFeed, MAX_PENDING_ROWS } from "../../api/feed-freeze";
import type { ActivityRow } from "../../api/types";

export interface BufferedFeed {
  /** The rows to show. */
  visibleRows: readonly ActivityRow[];
  /** Newer rows that wait. */
  pendingCount: number;
  /** More than `waiting` may wait: the feed stopped storing them. */
  isFull: boolean;
  /** The feed stands still, for any reason. */
  isFrozen: boolean;
  /** The button holds the feed. */
  isPaused: boolean;
  pause: () => void;
  resume: () => void;
  /** Shows what waits. A feed that the button holds stays held after it. */
  showPending: () => void;
  /** Says whether somebody reads: pointer or focus in the list, or the page scrolled away from its top. */
  setReading: (isReading: boolean) => void;
}

/**
 * Holds the feed at `key` while somebody reads, and after `pause()`. Newer rows wait until `show()`; older pages are added all
 * the same.
 */
export function useBufferedFeed(key: QueryKey, rows: readonly ActivityRow[]): BufferedFeed {
  const cache = useQueryClient();
  const [frozen, setFrozen] = useState<readonly ActivityRow[] | null>(null);
  const [isPaused, setPaused] = useState(false);
  const [isReading, setReading] = useState(false);
  const last = frozen?.at(-1);
  const pendingCount = frozen && last ? countNewer(rows, frozen, last) : 0;
  const isFull = pendingCount >= MAX_PENDING_ROWS;
  const isFrozen = isPaused || isReading || pendingCount > 0;
  // Taken during rendering, so that no row slips in between.
  if (isFrozen && !frozen && rows.length > 0) setFrozen(rows);
  if (!isFrozen && frozen) setFrozen(null);
  const top = frozen?.[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: a key is a new array each time and the same feed
  useEffect(() => (top ? freezeFeed(cache, key, top) : undefined), [cache, top]);
  return {
    visibleRows: frozen && last ? [...frozen, ...rows.filter((row) => compareActivity(last, row) < 0)] : rows,
    pendingCount,
    isFull,
    isFrozen,
    isPaused,
    pause: () => setPaused(true),
    resume: () => {
      setPaused(false);
      setFrozen(null);
    },
    showPending: () => {
      // Between the rows that wait and the newest there may be others by now.
      if (isFull) void cache.resetQueries({ queryKey: key, exact: true });
      // Held again with the rows of now where somebody still reads or the button holds.
      setFrozen(null);
    },
    setReading,
  };
}

function countNewer(rows: readonly ActivityRow[], frozen: readonly ActivityRow[], last: ActivityRow): number {
  const known = new Set(frozen.map((row) => row.id));
  return rows.filter((row) => !known.has(row.id) && compareActivity(row, last) < 0).length;
}

// A feed that freezes while the user reads it: it keeps the visible rows and counts newer ones.
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { compareActivity } from "../../api/compare-activity";
import { freezeFeed, MAX_PENDING_ROWS } from "../../api/feed-freeze";
import type { ActivityRow } from "../../api/types";

export interface BufferedFeed {
  visibleRows: readonly ActivityRow[];
  /** The number of newer rows that are not shown yet. */
  pendingCount: number;
  /** More rows than `pendingCount` may exist: the feed has stopped storing them. */
  isFull: boolean;
  /** The feed is frozen, for any reason. */
  isFrozen: boolean;
  /** The user has paused the feed. */
  isPaused: boolean;
  pause: () => void;
  resume: () => void;
  /** Shows the pending rows. A paused feed remains paused. */
  showPending: () => void;
  /** Sets whether the user is reading: pointer or focus in the list, or the page scrolled away from its top. */
  setReading: (isReading: boolean) => void;
}

/**
 * Freezes the feed while the user reads and after `pause()`. Newer rows remain pending until `showPending()`; older pages are
 * still appended.
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
  // Set during rendering, so that no row is added in between.
  if (isFrozen && !frozen && rows.length > 0) setFrozen(rows);
  if (!isFrozen && frozen) setFrozen(null);
  const top = frozen?.[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is a new array on each render, but always the same feed
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
      // Rows may be missing between the pending ones and the newest.
      if (isFull) void cache.resetQueries({ queryKey: key, exact: true });
      // If the feed is still being read or is paused, it freezes again with the current rows.
      setFrozen(null);
    },
    setReading,
  };
}

function countNewer(rows: readonly ActivityRow[], frozen: readonly ActivityRow[], last: ActivityRow): number {
  const known = new Set(frozen.map((row) => row.id));
  return rows.filter((row) => !known.has(row.id) && compareActivity(row, last) < 0).length;
}

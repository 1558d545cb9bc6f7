// A feed that stands still while somebody reads it. Used by pages with a live feed; it keeps rows and asks for none.
import { useState } from "react";
import { order } from "../../api/activity-order";
import type { ActivityRow } from "../../api/types";

/**
 * Gives the rows to show. While `reading` (pointer or focus in the list) or after `pause()`, rows that come wait;
 * those that wait are shown by `show()`, and until then the feed stays still. Older pages are added all the same.
 */
export function useHeldRows(rows: readonly ActivityRow[], reading: boolean) {
  const [held, setHeld] = useState<readonly ActivityRow[] | null>(null);
  const [pressed, setPressed] = useState(false);
  const last = held?.at(-1);
  const waiting = held && last ? newer(rows, held, last) : 0;
  const still = pressed || reading || waiting > 0;
  // Taken while drawing, so that no row slips in between.
  if (still && !held && rows.length > 0) setHeld(rows);
  if (!still && held) setHeld(null);
  const shown = held && last ? [...held, ...rows.filter((row) => order(last, row) < 0)] : rows;
  return {
    shown,
    waiting,
    /** Whether the button holds the feed. */
    paused: pressed,
    pause: () => setPressed(true),
    resume: () => {
      setPressed(false);
      setHeld(null);
    },
    /** Shows what waits; a feed held by the button stays held after it. */
    show: () => setHeld(pressed || reading ? rows : null),
  };
}

function newer(rows: readonly ActivityRow[], held: readonly ActivityRow[], last: ActivityRow): number {
  const known = new Set(held.map((row) => row.id));
  return rows.filter((row) => !known.has(row.id) && order(row, last) < 0).length;
}

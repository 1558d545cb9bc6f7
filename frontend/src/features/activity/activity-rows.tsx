import type { ActivityRow } from "../../api/types";
import { useNow } from "../../ui/use-now";
import { ActivityItem, ActivityItemSkeleton } from "./activity-item";
import { sentenceOf } from "./sentence";
import { useAnchor } from "./use-anchor";

const WIDTHS = ["62%", "48%", "71%", "55%", "66%", "43%", "58%", "51%"];

const known = new WeakMap<ActivityRow, boolean>();

/** The rows that lists show: connections and events without a sentence are left out. */
export function visible(rows: readonly ActivityRow[]): ActivityRow[] {
  return rows.filter((row) => {
    const isShown = known.get(row) ?? sentenceOf(row) !== null;
    known.set(row, isShown);
    return isShown;
  });
}

/** Rows of a feed with what came since marked; `waiting` draws so many that are still to come. */
export function ActivityRows({ rows, waiting = 0 }: { rows: readonly ActivityRow[]; waiting?: number }) {
  const now = useNow();
  const isFresh = useAnchor(rows.map((row) => row.id));
  return (
    <ul role="list" aria-hidden={waiting > 0 || undefined}>
      {rows.map((row, at) => (
        <ActivityItem key={row.id} row={row} now={now} fresh={isFresh(at)} />
      ))}
      {WIDTHS.slice(0, waiting).map((width) => (
        <ActivityItemSkeleton key={width} width={width} />
      ))}
    </ul>
  );
}

import type { ActivityRow } from "../../api/types";
import { useNewSince } from "../../ui/use-new-since";
import { useNow } from "../../ui/use-now";
import { ActivityItem, ActivityItemSkeleton } from "./activity-item";
import { sentenceOf } from "./sentence";

const SKELETON_WIDTHS = ["62%", "48%", "71%", "55%", "66%", "43%", "58%", "51%"];

const hasSentence = new WeakMap<ActivityRow, boolean>();

/** Removes connections and events without a sentence. */
export function displayable(rows: readonly ActivityRow[]): ActivityRow[] {
  return rows.filter((row) => {
    const isShown = hasSentence.get(row) ?? sentenceOf(row) !== null;
    hasSentence.set(row, isShown);
    return isShown;
  });
}

/** Feed rows with new ones highlighted. `skeletonCount` renders placeholders. */
export function ActivityRows({ rows, skeletonCount = 0 }: { rows: readonly ActivityRow[]; skeletonCount?: number }) {
  const now = useNow();
  const isNew = useNewSince(rows.map((row) => row.id));
  return (
    <ul role="list" aria-hidden={skeletonCount > 0 || undefined}>
      {rows.map((row, index) => (
        <ActivityItem key={row.id} row={row} now={now} isNew={isNew(index)} />
      ))}
      {SKELETON_WIDTHS.slice(0, skeletonCount).map((width) => (
        <ActivityItemSkeleton key={width} width={width} />
      ))}
    </ul>
  );
}

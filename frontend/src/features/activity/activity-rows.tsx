import type { ActivityRow } from "../../api/types";
import { useNow } from "../../ui/use-now";
import { ActivityItem, ActivityItemSkeleton } from "./activity-item";
import { useAnchor } from "./use-anchor";

const WIDTHS = ["62%", "48%", "71%", "55%", "66%", "43%", "58%", "51%"];

/** Connections are hidden from lists. */
export function visible(rows: readonly ActivityRow[]): ActivityRow[] {
  return rows.filter((row) => row.identifier !== "connection_success");
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

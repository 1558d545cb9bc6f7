import type { FeedOwner } from "../../api/activity";
import type { ActivityFilter } from "../../api/list-params";
import { exact } from "../../lib/numbers";
import { METRICS } from "../../ui/metric";
import { Select } from "../../ui/select";
import { EmptyState } from "../../ui/states";
import css from "./activity-history.module.css";
import { ActivityRows } from "./activity-rows";
import { FeedList } from "./feed-list";
import { ACTIVITY_FILTERS, FILTER_LABELS } from "./filters";
import { useActivityFeed } from "./use-activity-feed";

type FilterOption = ActivityFilter | "all";

const SKELETON_ROWS = 8;

interface ActivityHistoryProps {
  owner: FeedOwner;
  filter: ActivityFilter | null;
  onFilter: (filter: ActivityFilter | null) => void;
  /** Distance from the end of the list at which the next page loads, in pixels. */
  threshold: number;
  /** The label of the option without a filter. */
  allLabel: string;
  /** Shown when there are no rows. */
  emptyText: (filter: ActivityFilter | null) => string;
}

/** The activity history of a player or a guild, newest first, with infinite scrolling and live rows. */
export default function ActivityHistory({ owner, filter, onFilter, allLabel, ...rest }: ActivityHistoryProps) {
  const options: { value: FilterOption; label: string }[] = [
    { value: "all", label: allLabel },
    ...ACTIVITY_FILTERS.map((value) => ({ value, label: METRICS[value].label })),
  ];
  return (
    <section aria-label="Activity history">
      <div className={css.controls}>
        <Select
          label="Show"
          value={filter ?? "all"}
          options={options}
          onChange={(choice) => onFilter(choice === "all" ? null : choice)}
        />
      </div>
      <HistoryFeed key={filter ?? "all"} owner={owner} filter={filter} {...rest} />
    </section>
  );
}

function HistoryFeed({ owner, filter, threshold, emptyText }: Omit<ActivityHistoryProps, "onFilter" | "allLabel">) {
  const feed = useActivityFeed(owner, filter);
  const { query, rows } = feed;
  if (query.isPending) {
    return (
      <>
        <p role="status" className="visually-hidden">
          Loading activity...
        </p>
        <ActivityRows skeletonCount={SKELETON_ROWS} rows={[]} />
      </>
    );
  }
  // A failed request is shown as an empty history; the notification gives the reason.
  if (rows.length === 0) return <EmptyState title={emptyText(filter)} />;
  const label = filter ? `${FILTER_LABELS[filter]} ` : "";
  const total = query.data?.pages.at(-1)?.pagination?.total;
  const endText =
    total === undefined || rows.length < total
      ? `End of ${label}activities`
      : `Showing all ${exact(rows.length)} ${label}activities`;
  return (
    <FeedList
      feed={feed}
      label={`${label ? label.charAt(0).toUpperCase() + label.slice(1) : "All "}activities`}
      threshold={threshold}
      loadingText="Loading more activities..."
      endText={endText}
    />
  );
}

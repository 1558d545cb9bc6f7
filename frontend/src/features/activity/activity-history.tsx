import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { activityFeedQuery, type FeedOwner } from "../../api/activity";
import type { ActivityFilter } from "../../api/list-params";
import { exact } from "../../lib/numbers";
import { LoadMore } from "../../ui/load-more";
import { Select } from "../../ui/select";
import { EmptyState } from "../../ui/states";
import css from "./activity-history.module.css";
import { ActivityRows, displayable } from "./activity-rows";
import { FeedList } from "./feed-list";
import { FILTER_LABELS } from "./filters";
import { useBufferedFeed } from "./use-buffered-feed";

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
    { value: "pvp", label: "PVP" },
    { value: "pve", label: "PVE" },
    { value: "vehicles", label: "Vehicles" },
    { value: "missions", label: "Missions" },
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
  const query = activityFeedQuery(owner, filter);
  const feed = useInfiniteQuery(query);
  // A failed request is shown as an empty history; the notification gives the reason.
  const rows = useMemo(() => displayable(feed.data?.pages.flatMap((page) => page.data) ?? []), [feed.data]);
  const buffered = useBufferedFeed(query.queryKey, rows);
  if (feed.isPending) {
    return (
      <>
        <p role="status" className="visually-hidden">
          Loading activity...
        </p>
        <ActivityRows skeletonCount={SKELETON_ROWS} rows={[]} />
      </>
    );
  }
  const label = filter ? `${FILTER_LABELS[filter]} ` : "";
  if (rows.length === 0) return <EmptyState title={emptyText(filter)} />;
  const total = feed.data?.pages.at(-1)?.pagination?.total;
  const endText =
    total === undefined || rows.length < total
      ? `End of ${label}activities`
      : `Showing all ${exact(rows.length)} ${label}activities`;
  return (
    <FeedList
      buffered={buffered}
      label={`${label ? label.charAt(0).toUpperCase() + label.slice(1) : "All "}activities`}
      hasMore={feed.hasNextPage}
      onMore={() => void feed.fetchNextPage()}
      renderEnd={(isManual, onMore) => (
        <LoadMore
          threshold={threshold}
          hasMore={feed.hasNextPage}
          loading={feed.isFetchingNextPage}
          failed={feed.isFetchNextPageError}
          isManual={isManual}
          onMore={onMore}
          loadingText="Loading more activities..."
          endText={endText}
        />
      )}
    />
  );
}

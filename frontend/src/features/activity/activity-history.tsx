import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { activityFeedQuery, type FeedOwner } from "../../api/activity";
import type { ActivityFilter } from "../../api/list-params";
import { exact } from "../../lib/numbers";
import { LoadMore } from "../../ui/load-more";
import { Select } from "../../ui/select";
import { EmptyState } from "../../ui/states";
import css from "./activity-history.module.css";
import { ActivityRows, visible } from "./activity-rows";
import { FeedList } from "./feed-list";
import { useFeedHold } from "./use-buffered-feed";

type Choice = ActivityFilter | "all";

/** The filters in the midst of a sentence. */
const FILTER_WORDS: Record<ActivityFilter, string> = {
  pvp: "PVP",
  pve: "PVE",
  vehicles: "vehicle",
  missions: "mission",
};
const FIRST_ROWS = 8;

interface HistoryProps {
  owner: FeedOwner;
  filter: ActivityFilter | null;
  onFilter: (filter: ActivityFilter | null) => void;
  /** Pixels before the end at which the next page is asked for. */
  threshold: number;
  /** What the first choice is called. */
  allLabel: string;
  /** Said when nothing is found. */
  emptyText: (filter: ActivityFilter | null) => string;
}

/** Everything that happened to somebody, newest first and without end; rows that come live slide in. */
export default function History({ owner, filter, onFilter, allLabel, ...rest }: HistoryProps) {
  const options: { value: Choice; label: string }[] = [
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
      <Pages key={filter ?? "all"} owner={owner} filter={filter} {...rest} />
    </section>
  );
}

function Pages({ owner, filter, threshold, emptyText }: Omit<HistoryProps, "onFilter" | "allLabel">) {
  const query = activityFeedQuery(owner, filter);
  const feed = useInfiniteQuery(query);
  // A history that fails to load is an empty one; the notification says why.
  const rows = useMemo(() => visible(feed.data?.pages.flatMap((page) => page.data) ?? []), [feed.data]);
  const hold = useFeedHold(query.queryKey, rows);
  if (feed.isPending) {
    return (
      <>
        <p role="status" className="visually-hidden">
          Loading activity...
        </p>
        <ActivityRows waiting={FIRST_ROWS} rows={[]} />
      </>
    );
  }
  const word = filter ? `${FILTER_WORDS[filter]} ` : "";
  if (rows.length === 0) return <EmptyState title={emptyText(filter)} />;
  const total = feed.data?.pages.at(-1)?.pagination?.total;
  const told =
    total === undefined || rows.length < total
      ? `End of ${word}activities`
      : `Showing all ${exact(rows.length)} ${word}activities`;
  return (
    <FeedList
      hold={hold}
      label={`${word ? word.charAt(0).toUpperCase() + word.slice(1) : "All "}activities`}
      hasMore={feed.hasNextPage}
      onMore={() => void feed.fetchNextPage()}
      end={(byHand, onMore) => (
        <LoadMore
          threshold={threshold}
          hasMore={feed.hasNextPage}
          loading={feed.isFetchingNextPage}
          failed={feed.isFetchNextPageError}
          isManual={byHand}
          onMore={onMore}
          loadingText="Loading more activities..."
          endText={told}
        />
      )}
    />
  );
}

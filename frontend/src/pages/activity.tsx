import { useInfiniteQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { ArrowUp, Pause, Play } from "lucide-react";
import { memo, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { activityFeedQuery } from "../api/activity";
import { order } from "../api/activity-order";
import type { ActivityFilter } from "../api/undescribed";
import { ActivityItem, ActivityItemSkeleton } from "../features/activity/activity-item";
import { useHeldRows } from "../features/activity/use-held-rows";
import { useLive, useLiveState } from "../features/live/use-live";
import { exact } from "../lib/numbers";
import * as paths from "../lib/paths";
import { Button } from "../ui/button";
import { LoadMore } from "../ui/load-more";
import { METRIC, MetricLabel } from "../ui/metric";
import { EmptyState, ErrorState } from "../ui/states";
import { useNow } from "../ui/use-now";
import { useTitle } from "../ui/use-title";
import css from "./activity.module.css";

const NEAR_END_PX = 200;
const FILTERS: readonly ActivityFilter[] = ["pve", "pvp", "vehicles", "missions"];
const WIDTHS = ["52%", "64%", "40%", "58%", "46%", "70%", "44%", "61%", "38%", "55%", "67%", "49%"];
const Item = memo(ActivityItem);

export default function Activity() {
  useTitle("Live activity");
  useLive("activity");
  const [params] = useSearchParams();
  const filter = FILTERS.find((one) => one === params.get("filter")) ?? null;
  return (
    <div className="page">
      <header className={css.head}>
        <h1>Activity</h1>
        <p className="quiet">What everybody does, as it happens</p>
      </header>
      <Feed key={filter ?? "all"} filter={filter} />
    </div>
  );
}

function Filters({ active }: { active: ActivityFilter | null }) {
  return (
    <nav aria-label="Filter" className={css.filters}>
      <Link to={paths.activity} replace preventScrollReset aria-current={active === null ? "true" : undefined}>
        All
      </Link>
      {FILTERS.map((filter) => (
        <Link
          key={filter}
          to={`${paths.activity}?filter=${filter}`}
          replace
          preventScrollReset
          aria-current={active === filter ? "true" : undefined}
        >
          <MetricLabel metric={filter} size={14} />
        </Link>
      ))}
    </nav>
  );
}

function Feed({ filter }: { filter: ActivityFilter | null }) {
  const feed = useInfiniteQuery(activityFeedQuery({ kind: "all" }, filter));
  const now = useNow();
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const rows = feed.data?.pages.flatMap((page) => page.data) ?? [];
  const held = useHeldRows(rows, hovered || focused);
  // What is newer than the first answer came while the list was on screen.
  const [first, setFirst] = useState(rows[0]);
  if (!first && rows[0]) setFirst(rows[0]);
  const { error } = feed;
  return (
    <>
      <div className={css.bar}>
        <Filters active={filter} />
        <LiveSign paused={held.paused || hovered || focused || held.waiting > 0} />
        <Button aria-pressed={held.paused} onClick={held.paused ? held.resume : held.pause}>
          {held.paused ? <Play size={16} aria-hidden="true" /> : <Pause size={16} aria-hidden="true" />}
          {held.paused ? "Resume" : "Pause"}
        </Button>
        {held.waiting > 0 && (
          <Button className={css.waiting} onClick={held.show}>
            <ArrowUp size={16} aria-hidden="true" />
            {held.waiting === 1 ? "Show 1 new event" : `Show ${exact(held.waiting)} new events`}
          </Button>
        )}
      </div>
      {feed.isPending && (
        <>
          <p role="status" className="visually-hidden">
            Loading activity...
          </p>
          <ul role="list">
            {[0, 1].flatMap((half) =>
              WIDTHS.map((width) => <ActivityItemSkeleton key={`${half} ${width}`} width={width} />),
            )}
          </ul>
        </>
      )}
      {!feed.data && error && <ErrorState title="Failed to load activity" onRetry={() => void feed.refetch()} />}
      {feed.data && rows.length === 0 && (
        <EmptyState title={filter ? `No ${METRIC[filter].word} Activity` : "No Recent Activity"}>
          <p>What players do shows up here the moment it is reported.</p>
        </EmptyState>
      )}
      {rows.length > 0 && (
        <>
          <ul
            role="list"
            aria-label="Activity of everybody"
            onPointerEnter={(event) => event.pointerType === "mouse" && setHovered(true)}
            onPointerLeave={() => setHovered(false)}
            onFocus={() => setFocused(true)}
            onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setFocused(false)}
          >
            {held.shown.map((row) => (
              <Item key={row.id} row={row} now={now} fresh={first && order(row, first) < 0} />
            ))}
          </ul>
          <LoadMore
            threshold={NEAR_END_PX}
            hasMore={feed.hasNextPage}
            loading={feed.isFetchingNextPage}
            failed={feed.isFetchNextPageError}
            onMore={() => void feed.fetchNextPage()}
            loadingText="Loading more activity..."
            endText={`End of ${filter ? METRIC[filter].word : "all"} activities`}
          />
        </>
      )}
    </>
  );
}

function LiveSign({ paused }: { paused: boolean }) {
  const state = useLiveState();
  const shown = paused ? "paused" : state;
  const word = { paused: "Paused", live: "Live", connecting: "Connecting", reconnecting: "Reconnecting" }[shown];
  return (
    <span className={clsx("label", css.sign)} data-state={shown}>
      {word}
    </span>
  );
}

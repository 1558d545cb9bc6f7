import { clsx } from "clsx";
import { Pause, Play } from "lucide-react";
import { Link } from "react-router";
import type { ActivityFilter } from "../api/list-params";
import { ActivityItemSkeleton } from "../features/activity/activity-item";
import { FeedList } from "../features/activity/feed-list";
import { useActivityFilter } from "../features/activity/filters";
import { useActivityFeed } from "../features/activity/use-activity-feed";
import { useLive, useLiveState } from "../features/live/use-live";
import * as paths from "../lib/paths";
import { Button } from "../ui/button";
import { METRICS, MetricLabel } from "../ui/metric";
import { EmptyState, ErrorState } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./activity.module.css";

const LOAD_MORE_THRESHOLD_PX = 200;
const FILTERS: readonly ActivityFilter[] = ["pve", "pvp", "vehicles", "missions"];
const SKELETON_WIDTHS = ["52%", "64%", "40%", "58%", "46%", "70%", "44%", "61%", "38%", "55%", "67%", "49%"];

export default function Activity() {
  useTitle("Live activity");
  useLive("activity");
  const [filter] = useActivityFilter();
  return (
    <div className="page">
      <header className={css.head}>
        <h1>Activity</h1>
        <p className="quiet">Live events from all players</p>
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
  const feed = useActivityFeed({ kind: "all" }, filter);
  const { query, rows, buffered } = feed;
  return (
    <div className={css.feed}>
      <div className={css.bar}>
        <Filters active={filter} />
        <LiveIndicator paused={buffered.isFrozen} />
        <Button aria-pressed={buffered.isPaused} onClick={buffered.isPaused ? buffered.resume : buffered.pause}>
          {buffered.isPaused ? <Play size={16} aria-hidden="true" /> : <Pause size={16} aria-hidden="true" />}
          {buffered.isPaused ? "Resume" : "Pause"}
        </Button>
      </div>
      {query.isPending && <FeedSkeleton />}
      {query.isLoadingError && <ErrorState title="Failed to load activity" onRetry={() => void query.refetch()} />}
      {query.data && rows.length === 0 && (
        <EmptyState title={filter ? `No ${METRICS[filter].label} Activity` : "No Recent Activity"}>
          <p>Events appear here as soon as they are reported.</p>
        </EmptyState>
      )}
      {rows.length > 0 && (
        <FeedList
          feed={feed}
          label="Live activity"
          threshold={LOAD_MORE_THRESHOLD_PX}
          loadingText="Loading more activity..."
          endText={`End of ${filter ? METRICS[filter].label : "all"} activities`}
        />
      )}
    </div>
  );
}

function FeedSkeleton() {
  return (
    <>
      <p role="status" className="visually-hidden">
        Loading activity...
      </p>
      <ul role="list">
        {[0, 1].flatMap((half) =>
          SKELETON_WIDTHS.map((width) => <ActivityItemSkeleton key={`${half} ${width}`} width={width} />),
        )}
      </ul>
    </>
  );
}

function LiveIndicator({ paused }: { paused: boolean }) {
  const state = useLiveState();
  const shown = paused ? "paused" : state;
  const word = { paused: "Paused", live: "Live", connecting: "Connecting", reconnecting: "Reconnecting" }[shown];
  return (
    <span className={clsx("label", css.indicator)} data-state={shown}>
      {word}
    </span>
  );
}

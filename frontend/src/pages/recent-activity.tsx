// The latest five events of a player or a guild, for the overview tabs.
import { type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { activityFeedQuery, type FeedOwner } from "../api/activity";
import { ActivityRows, displayable } from "../features/activity/activity-rows";
import { StatsNotice } from "../features/players/stats-notice";
import { EmptyState } from "../ui/states";
import css from "./recent-activity.module.css";

const SHOWN_ROWS = 5;
const PLAYER_FEED_ROWS = 50;

interface RecentActivityProps {
  owner: FeedOwner;
  /** The path of the complete history. */
  allTo: string;
  /** The viewer owns the profile: explain why it may be empty. */
  showsStatsNotice?: boolean;
}

const recentQuery = (owner: FeedOwner) =>
  activityFeedQuery(owner, null, owner.kind === "player" ? PLAYER_FEED_ROWS : SHOWN_ROWS);

export function prefetchRecentActivity(cache: QueryClient, owner: FeedOwner) {
  void cache.prefetchInfiniteQuery(recentQuery(owner));
}

export default function RecentActivity({ owner, allTo, showsStatsNotice = false }: RecentActivityProps) {
  const feed = useInfiniteQuery(recentQuery(owner));
  const rows = displayable(feed.data?.pages[0]?.data ?? []);
  return (
    <section aria-labelledby="recent">
      <div className={css.head}>
        <h2 id="recent">Recent Activity</h2>
        {rows.length >= SHOWN_ROWS && (
          <Link to={allTo} state={{ keepScroll: true }}>
            Show more
          </Link>
        )}
      </div>
      {feed.isPending ? (
        <ActivityRows key="waiting" rows={[]} skeletonCount={SHOWN_ROWS} />
      ) : rows.length > 0 ? (
        <ActivityRows rows={rows.slice(0, SHOWN_ROWS)} />
      ) : (
        <EmptyState title="No Recent Activity">
          <p>Events appear here as soon as they are reported.</p>
        </EmptyState>
      )}
      {showsStatsNotice && feed.isSuccess && rows.length === 0 && <StatsNotice />}
    </section>
  );
}

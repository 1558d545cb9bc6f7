// The latest five events of a player or a guild, as both overviews show them.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { activityFeedQuery, type FeedOwner } from "../api/activity";
import { ActivityRows, visible } from "../features/activity/activity-rows";
import { StatsNotice } from "../features/players/stats-notice";
import { EmptyState } from "../ui/states";
import css from "./recent-activity.module.css";

const SHOWN = 5;
const PLAYER_ROWS = 50;

interface RecentActivityProps {
  owner: FeedOwner;
  /** Where all of it is. */
  allTo: string;
  /** The viewer owns the profile and may wonder why it is empty. */
  notice?: boolean;
}

export default function RecentActivity({ owner, allTo, notice = false }: RecentActivityProps) {
  const feed = useInfiniteQuery(activityFeedQuery(owner, null, owner.kind === "player" ? PLAYER_ROWS : SHOWN));
  const rows = visible(feed.data?.pages[0]?.data ?? []);
  return (
    <section aria-labelledby="recent">
      <div className={css.head}>
        <h2 id="recent">Recent Activity</h2>
        {rows.length >= SHOWN && (
          <Link to={allTo} state={{ keepScroll: true }}>
            Show more
          </Link>
        )}
      </div>
      {feed.isPending ? (
        <ActivityRows key="waiting" rows={[]} waiting={SHOWN} />
      ) : rows.length > 0 ? (
        <ActivityRows rows={rows.slice(0, SHOWN)} />
      ) : (
        <EmptyState title="No Recent Activity">
          <p>What happens in the game is shown here as it is reported.</p>
        </EmptyState>
      )}
      {notice && feed.isSuccess && rows.length === 0 && <StatsNotice />}
    </section>
  );
}

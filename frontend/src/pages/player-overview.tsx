// The first tab of a player. The server names this file in the head of `/player/{handle}`; the other tabs do not load it.
import type { QueryClient } from "@tanstack/react-query";
import type { PlayerView } from "../api/types";
import { PlayerOverview, prefetchOverview } from "../features/players/player-overview";
import { player as pathTo } from "../lib/paths";
import RecentActivity, { prefetchRecentActivity } from "./recent-activity";

export function prefetch(cache: QueryClient, handle: string) {
  prefetchOverview(cache, handle);
  prefetchRecentActivity(cache, { kind: "player", handle });
}

interface OverviewProps {
  player: PlayerView;
  isOwner: boolean;
}

export default function PlayerOverviewPage({ player, isOwner }: OverviewProps) {
  const { handle } = player;
  return (
    <PlayerOverview
      player={player}
      recent={
        <RecentActivity
          owner={{ kind: "player", handle }}
          allTo={pathTo(handle, "recent-activity")}
          showsStatsNotice={isOwner}
        />
      }
    />
  );
}

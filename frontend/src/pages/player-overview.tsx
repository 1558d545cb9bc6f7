// The first tab of a player. The server names this file in the head of `/player/{handle}`; the other tabs do not load it.
import type { PlayerView } from "../api/types";
import { PlayerOverview } from "../features/players/player-overview";
import { player as pathTo } from "../lib/paths";
import RecentActivity from "./recent-activity";

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

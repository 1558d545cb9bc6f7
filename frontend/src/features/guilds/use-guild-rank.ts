import { useQueries } from "@tanstack/react-query";
import { topGuildsQuery } from "../../api/leaderboard";
import type { GuildStats, GuildView } from "../../api/types";
import {
  careerBadgeText,
  MAX_NAMED_RANK,
  RANKED_METRICS,
  rankBadgeText,
  rankOnLeaderboard,
  ranksInProfile,
} from "./guild-rank";

/** Returns the text of the rank badge; null until it is known. Reads the leaderboards if the profile contains no ranks. */
export function useGuildRank(guild: GuildView, stats: GuildStats | undefined): string | null {
  const ranks = ranksInProfile(guild);
  const leaderboards = useQueries({
    queries: RANKED_METRICS.map(({ sortBy }) => ({
      ...topGuildsQuery(sortBy, MAX_NAMED_RANK),
      enabled: ranks === undefined,
    })),
  });
  if (!stats) return null;
  if (guild.opens_on_career) return careerBadgeText(guild.rank_career);
  if (ranks) return rankBadgeText(stats, ranks);
  if (leaderboards.some((query) => query.isPending)) return null;
  const failed = leaderboards.some((query) => query.isLoadingError);
  return rankBadgeText(
    stats,
    failed ? undefined : leaderboards.map((query) => rankOnLeaderboard(query.data ?? [], guild.short)),
  );
}

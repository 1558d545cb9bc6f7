import { useQueries } from "@tanstack/react-query";
import { topGuildsQuery } from "../../api/leaderboard";
import type { GuildStats, GuildView } from "../../api/types";
import { NAMED_PLACES, placeIn, placesOf, RANKED_BY, rankText } from "./guild-rank";

/** What the guild's rank badge says; null while that is not known. The boards are read when the profile has no ranks. */
export function useGuildRank(guild: GuildView, stats: GuildStats | undefined): string | null {
  const told = placesOf(guild);
  const boards = useQueries({
    queries: RANKED_BY.map(({ sortBy }) => ({ ...topGuildsQuery(sortBy, NAMED_PLACES), enabled: told === undefined })),
  });
  if (!stats) return null;
  if (told) return rankText(stats, told);
  if (boards.some((board) => board.isPending)) return null;
  const failed = boards.some((board) => board.isLoadingError);
  return rankText(stats, failed ? undefined : boards.map((board) => placeIn(board.data ?? [], guild.short)));
}

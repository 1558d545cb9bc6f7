// The text of a guild's rank badge: its best rank on four leaderboards.
import type { GuildStats, GuildView } from "../../api/types";

export const RANKED_METRICS = [
  { sortBy: "overall", category: "OVERALL" },
  { sortBy: "pu_player_kills", category: "PVP" },
  { sortBy: "pve_kills", category: "PVE" },
  { sortBy: "vehicle_destructions", category: "VEHICLE" },
] as const;

/** Lower ranks read *Ranked*. */
export const MAX_NAMED_RANK = 100;

/** `ranks` are in the order of `RANKED_METRICS`: null if the guild is not on the leaderboard, undefined if a request failed. */
export function rankBadgeText(stats: GuildStats, ranks: readonly (number | null)[] | undefined): string {
  if (stats.pu_player_kills === 0 && stats.pu_npc_kills === 0 && stats.pu_vehicle_destruction_caused === 0)
    return "Unranked";
  let best: { rank: number; category: string } | null = null;
  for (const [index, { category }] of RANKED_METRICS.entries()) {
    const rank = ranks?.[index];
    if (rank && rank <= MAX_NAMED_RANK && (best === null || rank < best.rank)) best = { rank, category };
  }
  return best ? `TOP ${best.rank} ${best.category}` : "Ranked";
}

/** The badge of a guild whose profile opens on the career. */
export function careerBadgeText(rank: number | null): string {
  if (rank === null) return "Unranked";
  return rank <= MAX_NAMED_RANK ? `TOP ${rank} CAREER` : "Ranked";
}

/** Returns the ranks in the profile, if it has any. */
export function ranksInProfile(guild: GuildView): (number | null)[] | undefined {
  const { rank_overall, rank_pvp, rank_pve, rank_vehicle } = guild;
  const ranks = [rank_overall, rank_pvp, rank_pve, rank_vehicle];
  return ranks.some((rank) => rank !== undefined) ? ranks.map((rank) => rank ?? null) : undefined;
}

/** Returns the rank of a tag in a list of rows. */
export function rankOnLeaderboard(rows: readonly { org_short: string }[], tag: string): number | null {
  const index = rows.findIndex((row) => row.org_short.toUpperCase() === tag.toUpperCase());
  return index < 0 ? null : index + 1;
}

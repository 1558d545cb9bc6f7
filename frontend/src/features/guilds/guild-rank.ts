// The best place of a guild among the four boards, as its page's badge says it.
import type { GuildStats, GuildView } from "../../api/types";

export const RANKED_METRICS = [
  { sortBy: "overall", category: "OVERALL" },
  { sortBy: "pu_player_kills", category: "PVP" },
  { sortBy: "pve_kills", category: "PVE" },
  { sortBy: "vehicle_destructions", category: "VEHICLE" },
] as const;

/** The badge names a place among this many; a place further down reads *Ranked*. */
export const MAX_NAMED_RANK = 100;

/** `places` are in the order of `RANKED_BY`, null where the guild is not on the board; undefined when a board failed. */
export function rankBadgeText(stats: GuildStats, ranks: readonly (number | null)[] | undefined): string {
  if (stats.pu_player_kills === 0 && stats.pu_npc_kills === 0 && stats.pu_vehicle_destruction_caused === 0)
    return "Unranked";
  let best: { place: number; category: string } | null = null;
  for (const [at, { category }] of RANKED_METRICS.entries()) {
    const place = ranks?.[at];
    if (place && place <= MAX_NAMED_RANK && (best === null || place < best.place)) best = { place, category };
  }
  return best ? `TOP ${best.place} ${best.category}` : "Ranked";
}

/** The places that the profile itself tells, when it does. */
export function ranksInProfile(guild: GuildView): (number | null)[] | undefined {
  const { rank_overall, rank_pvp, rank_pve, rank_vehicle } = guild;
  const ranks = [rank_overall, rank_pvp, rank_pve, rank_vehicle];
  return ranks.some((place) => place !== undefined) ? ranks.map((place) => place ?? null) : undefined;
}

/** Where a tag stands in a list of rows. */
export function rankInBoard(rows: readonly { org_short: string }[], tag: string): number | null {
  const at = rows.findIndex((row) => row.org_short.toUpperCase() === tag.toUpperCase());
  return at < 0 ? null : at + 1;
}

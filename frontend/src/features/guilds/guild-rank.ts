// The best place of a guild among the four boards, as its page's badge says it.
import type { GuildStats, GuildView } from "../../api/types";

export const RANKED_BY = [
  { sortBy: "overall", category: "OVERALL" },
  { sortBy: "pu_player_kills", category: "PVP" },
  { sortBy: "pve_kills", category: "PVE" },
  { sortBy: "vehicle_destructions", category: "VEHICLE" },
] as const;

/** The badge names a place among this many; a place further down reads *Ranked*. */
export const NAMED_PLACES = 100;

/** `places` are in the order of `RANKED_BY`, null where the guild is not on the board; undefined when a board failed. */
export function rankText(stats: GuildStats, places: readonly (number | null)[] | undefined): string {
  if (stats.pu_player_kills === 0 && stats.pu_npc_kills === 0 && stats.pu_vehicle_destruction_caused === 0)
    return "Unranked";
  let best: { place: number; category: string } | null = null;
  for (const [at, { category }] of RANKED_BY.entries()) {
    const place = places?.[at];
    if (place && place <= NAMED_PLACES && (best === null || place < best.place)) best = { place, category };
  }
  return best ? `TOP ${best.place} ${best.category}` : "Ranked";
}

/** The places that the profile itself tells, when it does. */
export function placesOf(guild: GuildView): (number | null)[] | undefined {
  const { rank_overall, rank_pvp, rank_pve, rank_vehicle } = guild;
  const told = [rank_overall, rank_pvp, rank_pve, rank_vehicle];
  return told.some((place) => place !== undefined) ? told.map((place) => place ?? null) : undefined;
}

/** Where a tag stands in a list of rows. */
export function placeIn(rows: readonly { org_short: string }[], tag: string): number | null {
  const at = rows.findIndex((row) => row.org_short.toUpperCase() === tag.toUpperCase());
  return at < 0 ? null : at + 1;
}

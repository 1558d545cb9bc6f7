// Decides what a player's page shows. The server enforces hiding.
import type { HiddenAnswer } from "../../api/players";
import type { GameStats, PlayerView } from "../../api/types";

export type Visibility = "shown" | "hidden" | "unclaimed" | "empty";

export function isHiddenAnswer(player: PlayerView | HiddenAnswer): player is HiddenAnswer {
  return !("game_stats" in player);
}

/** Reports whether the profile has any kills, deaths, vehicles, completed missions or time in the game. */
function hasStats(player: PlayerView): boolean {
  const { game_stats, missions_completed, playtime, universe_time, ships_flown } = player;
  const counters = Object.entries(game_stats).flatMap(([name, value]) =>
    /^(pu|ac)_/.test(name) ? [Number(value)] : [],
  );
  return [...counters, missions_completed, playtime, universe_time, ships_flown].some((figure) => figure > 0);
}

/** Returns what to show. Profiles that are neither hidden nor empty are public. */
export function visibilityOf(player: PlayerView | HiddenAnswer, canEdit: boolean): Visibility {
  if (isHiddenAnswer(player)) return "hidden";
  if (player.viewing_as_admin || player.viewing_as_owner || canEdit) return "shown";
  if (player.is_hidden || player.is_profile_hidden) return "hidden";
  if (hasStats(player)) return "shown";
  return player.is_claimed ? "empty" : "unclaimed";
}

/** Returns the sum of a counter in both game modes. */
export function both(stats: GameStats, name: string): number {
  return counterValue(stats, `pu_${name}`) + counterValue(stats, `ac_${name}`);
}

export function counterValue(stats: GameStats, name: string): number {
  const found = (stats as unknown as Record<string, unknown>)[name];
  return typeof found === "number" ? found : 0;
}

/** Returns destroyed vehicles, `caused` or `received`, including instant destructions. */
export function destroyedVehicles(stats: GameStats, mode: "pu" | "ac", side: "caused" | "received"): number {
  return (
    counterValue(stats, `${mode}_vehicle_destruction_${side}`) +
    counterValue(stats, `${mode}_vehicle_instant_destruction_${side}`)
  );
}

import { BOARD_MAX } from "../../api/leaderboard";

/** What stands below a board that goes no further. */
export function endNote(noun: "players" | "guilds", shown: number, total: number): string {
  if (shown >= BOARD_MAX) return `Showing top ${BOARD_MAX} ${noun}`;
  return `Reached display limit - ${shown} of ${total} ${noun} shown`;
}

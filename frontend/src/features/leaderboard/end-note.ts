import { BOARD_MAX_ROWS } from "../../api/leaderboard";

/** Returns the note below the last row; undefined if the leaderboard is shown completely and is shorter than the limit. */
export function endOfListText(noun: "players" | "guilds", shown: number, total: number): string | undefined {
  if (shown >= BOARD_MAX_ROWS) return `Showing top ${BOARD_MAX_ROWS} ${noun}`;
  return shown < total ? `Reached display limit - ${shown} of ${total} ${noun} shown` : undefined;
}

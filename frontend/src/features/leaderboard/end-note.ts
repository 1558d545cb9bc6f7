import { BOARD_MAX_ROWS } from "../../api/leaderboard";

/** The note below a board's last row; undefined when a board shorter than the limit is shown whole. */
export function endOfListText(noun: "players" | "guilds", shown: number, total: number): string | undefined {
  if (shown >= BOARD_MAX_ROWS) return `Showing top ${BOARD_MAX_ROWS} ${noun}`;
  return shown < total ? `Reached display limit - ${shown} of ${total} ${noun} shown` : undefined;
}

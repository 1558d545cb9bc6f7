// The players of an event and whether it counts for each of them.
import type { ActivityRow, EventEvidence } from "../../api/types";

type SideName = "killer" | "victim" | "player";

export interface Side {
  side: SideName;
  /** What the player is to the event. */
  role: string;
  name: string;
  isHidden: boolean;
  counts: boolean;
  /** Why it does not count for this side although it stands. */
  note: string | null;
}

/** The server's name for hidden players. */
const HIDDEN_NAME = "Hidden";

/** NPCs have no side. */
export function sidesOf(row: ActivityRow, { counts, reasons }: EventEvidence): Side[] {
  const isKill = /kill/.test(row.identifier ?? "");
  const players: [SideName, string, string | null, boolean][] = [
    ["killer", isKill ? "Killer" : "Attacker", row.killer, row.killer_is_npc],
    ["victim", isKill ? "Victim" : "Owner", row.victim, row.victim_is_npc],
    ["player", "Player", row.player_name, row.player_is_npc],
  ];
  return players.flatMap(([side, role, name, isNpc]) => {
    if (!name || isNpc || name.toLowerCase() === "unknown") return [];
    const isCounted = counts.includes(side);
    const isHidden = name === HIDDEN_NAME;
    const note = isCounted || reasons.length > 0 ? null : noteFor(side, isHidden ? "the player" : name);
    return [{ side, role, name, isHidden, counts: isCounted, note }];
  });
}

function noteFor(side: SideName, name: string): string {
  return side === "victim"
    ? `Counts against ${name} once their own account reports it, too.`
    : `Counts for ${name} once their own account or the other side reports it.`;
}

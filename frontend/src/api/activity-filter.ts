// Which of the four filters a row of a feed falls under, as the server sorts them. Used by feeds and by live events.

import type { ActivityFilter } from "./list-params";
import type { ActivityRow } from "./types";

export function filterOf(row: ActivityRow): ActivityFilter | null {
  const identifier = row.identifier ?? "";
  if (/^vehicle_|^seat_/.test(identifier)) return "vehicles";
  if (/^mission_|^objective$/.test(identifier)) return "missions";
  if (/kill/.test(identifier))
    return row.killer_is_npc || row.victim_is_npc || identifier.startsWith("npc") ? "pve" : "pvp";
  return null;
}

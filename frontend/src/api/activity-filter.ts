// The filter category of a feed row. The same rules as on the server, for live rows.

import type { ActivityFilter } from "./list-params";
import type { ActivityRow } from "./types";

export function filterOf(row: ActivityRow): ActivityFilter | null {
  const identifier = row.identifier ?? "";
  if (/^vehicle_|^seat_/.test(identifier)) return "vehicles";
  if (/^mission_|^objective$|^blueprint_/.test(identifier)) return "missions";
  if (/kill/.test(identifier))
    return row.killer_is_npc || row.victim_is_npc || identifier.startsWith("npc") ? "pve" : "pvp";
  return null;
}

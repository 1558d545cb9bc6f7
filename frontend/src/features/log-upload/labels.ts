// Words and units of a reading.
import { exact } from "../../lib/numbers";
import type { KindCount, LogReading } from "./reading";

const KIND_LABELS: Record<string, string> = {
  login: "Logins",
  logout: "Logouts",
  connection_success: "Arrivals in the universe",
  universe_left: "Departures from the universe",
  game_crashed: "Crashes of the game",
  seat_entered: "Seats entered",
  seat_exited: "Seats left",
  mission_accepted: "Contracts accepted",
  mission_start: "Contracts started",
  mission_complete: "Contracts completed",
  mission_completed: "Contracts completed",
  mission_updated: "Contract updates",
  objective: "Contract objectives",
  mission_ended: "Contracts ended",
  blueprint_received: "Blueprints received",
  payout: "Contract pay",
  place_visited: "Places visited",
  downed: "Incapacitations",
  ship_crashed: "Ships crashed",
  kill: "Kills and deaths",
  kill_log: "Kills and deaths",
  npc_kill: "NPC kills",
  "npc-kill": "NPC kills",
  vehicle_soft_death: "Vehicles disabled",
  vehicle_destruction: "Vehicles destroyed",
  vehicle_instant_destruction: "Vehicles destroyed in an instant",
};

export const kindLabel = ({ kind }: KindCount): string => KIND_LABELS[kind] ?? kind;

/** Why a log counts for nothing; null if it was read. */
export function stateText({ state, error }: LogReading): string | null {
  if (state === "empty") return "Not a log of the game, or of an unknown form";
  if (state === "copy") return "A copy of another log";
  if (state === "unreadable") return error ?? "Your browser could not read it";
  return null;
}

const UNITS = ["KB", "MB", "GB"];

/** `403 MB`, `1.2 GB`. */
export function byteSize(bytes: number): string {
  let size = bytes / 1000;
  let unit = 0;
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit > 1 ? size.toFixed(1) : exact(Math.ceil(size))} ${UNITS[unit]}`;
}

// A reading of logs for tests. All names are invented.

import { NO_TOTALS } from "../features/log-upload/join-logs";
import type {
  HandleReading,
  KindCount,
  LogReading,
  MonthTotals,
  Reading,
  Totals,
} from "../features/log-upload/reading";

const at = (text: string) => Date.parse(text);

export const totals = (more: Partial<Totals> = {}): Totals => ({ ...NO_TOTALS, ...more });
export const month = (name: string, more: Partial<Totals> = {}): MonthTotals => ({ month: name, ...totals(more) });

export const kind = (name: string, count: number, more: Partial<KindCount> = {}): KindCount => ({
  kind: name,
  count,
  sent: count,
  optIn: null,
  ...more,
});

export const log = (path: string, more: Partial<LogReading> = {}): LogReading => ({
  name: path.split("/").at(-1) ?? path,
  path,
  bytes: 4_000_000,
  state: "read",
  error: null,
  from: at("2025-04-07T18:00:00Z"),
  to: at("2026-05-02T20:00:00Z"),
  build: "9687209",
  patch: "ALPHA 4.1.0",
  channel: "LIVE",
  handle: "Ada_Quill",
  lines: 10_000,
  untimedLines: 0,
  nameless: 0,
  totals: totals({ events: 120 }),
  ...more,
});

export const handle = (name: string, more: Partial<HandleReading> = {}): HandleReading => ({
  handle: name,
  logs: 2,
  from: at("2025-04-07T18:00:00Z"),
  to: at("2026-05-02T20:00:00Z"),
  patches: ["ALPHA 4.1.0", "ALPHA 4.7.0"],
  channels: ["LIVE", "PTU"],
  totals: totals({
    events: 120,
    sessions: 4,
    universeSeconds: 30_000,
    contracts: 12,
    deaths: 3,
    kills: 2,
    npcKills: 9,
  }),
  months: [
    month("2025-11", { universeSeconds: 20_000, contracts: 5 }),
    month("2026-02", { universeSeconds: 10_000, contracts: 7 }),
  ],
  ships: [{ ship: "CRUS_Starlifter_C2", name: "C2 Hercules", entered: 14 }],
  kinds: [
    kind("seat_entered", 80),
    kind("mission_complete", 12),
    kind("payout", 8, { optIn: "pay" }),
    kind("game_crashed", 2, { sent: 0 }),
  ],
  uploadable: 100,
  ...more,
});

export const reading = (more: Partial<Reading> = {}): Reading => ({
  id: "r1",
  at: at("2026-05-03T09:00:00Z"),
  isComplete: true,
  bytes: 8_000_000,
  milliseconds: 900,
  logs: [log("logbackups/Game Build(9687209).log"), log("Game.log")],
  handles: [handle("Ada_Quill")],
  totals: totals({ events: 120 }),
  kinds: [],
  unknownShapes: [],
  upload: null,
  ...more,
});

import { expect, test } from "vitest";
import { joinReading, type LogSummary, NO_TOTALS } from "./join-logs";

const log = (handle: string | null, month: string, events: number): LogSummary => ({
  handle,
  build: null,
  patch: "ALPHA 4.1.0",
  channel: "LIVE",
  from: 1,
  to: 2,
  lines: 1,
  untimedLines: 0,
  nameless: 0,
  unknownShapes: [{ line: "<X> a", count: 1 }],
  totals: { ...NO_TOTALS, events },
  months: [{ month, ...NO_TOTALS, events }],
  kinds: [{ kind: "login", count: events, sent: events, optIn: null }],
  ships: [{ ship: "AEGS_Gladius", name: "Aegis Gladius", entered: 1 }],
});

test("logs of one player are joined, whatever the case of its name", () => {
  const facts = { id: "r", at: 0, isComplete: true, bytes: 1, milliseconds: 1 };
  const logs = [log("Ann", "2025-05", 2), log("ann", "2025-04", 3), log("Bob", "2025-04", 1), log(null, "2025-04", 1)];
  const reading = joinReading(facts, [], logs);
  expect(reading.totals.events).toBe(7);
  expect(reading.unknownShapes).toEqual([{ line: "<X> a", count: 4 }]);
  expect(reading.handles.map(({ handle, logs: count, uploadable }) => [handle, count, uploadable])).toEqual([
    ["Ann", 2, 5],
    ["Bob", 1, 1],
  ]);
  expect(reading.handles[0]?.months.map(({ month, events }) => [month, events])).toEqual([
    ["2025-04", 3],
    ["2025-05", 2],
  ]);
  expect(reading.handles[0]?.ships).toEqual([{ ship: "AEGS_Gladius", name: "Aegis Gladius", entered: 2 }]);
});

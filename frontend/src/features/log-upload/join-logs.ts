// What logs tell, joined: of each player, and of all.
import type {
  HandleReading,
  KindCount,
  LogReading,
  MonthTotals,
  Reading,
  ShipCount,
  Totals,
  UnknownShape,
} from "./reading";

/** What the parser says about one log. */
export interface LogSummary {
  handle: string | null;
  build: string | null;
  patch: string | null;
  channel: string | null;
  from: number | null;
  to: number | null;
  lines: number;
  untimedLines: number;
  nameless: number;
  unknownShapes: UnknownShape[];
  totals: Totals;
  months: MonthTotals[];
  kinds: KindCount[];
  ships: ShipCount[];
}

const MAX_SHAPES = 50;

export const NO_TOTALS: Totals = {
  events: 0,
  sessions: 0,
  universeSeconds: 0,
  contracts: 0,
  deaths: 0,
  downed: 0,
  kills: 0,
  npcKills: 0,
  crashes: 0,
};

/** Adds totals. Other fields of `one` are kept. */
export function plus<T extends Totals>(one: T, other: Totals): T {
  const sum = { ...one };
  for (const key of Object.keys(NO_TOTALS) as (keyof Totals)[]) sum[key] = (one[key] + other[key]) as T[keyof Totals];
  return sum;
}

/** Joins rows that have the same key. */
function joinRows<T>(rows: T[], keyOf: (row: T) => string, add: (one: T, other: T) => T): T[] {
  const joined = new Map<string, T>();
  for (const row of rows) {
    const known = joined.get(keyOf(row));
    joined.set(keyOf(row), known ? add(known, row) : row);
  }
  return [...joined.values()];
}

export const joinKinds = (kinds: KindCount[]): KindCount[] =>
  joinRows(
    kinds,
    (row) => row.kind,
    (one, other) => ({ ...one, count: one.count + other.count, sent: one.sent + other.sent }),
  ).sort((one, other) => other.count - one.count);

export const joinMonths = (months: MonthTotals[]): MonthTotals[] =>
  joinRows(months, (row) => row.month, plus).sort((one, other) => one.month.localeCompare(other.month));

export const joinShips = (ships: ShipCount[]): ShipCount[] =>
  joinRows(
    ships,
    (row) => row.ship,
    (one, other) => ({ ...one, entered: one.entered + other.entered }),
  ).sort((one, other) => other.entered - one.entered);

const joinShapes = (shapes: UnknownShape[]): UnknownShape[] =>
  joinRows(
    shapes,
    (row) => row.line,
    (one, other) => ({ ...one, count: one.count + other.count }),
  )
    .sort((one, other) => other.count - one.count)
    .slice(0, MAX_SHAPES);

const unique = (texts: (string | null)[]): string[] => [...new Set(texts.filter((text) => text !== null))];

/** Joins the logs of one player, oldest first. */
function joinHandle(handle: string, logs: LogSummary[]): HandleReading {
  const kinds = joinKinds(logs.flatMap((log) => log.kinds));
  const times = logs.flatMap((log) => [log.from, log.to]).filter((at) => at !== null);
  return {
    handle,
    logs: logs.length,
    from: Math.min(...times),
    to: Math.max(...times),
    patches: unique(logs.map((log) => log.patch)),
    channels: unique(logs.map((log) => log.channel)),
    totals: logs.reduce((sum, log) => plus(sum, log.totals), NO_TOTALS),
    months: joinMonths(logs.flatMap((log) => log.months)),
    ships: joinShips(logs.flatMap((log) => log.ships)),
    kinds,
    uploadable: kinds.reduce((sum, row) => sum + row.sent, 0),
  };
}

/** Joins what the logs tell. Handles are the same in any case of letters. */
export function joinReading(
  facts: Pick<Reading, "id" | "at" | "isComplete" | "bytes" | "milliseconds">,
  logs: LogReading[],
  summaries: LogSummary[],
): Reading {
  const byHandle = new Map<string, LogSummary[]>();
  for (const summary of summaries) {
    const key = summary.handle?.toLowerCase();
    if (key !== undefined) byHandle.set(key, [...(byHandle.get(key) ?? []), summary]);
  }
  return {
    ...facts,
    logs,
    handles: [...byHandle.values()]
      .map((own) => joinHandle(own[0]?.handle ?? "", own))
      .sort((one, other) => other.totals.events - one.totals.events),
    totals: summaries.reduce((sum, summary) => plus(sum, summary.totals), NO_TOTALS),
    kinds: joinKinds(summaries.flatMap((summary) => summary.kinds)),
    unknownShapes: joinShapes(summaries.flatMap((summary) => summary.unknownShapes)),
    upload: null,
  };
}

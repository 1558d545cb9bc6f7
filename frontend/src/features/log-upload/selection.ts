// What a reading holds of the players that are ticked.

import { joinKinds, joinMonths, joinShips, NO_TOTALS, plus } from "./join-logs";
import type { HandleReading, KindCount, MonthTotals, OptIn, Reading, ShipCount, Totals } from "./reading";

export interface Selection {
  handles: HandleReading[];
  totals: Totals;
  /** Every month from the first to the last. */
  months: MonthTotals[];
  ships: ShipCount[];
  /** `sent` is 0 for kinds that are not shared. */
  kinds: KindCount[];
  /** Events that leave the computer. */
  uploadable: number;
  patches: string[];
  channels: string[];
}

export function selectionOf(reading: Reading, ticked: readonly string[], share: readonly OptIn[]): Selection {
  const handles = reading.handles.filter(({ handle }) => ticked.includes(handle));
  const kinds = joinKinds(handles.flatMap((one) => one.kinds)).map((kind) =>
    kind.optIn && !share.includes(kind.optIn) ? { ...kind, sent: 0 } : kind,
  );
  return {
    handles,
    totals: handles.reduce((sum, one) => plus(sum, one.totals), NO_TOTALS),
    months: withEmptyMonths(joinMonths(handles.flatMap((one) => one.months))),
    ships: joinShips(handles.flatMap((one) => one.ships)),
    kinds,
    uploadable: kinds.reduce((sum, kind) => sum + kind.sent, 0),
    patches: [...new Set(handles.flatMap((one) => one.patches))],
    channels: [...new Set(handles.flatMap((one) => one.channels))],
  };
}

/** Adds the months between the first and the last one that are missing. */
function withEmptyMonths(months: readonly MonthTotals[]): MonthTotals[] {
  const [first, last] = [months[0]?.month, months.at(-1)?.month];
  if (!first || !last) return [];
  const filled: MonthTotals[] = [];
  for (let month = first; month <= last; month = monthAfter(month)) {
    filled.push(months.find((one) => one.month === month) ?? { month, ...NO_TOTALS });
  }
  return filled;
}

/** `2025-12` becomes `2026-01`. */
function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return number >= 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
}

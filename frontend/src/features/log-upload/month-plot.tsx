import { BarDotPlot } from "../../ui/bar-dot-plot";
import type { MonthTotals } from "./reading";

const nameFormat = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "long", timeZone: "UTC" });
const shortFormat = new Intl.DateTimeFormat("en-US", { month: "short", timeZone: "UTC" });
const startOf = (month: string) => Date.parse(`${month}-01T00:00:00Z`);
/** `November 2025`. */
const name = (month: string) => nameFormat.format(startOf(month));
/** `Nov ’25`. */
const shortName = (month: string) => `${shortFormat.format(startOf(month))} ’${month.slice(2, 4)}`;

/** Universe time and contracts by month. */
export function MonthPlot({ months }: { months: readonly MonthTotals[] }) {
  return (
    <BarDotPlot
      title="Universe time and contracts by month"
      points={months.map((one) => ({ period: one.month, seconds: one.universeSeconds, count: one.contracts }))}
      unit="Month"
      name={name}
      shortName={shortName}
      labels={{ seconds: "Hours in the universe", count: "Contracts" }}
    />
  );
}

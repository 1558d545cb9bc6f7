// Universe time and contracts by day.
import type { CareerDay } from "../../api/types";
import { utcDate, utcDay } from "../../lib/times";
import { BarDotPlot } from "../../ui/bar-dot-plot";

export function CareerPlot({ days }: { days: readonly CareerDay[] }) {
  if (days.every((day) => day.universe_time + day.contracts === 0))
    return <p className="quiet">No time in the universe in these {days.length} days.</p>;
  return (
    <BarDotPlot
      title="Universe time and contracts by day"
      points={days.map(({ day, universe_time, contracts }) => ({
        period: day,
        seconds: universe_time,
        count: contracts,
      }))}
      unit="Day"
      name={utcDate}
      shortName={utcDay}
      labels={{ seconds: "Hours in the universe", count: "Contracts" }}
    />
  );
}

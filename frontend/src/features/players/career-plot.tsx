// Universe time and contracts by day: bars with the left axis, dots with the right one.
import type { CareerDay } from "../../api/types";
import { exact } from "../../lib/numbers";
import { valueTicks } from "../../lib/plot";
import { duration, utcDate } from "../../lib/times";
import { ScreenReaderTable } from "../../ui/bar-plot";
import { counted, DayAxis, PlotArea } from "../../ui/line-plot";
import plotCss from "../../ui/plot.module.css";
import css from "./career-plot.module.css";

const HOUR = 3_600;
const TITLE = "Universe time and contracts by day";

export function CareerPlot({ days }: { days: readonly CareerDay[] }) {
  const hours = valueTicks(Math.max(0, ...days.map((day) => day.universe_time / HOUR)));
  const contracts = valueTicks(Math.max(0, ...days.map((day) => day.contracts)));
  const most = { hours: hours.at(-1) ?? 1, contracts: contracts.at(-1) ?? 1 };
  const last = Math.max(1, days.length - 1);
  const names = days.map(({ day }) => day);
  if (days.every((day) => day.universe_time + day.contracts === 0))
    return <p className="quiet">No time in the universe in these {days.length} days.</p>;
  const tip = (index: number) => {
    const day = days[index];
    return day ? `${duration(day.universe_time)}, ${counted(day.contracts, "Contracts")}` : "";
  };
  return (
    <figure>
      <ScreenReaderTable
        title={TITLE}
        heads={["Day (UTC)", "Universe time", "Contracts"]}
        rows={days.map((day) => [utcDate(day.day), duration(day.universe_time), exact(day.contracts)])}
      />
      <div className={`${plotCss.line} ${css.plot}`}>
        <Axis ticks={hours} unit="h" />
        <PlotArea
          title={TITLE}
          days={names}
          tip={tip}
          level={(index) => (days[index]?.universe_time ?? 0) / HOUR / most.hours}
        >
          <svg aria-hidden="true" viewBox="0 0 100 100" preserveAspectRatio="none">
            {hours.map((tick) => (
              <path key={tick} d={`M0,${100 - (tick / most.hours) * 100}H100`} className={plotCss.grid} />
            ))}
            {days.map(({ day, universe_time }, index) => {
              const height = (universe_time / HOUR / most.hours) * 100;
              const width = 70 / days.length;
              return (
                <rect
                  key={day}
                  x={(index / last) * (100 - width)}
                  y={100 - height}
                  width={width}
                  height={height}
                  className={css.bar}
                />
              );
            })}
          </svg>
          {days.map(({ day, contracts }, index) =>
            contracts > 0 ? (
              <span
                key={day}
                aria-hidden="true"
                className={css.dot}
                style={{ left: `${(index / last) * 100}%`, bottom: `${(contracts / most.contracts) * 100}%` }}
              />
            ) : null,
          )}
        </PlotArea>
        <Axis ticks={contracts} right />
        <DayAxis days={names} />
      </div>
      <figcaption className={css.legend}>
        <span>
          <span className={css.barKey} /> Hours in the universe (left)
        </span>
        <span>
          <span className={css.dotKey} /> Contracts (right)
        </span>
        <span className="quiet">per day, days in UTC</span>
      </figcaption>
    </figure>
  );
}

function Axis({ ticks, unit = "", right = false }: { ticks: readonly number[]; unit?: string; right?: boolean }) {
  const top = ticks.at(-1) ?? 1;
  return (
    <div aria-hidden="true" className={right ? css.rightAxis : plotCss.valueAxis}>
      {ticks.map((tick) => (
        <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
          {tick}
          {unit}
        </span>
      ))}
    </div>
  );
}

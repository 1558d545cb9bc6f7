// Hours and a count over time: bars with the left axis, dots with the right one. Screen readers get a table.
import { exact } from "../lib/numbers";
import { valueTicks } from "../lib/plot";
import { duration } from "../lib/times";
import css from "./bar-dot-plot.module.css";
import { ScreenReaderTable } from "./bar-plot";
import { counted, DayAxis, PlotArea } from "./line-plot";
import plotCss from "./plot.module.css";

const HOUR = 3_600;

interface Point {
  /** A day or a month. */
  period: string;
  seconds: number;
  count: number;
}

interface BarDotPlotProps {
  title: string;
  /** Oldest first. */
  points: readonly Point[];
  /** `Day`. */
  unit: string;
  /** The name of a period, and its abbreviation for the axis. */
  name: (period: string) => string;
  shortName: (period: string) => string;
  /** `Hours in the universe`, and in the plural what is counted: `Contracts`. */
  labels: { seconds: string; count: string };
}

export function BarDotPlot({ title, points, unit, name, shortName, labels }: BarDotPlotProps) {
  const hourTicks = valueTicks(Math.max(0, ...points.map(({ seconds }) => seconds / HOUR)));
  const countTicks = valueTicks(Math.max(0, ...points.map(({ count }) => count)));
  const [mostHours, mostCounted] = [hourTicks.at(-1) ?? 1, countTicks.at(-1) ?? 1];
  const periods = points.map(({ period }) => period);
  const hoursAt = (index: number) => (points[index]?.seconds ?? 0) / HOUR / mostHours;
  const tip = (index: number) =>
    `${duration(points[index]?.seconds ?? 0)}, ${counted(points[index]?.count ?? 0, labels.count)}`;
  return (
    <figure>
      <ScreenReaderTable
        title={title}
        heads={[`${unit} (UTC)`, labels.seconds, labels.count]}
        rows={points.map(({ period, seconds, count }) => [name(period), duration(seconds), exact(count)])}
      />
      <div className={`${plotCss.line} ${css.plot}`}>
        <Axis ticks={hourTicks} unit="h" />
        <PlotArea
          title={title}
          days={periods}
          name={(period) => `${name(period)} UTC`}
          isBanded
          tip={tip}
          level={hoursAt}
        >
          <Bars ticks={hourTicks} points={points} most={mostHours} />
          {points.map(({ period, count }, index) => {
            const style = {
              left: `${((index + 0.5) / points.length) * 100}%`,
              bottom: `${(count / mostCounted) * 100}%`,
            };
            return count > 0 ? <span key={period} aria-hidden="true" className={css.dot} style={style} /> : null;
          })}
        </PlotArea>
        <Axis ticks={countTicks} right />
        <DayAxis days={periods} name={shortName} isBanded />
      </div>
      <figcaption className={css.legend}>
        <span>
          <span className={css.barKey} /> {labels.seconds} (left)
        </span>
        <span>
          <span className={css.dotKey} /> {labels.count} (right)
        </span>
        <span className="quiet">
          per {unit.toLowerCase()}, {unit.toLowerCase()}s in UTC
        </span>
      </figcaption>
    </figure>
  );
}

function Bars({ ticks, points, most }: { ticks: readonly number[]; points: readonly Point[]; most: number }) {
  const band = 100 / Math.max(1, points.length);
  return (
    <svg aria-hidden="true" viewBox="0 0 100 100" preserveAspectRatio="none">
      {ticks.map((tick) => (
        <path key={tick} d={`M0,${100 - (tick / most) * 100}H100`} className={plotCss.grid} />
      ))}
      {points.map(({ period, seconds }, index) => {
        const height = (seconds / HOUR / most) * 100;
        const [x, width] = [(index + 0.15) * band, 0.7 * band];
        return <rect key={period} x={x} y={100 - height} width={width} height={height} className={css.bar} />;
      })}
    </svg>
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

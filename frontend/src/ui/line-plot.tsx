// A plot over days, drawn as SVG without a library: the first view of a player has one, and the first load has a limit.
import { exact, short } from "../lib/numbers";
import { dayTicks, linePath, valueTicks } from "../lib/plot";
import { utcDay } from "../lib/times";
import { TableTwin } from "./bar-plot";
import css from "./plot.module.css";

interface LinePlotProps {
  title: string;
  /** `YYYY-MM-DD` in UTC, oldest first. */
  days: readonly string[];
  values: readonly number[];
  unit: string;
  /** A token's name, such as `--metric-pvp`. */
  hue?: string;
  /** With the axis of days. Pixels. */
  height?: number;
}

export function LinePlot({ title, days, values, unit, hue = "--text", height = 160 }: LinePlotProps) {
  const ticks = valueTicks(Math.max(0, ...values));
  const top = ticks.at(-1) ?? 1;
  const last = Math.max(1, days.length - 1);
  return (
    <figure>
      <TableTwin title={title} heads={["Day", unit]} rows={days.map((day, at) => [day, exact(values[at] ?? 0)])} />
      <div aria-hidden="true" className={css.line} style={{ height, color: `var(${hue})` }}>
        <div className={css.valueAxis}>
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
              {short(tick)}
            </span>
          ))}
        </div>
        <svg aria-hidden="true" className={css.field} viewBox="0 0 100 100" preserveAspectRatio="none">
          {ticks.map((tick) => (
            <path key={tick} d={`M0,${100 - (tick / top) * 100}H100`} className={css.grid} />
          ))}
          <path d={linePath(values, top, true)} className={css.area} />
          <path d={linePath(values, top)} className={css.stroke} />
        </svg>
        <div className={css.dayAxis}>
          {dayTicks(days.length).map((at) => (
            <span
              key={days[at]}
              style={{ left: `${(at / last) * 100}%` }}
              data-end={at === days.length - 1 || undefined}
            >
              {utcDay(days[at] ?? "")}
            </span>
          ))}
        </div>
      </div>
    </figure>
  );
}

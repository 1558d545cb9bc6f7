// A line plot by day, as SVG without a library: it is part of a player's first load, whose size is limited.
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { exact, short } from "../lib/numbers";
import { dayTicks, linePath, valueTicks } from "../lib/plot";
import { utcDate, utcDay } from "../lib/times";
import { ScreenReaderTable } from "./bar-plot";
import css from "./plot.module.css";

interface LinePlotProps {
  title: string;
  /** `YYYY-MM-DD` in UTC, oldest first. */
  days: readonly string[];
  values: readonly number[];
  /** The counted unit in the plural: `Kills`. */
  unit: string;
  /** The name of a color token, such as `--metric-pvp`. */
  hue?: string;
  /** Including the day axis. Pixels. */
  height?: number;
}

export function LinePlot({ title, days, values, unit, hue = "--text", height = 160 }: LinePlotProps) {
  const ticks = valueTicks(Math.max(0, ...values));
  const top = ticks.at(-1) ?? 1;
  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    <figure>
      <ScreenReaderTable
        title={title}
        heads={["Day (UTC)", unit]}
        rows={days.map((day, index) => [utcDate(day), exact(values[index] ?? 0)])}
      />
      <div className={css.line} style={{ height, color: `var(${hue})` }}>
        <div aria-hidden="true" className={css.valueAxis}>
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
              {short(tick)}
            </span>
          ))}
        </div>
        <PlotArea
          title={title}
          days={days}
          tip={(day) => counted(values[day] ?? 0, unit)}
          level={(day) => (values[day] ?? 0) / top}
        >
          <svg aria-hidden="true" viewBox="0 0 100 100" preserveAspectRatio="none">
            {ticks.map((tick) => (
              <path key={tick} d={`M0,${100 - (tick / top) * 100}H100`} className={css.grid} />
            ))}
            <path d={linePath(values, top, true)} className={css.area} />
            <path d={linePath(values, top)} className={css.stroke} />
          </svg>
        </PlotArea>
        <DayAxis days={days} />
      </div>
      <figcaption className={css.legend}>
        <span className={css.key} style={{ background: `var(${hue})` }} />
        {unit} per day, days in UTC
        <span className={css.total}>
          Total <span className="number">{exact(total)}</span>
        </span>
      </figcaption>
    </figure>
  );
}

/** The position of a value in percent of the width: of points from edge to edge, or of the center of bands of equal width. */
function leftOf(index: number, count: number, isBanded = false): number {
  if (isBanded) return ((index + 0.5) / Math.max(1, count)) * 100;
  return count < 2 ? 50 : (index / (count - 1)) * 100;
}

interface DayAxisProps {
  days: readonly string[];
  name?: (day: string) => string;
  isBanded?: boolean;
}

/** The labels of the days below a plot. */
export function DayAxis({ days, name = utcDay, isBanded }: DayAxisProps) {
  return (
    <div aria-hidden="true" className={css.dayAxis}>
      {dayTicks(days.length).map((index) => (
        <span
          key={days[index]}
          style={{ left: `${leftOf(index, days.length, isBanded)}%` }}
          data-end={leftOf(index, days.length, isBanded) > 92 || undefined}
        >
          {name(days[index] ?? "")}
        </span>
      ))}
    </div>
  );
}

const utcDateName = (day: string) => `${utcDate(day)} UTC`;

interface PlotAreaProps extends Pick<LinePlotProps, "title" | "days"> {
  /** The values of a day: `1,234 kills`. */
  tip: (day: number) => string;
  /** The height of a day's value, 0 to 1. */
  level: (day: number) => number;
  name?: (day: string) => string;
  isBanded?: boolean;
  children: ReactNode;
}

/** The plotting area with a cursor that shows one day: on hover, tap and drag, and by the keys of a slider. Esc hides it. */
export function PlotArea({ title, days, tip, level, name = utcDateName, isBanded, children }: PlotAreaProps) {
  const field = useRef<HTMLDivElement>(null);
  const [chosenIndex, setChosen] = useState<number | null>(null);
  const last = days.length - 1;
  const index = chosenIndex === null ? null : Math.min(chosenIndex, last);
  const text = (day: number) => `${name(days[day] ?? "")}: ${tip(day)}`;
  const point = ({ clientX }: PointerEvent) => {
    const box = field.current?.getBoundingClientRect();
    if (!box || last < 0) return;
    const part = box.width > 0 ? (clientX - box.left) / box.width : 0;
    const position = Math.min(1, Math.max(0, part));
    setChosen(isBanded ? Math.min(last, Math.floor(position * days.length)) : Math.round(position * last));
  };
  useEffect(() => {
    if (index === null) return;
    // Touch has no pointer that leaves; the next tap elsewhere hides the cursor.
    const outside = (event: globalThis.PointerEvent) =>
      !field.current?.contains(event.target as Node) && setChosen(null);
    const press = (event: KeyboardEvent) => event.key === "Escape" && setChosen(null);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", press);
    };
  }, [index]);
  const left = leftOf(index ?? 0, days.length, isBanded);
  return (
    <div
      ref={field}
      className={css.field}
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && setChosen(null)}
    >
      {children}
      <input
        type="range"
        aria-label={title}
        aria-valuetext={text(index ?? last)}
        min={0}
        max={Math.max(0, last)}
        value={index ?? Math.max(0, last)}
        onChange={(event) => setChosen(Number(event.target.value))}
        onFocus={() => setChosen((now) => now ?? last)}
        onBlur={() => setChosen(null)}
      />
      {index !== null && index >= 0 && (
        <div aria-hidden="true" className={css.cursor} style={{ left: `${left}%` }}>
          <span className={css.dot} style={{ bottom: `${level(index) * 100}%` }} />
          <span className={css.tip} style={{ transform: `translateX(-${left}%)` }}>
            <span className="quiet">{name(days[index] ?? "")}</span>
            <strong>{tip(index)}</strong>
          </span>
        </div>
      )}
    </div>
  );
}

/** `1 kill`, `1,234 kills`. */
export function counted(value: number, unit: string): string {
  const word = unit.toLowerCase();
  return `${exact(value)} ${value === 1 ? word.replace(/s$/, "") : word}`;
}

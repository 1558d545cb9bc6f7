import { useId } from "react";
import { exact, short } from "../lib/numbers";
import { Name } from "./name";
import css from "./plot.module.css";

export interface Bar {
  label: string;
  value: number;
  /** A color token, such as `var(--metric-pvp)`. */
  hue?: string;
}

/** Horizontal bars of names, relative to the largest. Screen readers get a table. */
export function BarPlot({ title, bars, unit }: { title: string; bars: readonly Bar[]; unit: string }) {
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  return (
    <figure>
      <ScreenReaderTable
        title={title}
        heads={["Name", unit]}
        rows={bars.map((bar) => [bar.label, exact(bar.value)])}
        isOfNames
      />
      <div aria-hidden="true" className={css.bars}>
        {bars.map((bar) => (
          <div key={bar.label} title={`${bar.label}: ${exact(bar.value)} ${unit}`}>
            <span className={css.barLabel}>
              <Name>{bar.label}</Name>
            </span>
            <svg aria-hidden="true" width="100%" height="8" preserveAspectRatio="none" viewBox="0 0 100 8">
              <rect width="100" height="8" fill="var(--raised-2)" />
              <rect width={(bar.value / most) * 100} height="8" fill={bar.hue ?? "var(--text)"} />
            </svg>
            <span className="number" data-exact={exact(bar.value)}>
              {short(bar.value)}
            </span>
          </div>
        ))}
      </div>
    </figure>
  );
}

/** A visually hidden table with the data of a plot. */
export function ScreenReaderTable({
  title,
  heads,
  rows,
  isOfNames = false,
}: {
  title: string;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
  isOfNames?: boolean;
}) {
  const id = useId();
  // A table cannot shrink to a hidden size; the element around it can.
  return (
    <div className="visually-hidden">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={id + head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...rest]) => (
            <tr key={first}>
              <th scope="row">{isOfNames ? <Name>{first}</Name> : first}</th>
              {rest.map((cell, index) => (
                <td key={`${first} ${heads[index + 1]}`}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

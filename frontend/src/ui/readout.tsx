import type { ReactNode } from "react";
import { exact } from "../lib/numbers";
import { Figure } from "./figure";
import { hueOf, MetricLabel, type MetricName } from "./metric";
import css from "./readout.module.css";
import { RollingFigure } from "./rolling-figure";

export interface Reading {
  metric: MetricName;
  word?: string;
  value: number;
  seconds?: boolean;
  /** Below the figure: a rank, a share. */
  note?: ReactNode;
}

/**
 * A strip of large figures, each with its metric's icon, word and hue. They roll when they change. Narrow screens show them in
 * rows of equal length: two rows of three, or one of four.
 */
export function Readout({ label, readings }: { label: string; readings: readonly Reading[] }) {
  const columns = readings.length === 4 ? 4 : 3;
  return (
    <dl
      className={css.strip}
      aria-label={label}
      data-columns={columns}
      style={{ "--n": readings.length } as React.CSSProperties}
    >
      {readings.map(({ metric, word, value, seconds, note }) => (
        <div key={word ?? metric} style={hueOf(metric)}>
          <dt className="label">
            <MetricLabel metric={metric} word={word} />
          </dt>
          <dd className={css.value}>{seconds ? <Figure value={value} seconds /> : <RollingFigure value={value} />}</dd>
          {note ? <dd className={css.note}>{note}</dd> : null}
        </div>
      ))}
    </dl>
  );
}

/** `#12`, or a dash when there is no rank. */
export function rankNote(rank: number | null | undefined): string {
  return rank ? `#${exact(rank)}` : "Unranked";
}

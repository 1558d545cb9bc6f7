import type { ReactNode } from "react";
import { exact } from "../lib/numbers";
import { FormattedNumber } from "./formatted-number";
import { hueStyle, MetricLabel, type MetricName } from "./metric";
import { RollingNumber } from "./rolling-number";
import css from "./stat-strip.module.css";

export interface Stat {
  metric: MetricName;
  label?: string;
  value: number;
  seconds?: boolean;
  /** Shown below the number: a rank, a share. */
  note?: ReactNode;
}

interface StatStripProps {
  label: string;
  stats: readonly Stat[];
  /** False for numbers that change all the time, and would roll without end. */
  isRolling?: boolean;
}

/**
 * A row of large numbers with their metrics. Changes roll. Narrow screens wrap to rows of equal length: two rows of three, or
 * one of four.
 */
export function StatStrip({ label, stats, isRolling = true }: StatStripProps) {
  const columns = stats.length === 4 ? 4 : 3;
  return (
    <dl
      className={css.strip}
      aria-label={label}
      data-columns={columns}
      style={{ "--n": stats.length } as React.CSSProperties}
    >
      {stats.map(({ metric, label, value, seconds, note }) => (
        <div key={label ?? metric} style={hueStyle(metric)}>
          <dt className="label">
            <MetricLabel metric={metric} label={label} />
          </dt>
          <dd className={css.value}>
            {isRolling && !seconds ? (
              <RollingNumber value={value} />
            ) : (
              <FormattedNumber value={value} seconds={seconds} />
            )}
          </dd>
          {note ? <dd className={css.note}>{note}</dd> : null}
        </div>
      ))}
    </dl>
  );
}

/** `#12`, or `Unranked`. */
export function rankText(rank: number | null | undefined): string {
  return rank ? `#${exact(rank)}` : "Unranked";
}

import { useState } from "react";
import { exact, percent } from "../../lib/numbers";
import { Button } from "../../ui/button";
import { FormattedNumber } from "../../ui/formatted-number";
import { hueStyle, type MetricName } from "../../ui/metric";
import css from "./usage-table.module.css";

export interface UseRow {
  id: string;
  name: string;
  type: string;
  value: number;
  /** A further column, such as headshots. */
  extra?: string;
}

interface UseTableProps {
  title: string;
  /** What a row is, and what is counted: `Weapon`, `Kills`. */
  heads: { name: string; value: string; extra?: string };
  rows: readonly UseRow[];
  metric: MetricName;
  /** How many rows stand there at first. */
  first?: number;
  /** Without kind, share and further columns. */
  compact?: boolean;
}

/** Weapons or vehicles by use: each row a figure and a bar drawn to the largest. It is a table for everybody. */
export function UseTable({ title, heads, rows, metric, first, compact = false }: UseTableProps) {
  const [all, setAll] = useState(false);
  const most = Math.max(1, ...rows.map((row) => row.value));
  const whole = rows.reduce((sum, row) => sum + row.value, 0);
  const shown = first === undefined || all ? rows : rows.slice(0, first);
  const extra = !compact && heads.extra !== undefined && rows.some((row) => row.extra);
  return (
    <>
      <table className={css.table} data-compact={compact || undefined} style={hueStyle(metric)}>
        <caption className="visually-hidden">{title}</caption>
        <thead className="label">
          <tr>
            <th scope="col">{heads.name}</th>
            {!compact && (
              <th scope="col" className={css.wide}>
                Type
              </th>
            )}
            {extra && (
              <th scope="col" className={css.number}>
                {heads.extra}
              </th>
            )}
            {!compact && (
              <th scope="col" className={css.wide} data-number>
                Share
              </th>
            )}
            <th scope="col" className={css.number}>
              {heads.value}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.id} style={{ "--part": row.value / most } as React.CSSProperties}>
              <th scope="row">
                {row.name}
                <span className={css.bar} aria-hidden="true" />
              </th>
              {!compact && <td className={css.wide}>{row.type}</td>}
              {extra && <td className={css.number}>{row.extra ?? "–"}</td>}
              {!compact && (
                <td className={css.wide} data-number>
                  {percent(row.value, whole)}%
                </td>
              )}
              <td className={css.number}>
                <FormattedNumber value={row.value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {first !== undefined && rows.length > first && !all && (
        <Button className={css.more} onClick={() => setAll(true)}>
          Show all {exact(rows.length)}
        </Button>
      )}
    </>
  );
}

import { useState } from "react";
import { exact, percent } from "../../lib/numbers";
import css from "../../ui/bar-table.module.css";
import { Button } from "../../ui/button";
import { FormattedNumber } from "../../ui/formatted-number";
import { hueStyle, type MetricName } from "../../ui/metric";
import { Name } from "../../ui/name";

export interface UsageRow {
  id: string;
  name: string;
  type: string;
  value: number;
  /** An additional column, such as headshots. */
  extra?: string;
}

interface UsageTableProps {
  title: string;
  /** The headings of name and count: `Weapon`, `Kills`. */
  headings: { name: string; value: string; extra?: string };
  rows: readonly UsageRow[];
  metric: MetricName;
  /** Rows shown before *Show all*. */
  initialRows?: number;
  /** Without type, share and additional columns. */
  compact?: boolean;
}

/** A table of weapons or vehicles by use, with bars relative to the largest value. */
export function UsageTable({ title, headings, rows, metric, initialRows, compact = false }: UsageTableProps) {
  const [isExpanded, setExpanded] = useState(false);
  const max = Math.max(1, ...rows.map((row) => row.value));
  const total = rows.reduce((sum, row) => sum + row.value, 0);
  const shown = initialRows === undefined || isExpanded ? rows : rows.slice(0, initialRows);
  const extra = !compact && headings.extra !== undefined && rows.some((row) => row.extra);
  return (
    <>
      <table className={css.table} data-compact={compact || undefined} style={hueStyle(metric)}>
        <caption className="visually-hidden">{title}</caption>
        <thead className="label">
          <HeadingRow headings={headings} compact={compact} extra={extra} />
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.id} style={{ "--part": row.value / max } as React.CSSProperties}>
              <th scope="row">
                <Name>{row.name}</Name>
                <span className={css.bar} aria-hidden="true" />
              </th>
              {!compact && <td className={css.wide}>{row.type}</td>}
              {extra && <td className={css.number}>{row.extra ?? "–"}</td>}
              {!compact && (
                <td className={css.wide} data-number>
                  {percent(row.value, total)}%
                </td>
              )}
              <td className={css.number}>
                <FormattedNumber value={row.value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {initialRows !== undefined && rows.length > initialRows && !isExpanded && (
        <Button className={css.more} onClick={() => setExpanded(true)}>
          Show all {exact(rows.length)}
        </Button>
      )}
    </>
  );
}

interface HeadingRowProps {
  headings: UsageTableProps["headings"];
  compact: boolean;
  extra: boolean;
}

function HeadingRow({ headings, compact, extra }: HeadingRowProps) {
  return (
    <tr>
      <th scope="col">{headings.name}</th>
      {!compact && (
        <th scope="col" className={css.wide}>
          Type
        </th>
      )}
      {extra && (
        <th scope="col" className={css.number}>
          {headings.extra}
        </th>
      )}
      {!compact && (
        <th scope="col" className={css.wide} data-number>
          Share
        </th>
      )}
      <th scope="col" className={css.number}>
        {headings.value}
      </th>
    </tr>
  );
}

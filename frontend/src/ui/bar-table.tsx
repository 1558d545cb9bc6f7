import { type CSSProperties, useState } from "react";
import { exact } from "../lib/numbers";
import css from "./bar-table.module.css";
import { Button } from "./button";
import { hueStyle, type MetricName } from "./metric";

const SHOWN_ROWS = 6;

interface BarTableProps {
  title: string;
  empty: string;
  hue: MetricName;
  heads: readonly string[];
  /** The columns that phones show beside the name. */
  narrow: readonly number[];
  rows: readonly { name: string; part: number; cells: readonly string[] }[];
}

/** A section with a table whose first column has bars relative to the largest value. */
export function BarTable({ title, empty, hue, heads, narrow, rows }: BarTableProps) {
  const [isExpanded, setExpanded] = useState(false);
  const id = title.toLowerCase().replaceAll(" ", "-");
  const className = (column: number) => (narrow.includes(column) ? css.number : `${css.number} ${css.wide}`);
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={css.title}>
        {title}
      </h2>
      {rows.length === 0 && <p className="quiet">{empty}</p>}
      {rows.length > 0 && (
        <table className={css.table} style={hueStyle(hue)}>
          <caption className="visually-hidden">{title}</caption>
          <thead className="label">
            <tr>
              {heads.map((head, column) => (
                <th key={head} scope="col" className={column === 0 ? undefined : className(column)}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(isExpanded ? rows : rows.slice(0, SHOWN_ROWS)).map(({ name, part, cells }) => (
              <tr key={name} style={{ "--part": part } as CSSProperties}>
                <th scope="row">
                  <span translate="no">{name}</span>
                  <span className={css.bar} aria-hidden="true" />
                </th>
                {cells.map((cell, index) => (
                  <td key={heads[index + 1]} className={className(index + 1)}>
                    <span className="number">{cell}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > SHOWN_ROWS && !isExpanded && (
        <Button className={css.more} onClick={() => setExpanded(true)}>
          Show all {exact(rows.length)}
        </Button>
      )}
    </section>
  );
}

import type { ReactNode } from "react";
import css from "./record-table.module.css";

interface RecordTableProps {
  caption: string;
  headings: readonly string[];
  rows: readonly { id: string; cells: readonly ReactNode[] }[];
  /** The headings of columns with figures. */
  figures?: readonly string[];
  /** On narrow screens, each row becomes a list of its cells. */
  folds?: boolean;
}

/** A table of records. Its roles are explicit, because browsers drop those of elements with another `display`. */
export function RecordTable({ caption, headings, rows, figures = [], folds = false }: RecordTableProps) {
  return (
    <table role="table" className={css.table} data-folds={folds || undefined}>
      <caption className="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {headings.map((heading) => (
            <th key={heading} scope="col" role="columnheader" data-figure={figures.includes(heading) || undefined}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(({ id, cells }) => (
          <tr key={id} role="row">
            {cells.map((cell, index) => (
              <Cell key={headings[index]} heading={headings[index] ?? ""} figures={figures}>
                {cell}
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CellProps {
  heading: string;
  figures: readonly string[];
  children: ReactNode;
}

/** Elements may wrap anywhere; figures and short texts do not wrap. */
function Cell({ heading, figures, children }: CellProps) {
  const isShort = typeof children === "string" || typeof children === "number";
  return (
    <td
      role="cell"
      data-heading={heading}
      data-figure={figures.includes(heading) || undefined}
      data-short={isShort || undefined}
    >
      {children}
    </td>
  );
}

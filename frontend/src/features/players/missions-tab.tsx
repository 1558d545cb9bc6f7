// The missions tab: accepted and completed contracts. Loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { playerMissionsQuery } from "../../api/players";
import type { MissionRow } from "../../api/types";
import { exact, percent } from "../../lib/numbers";
import { unescapeEntities } from "../../lib/text";
import css from "../../ui/bar-table.module.css";
import { Button } from "../../ui/button";
import { FormattedNumber } from "../../ui/formatted-number";
import { hueStyle } from "../../ui/metric";
import { Name } from "../../ui/name";
import { EmptyState } from "../../ui/states";
import sectionCss from "./section.module.css";
import { TableSkeleton } from "./table-skeleton";

const INITIAL_MISSIONS = 5;

export default function MissionsTab({ handle }: { handle: string }) {
  const { data, isLoadingError } = useQuery(playerMissionsQuery(handle));
  const [isExpanded, setExpanded] = useState(false);
  if (!data && !isLoadingError) return <TableSkeleton rows={INITIAL_MISSIONS} />;
  const rows = data ?? [];
  if (rows.length === 0) return <EmptyState title="No missions recorded">Accepted contracts appear here.</EmptyState>;
  return (
    <section aria-labelledby="missions">
      <div className={sectionCss.head}>
        <h2 id="missions">Missions</h2>
      </div>
      <table className={css.table} style={hueStyle("missions")}>
        <caption className="visually-hidden">Missions by contract</caption>
        <thead className="label">
          <tr>
            <th scope="col">Mission</th>
            <th scope="col" className={css.wide}>
              Type
            </th>
            <th scope="col" className={css.number}>
              Accepted
            </th>
            <th scope="col" className={css.number}>
              Done
            </th>
            <th scope="col" className={css.number}>
              Rate
            </th>
          </tr>
        </thead>
        <tbody>
          {(isExpanded ? rows : rows.slice(0, INITIAL_MISSIONS)).map((row) => (
            <Mission key={row.id} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length > INITIAL_MISSIONS && !isExpanded && (
        <Button className={css.more} onClick={() => setExpanded(true)}>
          Show all {exact(rows.length)}
        </Button>
      )}
    </section>
  );
}

function Mission({ row }: { row: MissionRow }) {
  const rate =
    row.success_rate === null ? percent(row.missions_completed, row.missions_accepted) : row.success_rate.toFixed(1);
  return (
    <tr style={{ "--part": Math.min(1, Number(rate) / 100) } as React.CSSProperties}>
      <th scope="row">
        <Name>{unescapeEntities(row.contract_name || row.name || "Unknown Mission")}</Name>
        <span className={css.bar} aria-hidden="true" />
      </th>
      <td className={css.wide}>{row.type || "–"}</td>
      <td className={css.number}>
        <FormattedNumber value={row.missions_accepted} />
      </td>
      <td className={css.number}>
        <FormattedNumber value={row.missions_completed} />
      </td>
      <td className={css.number}>
        <span className="number">{rate}%</span>
      </td>
    </tr>
  );
}

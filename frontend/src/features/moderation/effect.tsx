import { Link } from "react-router";
import type { ModerationPreview } from "../../api/types";
import { exact } from "../../lib/numbers";
import { player } from "../../lib/paths";
import css from "./moderation.module.css";
import { RecordTable } from "./record-table";

const MAX_ROWS = 20;
const HEADINGS = ["Player", "Before", "After", "Change"];
const FIGURES = HEADINGS.slice(1);

type Row = ModerationPreview["effect"][number];

const change = ({ before, after }: Row) => after - before;
const signed = (value: number) => (value > 0 ? `+${exact(value)}` : exact(value));

/** The effect of an action: counts, and the overall scores that change most. */
export function Effect({ preview: { events, reports, players, effect } }: { preview: ModerationPreview }) {
  const rows = [...effect].sort((a, b) => Math.abs(change(b)) - Math.abs(change(a))).slice(0, MAX_ROWS);
  return (
    <section aria-label="Effect" className={css.part}>
      <dl className={css.facts}>
        <Fact label="Events" value={events} />
        <Fact label="Reports" value={reports} />
        <Fact label="Players" value={players} />
      </dl>
      {events === 0 && <p className="quiet">No events match this selection.</p>}
      {events > 0 && rows.length === 0 && <p className="quiet">No overall score changes.</p>}
      {rows.length > 0 && (
        <RecordTable
          caption="Overall scores before and after, largest change first"
          headings={HEADINGS}
          figures={FIGURES}
          rows={rows.map((row) => ({
            id: row.handle,
            cells: [
              <Link key="player" to={player(row.handle)}>
                <bdi>{row.handle}</bdi>
              </Link>,
              exact(row.before),
              exact(row.after),
              signed(change(row)),
            ],
          }))}
        />
      )}
      {players > rows.length && rows.length > 0 && (
        <p className="quiet">
          The {rows.length === 1 ? "largest change" : `${rows.length} largest changes`} of {exact(players)} players.
        </p>
      )}
    </section>
  );
}

function Fact({ label, value }: { label: string; value: number }) {
  return (
    <div>
      <dt className="quiet">{label}</dt>
      <dd>{exact(value)}</dd>
    </div>
  );
}

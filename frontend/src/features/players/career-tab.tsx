// The career tab: what a player does in the Persistent Universe. Loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { playerCareerQuery } from "../../api/players";
import type { CareerView, GiverRow, Pay, ShipFlown } from "../../api/types";
import { exact } from "../../lib/numbers";
import { canReadLogs, connectApp, upload } from "../../lib/paths";
import { date, duration, moment } from "../../lib/times";
import { BarTable } from "../../ui/bar-table";
import tableCss from "../../ui/bar-table.module.css";
import { Button } from "../../ui/button";
import { FormattedNumber } from "../../ui/formatted-number";
import { rankText, StatStrip } from "../../ui/stat-strip";
import { EmptyState, ErrorState } from "../../ui/states";
import { CareerPlot } from "./career-plot";
import { CareerStickers } from "./career-stickers";
import css from "./career-tab.module.css";
import listCss from "./lifetime-panel.module.css";
import overviewCss from "./player-overview.module.css";
import { TableSkeleton } from "./table-skeleton";

const SHOWN_ROWS = 6;

export default function CareerTab({ handle }: { handle: string }) {
  const { data, isLoadingError, refetch } = useQuery(playerCareerQuery(handle));
  if (isLoadingError) return <ErrorState title="The career could not be loaded" onRetry={() => void refetch()} />;
  if (!data) return <TableSkeleton rows={SHOWN_ROWS} />;
  if (isEmpty(data))
    return (
      <EmptyState title="No career recorded">
        Contracts, ships and time in the universe appear here once the player's log is uploaded. Is this you?{" "}
        {canReadLogs ? <Link to={upload}>Read my log</Link> : <Link to={connectApp}>Get the program</Link>}
      </EmptyState>
    );
  return (
    <>
      <Readout career={data} />
      <div className={overviewCss.columns}>
        <div className={overviewCss.main}>
          <section aria-labelledby="career-days">
            <h2 id="career-days" className={css.title}>
              Daily activity
            </h2>
            <CareerPlot days={data.days} />
          </section>
          <Givers rows={data.givers} />
          <Ships rows={data.ships} />
        </div>
        <div className={overviewCss.side}>
          <Figures career={data} />
          <Records career={data} />
          <CareerStickers stickers={data.stickers} />
          <Blueprints career={data} />
          {data.pay && <PayPanel pay={data.pay} completed={data.contracts_completed} />}
          {data.places && (
            <NumberList title="Places visited" empty="No places recorded." rows={data.places.map(placeRow)} />
          )}
        </div>
      </div>
    </>
  );
}

const placeRow = ({ name, visits }: { name: string; visits: number }): readonly [string, ReactNode] => [
  name,
  <FormattedNumber key="visits" value={visits} />,
];

function isEmpty(career: CareerView): boolean {
  const { universe_time, contracts_completed, ships_flown, givers, blueprints_received } = career;
  return universe_time + contracts_completed + ships_flown + givers.length + blueprints_received === 0;
}

function Readout({ career }: { career: CareerView }) {
  const level = `${rankText(career.rank_career)} · level ${exact(career.progress.level)}`;
  return (
    <StatStrip
      label="Career"
      stats={[
        { metric: "career", value: career.career, note: level },
        { metric: "missions", label: "Contracts", value: career.contracts_completed, note: "completed" },
        {
          metric: "playtime",
          label: "Universe Time",
          value: career.universe_time,
          seconds: true,
          note: "without menus",
        },
        { metric: "ships", value: career.ships_flown, note: rankText(career.rank_ships_flown) },
        { metric: "overall", label: "Longest Life", value: career.longest_life, seconds: true, note: "universe time" },
      ]}
    />
  );
}

/** A list of names with a figure each. */
function NumberList({
  title,
  rows,
  empty,
}: {
  title: string;
  rows: readonly (readonly [string, ReactNode])[];
  empty: string;
}) {
  const [isExpanded, setExpanded] = useState(false);
  const id = title.toLowerCase().replaceAll(" ", "-");
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={listCss.title}>
        {title}
      </h2>
      {rows.length === 0 && <p className="quiet">{empty}</p>}
      {rows.length > 0 && (
        <dl className={listCss.list}>
          {(isExpanded ? rows : rows.slice(0, SHOWN_ROWS)).map(([name, figure]) => (
            <div key={name}>
              <dt translate="no">{name}</dt>
              <dd>{figure}</dd>
            </div>
          ))}
        </dl>
      )}
      {rows.length > SHOWN_ROWS && !isExpanded && (
        <Button className={tableCss.more} onClick={() => setExpanded(true)}>
          Show all {exact(rows.length)}
        </Button>
      )}
    </section>
  );
}

function Figures({ career }: { career: CareerView }) {
  const success = career.contract_success;
  const rows: [string, string][] = [
    ["Contracts completed", success === null ? "–" : `${success.toFixed(1)}% of those that ended`],
    ["Median contract", career.contract_duration === null ? "–" : duration(career.contract_duration)],
    ["Deaths", career.deaths === 0 ? "none in the log" : `at least ${exact(career.deaths)}`],
    ["Time per death", !career.survival ? "–" : `at most ${duration(career.survival)}`],
    ["Incapacitated", exact(career.downed)],
    ["Ships crashed", exact(career.ship_crashes)],
    ["Crashes of the game", exact(career.game_crashes)],
  ];
  return <Definitions title="Figures" rows={rows} />;
}

function Records({ career }: { career: CareerView }) {
  const { longest_stay, most_contracts_in_a_day, quickest } = career.records;
  const rows: [string, string][] = [
    ["Longest stay", duration(longest_stay)],
    ["Longest life", duration(career.longest_life)],
    ["Most contracts in a day", exact(most_contracts_in_a_day)],
    ...quickest.map(({ kind, seconds }): [string, string] => [`Quickest: ${kind}`, duration(seconds)]),
  ];
  return <Definitions title="Records" rows={rows} />;
}

function PayPanel({ pay, completed }: { pay: Pay; completed: number }) {
  const rows: [string, string][] = [
    ["Contract pay", `at least ${exact(pay.total)} aUEC`],
    ["Known from", `${exact(pay.payouts)} of ${exact(completed)} contracts`],
  ];
  return <Definitions title="Pay" rows={rows} />;
}

function Definitions({ title, rows }: { title: string; rows: readonly [string, string][] }) {
  const id = `career-${title.toLowerCase()}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={listCss.title}>
        {title}
      </h2>
      <dl className={listCss.list}>
        {rows.map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span className="number">{figure}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Blueprints({ career }: { career: CareerView }) {
  const received = career.blueprints.map(({ name, received_at }): readonly [string, ReactNode] => [
    name,
    <span key="at" className="number" title={moment(received_at)}>
      {date(received_at)}
    </span>,
  ]);
  const count = career.blueprints_received;
  const title = count === 0 ? "Blueprints" : `Blueprints (${exact(count)})`;
  return (
    <NumberList
      title={title}
      empty={count === 0 ? "No blueprints recorded." : "Their names appear once more players have received them."}
      rows={received}
    />
  );
}

function Givers({ rows }: { rows: readonly GiverRow[] }) {
  const most = Math.max(1, ...rows.map((row) => row.completed));
  return (
    <BarTable
      title="Contracts by giver"
      empty="No contracts have ended."
      hue="missions"
      heads={["Giver", "Done", "Failed", "Abandoned", "Median", "Success"]}
      narrow={[1, 5]}
      rows={rows.map((row) => ({
        name: row.giver ?? "Unknown giver",
        part: row.completed / most,
        cells: [
          exact(row.completed),
          exact(row.failed),
          exact(row.abandoned),
          row.duration === null ? "–" : duration(row.duration),
          row.success === null ? "–" : `${row.success.toFixed(1)}%`,
        ],
      }))}
    />
  );
}

function Ships({ rows }: { rows: readonly ShipFlown[] }) {
  const most = Math.max(1, ...rows.map((row) => row.uses));
  return (
    <BarTable
      title="Ships"
      empty="No ships flown."
      hue="ships"
      heads={["Ship", "Uses", "Timed", "Last flown"]}
      narrow={[1, 3]}
      rows={rows.map((row) => ({
        name: row.name,
        part: row.uses / most,
        cells: [exact(row.uses), row.timed === 0 ? "–" : duration(row.timed), date(row.last_flown)],
      }))}
    />
  );
}

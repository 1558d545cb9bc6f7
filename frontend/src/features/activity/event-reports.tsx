// Whose logs reported an event.
import type { EventReport, ReportSource } from "../../api/types";
import { moment } from "../../lib/times";
import css from "./event-reports.module.css";

const SOURCES: Record<ReportSource, string> = {
  operator: "Operator of this site",
  killer: "Killer's log",
  victim: "Victim's log",
  player: "Player's log",
  unclaimed: "Log of a player whom no account has claimed",
  third_party: "Log of a player who did not take part",
};

export function EventReports({ reports }: { reports: readonly EventReport[] }) {
  return (
    <section aria-labelledby="reports">
      <h2 id="reports">Reported by</h2>
      <ol role="list" aria-label="Reports" className={css.list}>
        {reports.map((report, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: reports have no id, and keep their order
          <Report key={index} report={report} />
        ))}
      </ol>
    </section>
  );
}

function Report({ report: { source, received_at: received, build, branch, channel } }: { report: EventReport }) {
  const origin = [build && `Build ${build}`, branch, channel && `${channel} channel`].filter(Boolean).join(" · ");
  return (
    <li className={css.report}>
      <span className={css.source}>{SOURCES[source]}</span>
      {received !== null && (
        <time className="quiet" dateTime={new Date(received * 1000).toISOString()}>
          {moment(received)}
        </time>
      )}
      {origin && <p className="quiet">{origin}</p>}
    </li>
  );
}

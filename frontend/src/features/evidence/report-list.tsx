import type { ActivityRow, EventEvidence, EvidenceReport, ReportSource } from "../../api/types";
import { counted } from "../../lib/numbers";
import { moment } from "../../lib/times";
import { contradictionsOf, differencesOf } from "./contradictions";
import css from "./evidence.module.css";

const SOURCES: Record<ReportSource, string> = {
  operator: "Operator of this site",
  killer: "Account of the killer",
  victim: "Account of the victim",
  player: "Account of the player",
  unclaimed: "Log of a player whom no account has claimed",
  third_party: "Account of a player who did not take part",
  unknown: "Sender not stored",
};

/** The reports of an event, and where they contradict each other. */
export function ReportList({ event, evidence }: { event: ActivityRow; evidence: EventEvidence }) {
  const { reports } = evidence;
  const contradictions = contradictionsOf(event, evidence);
  return (
    <div>
      <h3 className="label">{reports.length === 0 ? "Reports" : counted(reports.length, "report")}</h3>
      {reports.length === 0 && <p className={css.none}>No valid report of it remains.</p>}
      {contradictions.length > 0 && (
        <ul role="list" aria-label="Contradictions" className={css.contradictions}>
          {contradictions.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <ol role="list" aria-label="Reports" className={css.list}>
        {reports.map((report, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: reports have no id, and keep their order
          <Report key={index} report={report} />
        ))}
      </ol>
    </div>
  );
}

function Report({ report }: { report: EvidenceReport }) {
  const { source, stands, is_independent: isIndependent, received_at: received } = report;
  const differences = differencesOf(report.differs);
  return (
    <li className={css.report}>
      <span className={css.source}>
        {SOURCES[source] ?? source}
        {stands && <span className={css.mark}>Stands</span>}
        {isIndependent && <span className={css.mark}>Independent</span>}
      </span>
      {received === null ? (
        <span className="quiet">Time not stored</span>
      ) : (
        <time className="quiet" dateTime={new Date(received * 1000).toISOString()}>
          {moment(received)}
        </time>
      )}
      <p className="quiet">{originOf(report)}</p>
      {differences.length > 0 && (
        <p>
          Differs:{" "}
          {differences.map(({ field, label, value }, index) => (
            <span key={field}>
              {index > 0 && ", "}
              {label} <bdi>{value}</bdi>
            </span>
          ))}
        </p>
      )}
    </li>
  );
}

/** Build, branch and channel of the game that wrote the log. */
function originOf({ build, branch, channel }: EvidenceReport): string {
  const parts = [build && `Build ${build}`, branch, channel && `${channel} channel`].filter(Boolean);
  return parts.length > 0 ? parts.join(" · ") : "Build not stored";
}

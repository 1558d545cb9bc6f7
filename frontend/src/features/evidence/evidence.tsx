// What the reports of an event are worth: the grade, the sides that it counts for, why it does not count, and the reports.
import type { UseQueryResult } from "@tanstack/react-query";
import { Check, Minus } from "lucide-react";
import { Link } from "react-router";
import { failureSentence } from "../../api/errors";
import type { ActivityRow, EventEvidence } from "../../api/types";
import * as paths from "../../lib/paths";
import { ErrorState } from "../../ui/states";
import css from "./evidence.module.css";
import { gradeOf } from "./grades";
import { reasonOf } from "./reasons";
import { ReportList } from "./report-list";
import { type Side, sidesOf } from "./sides";

export function Evidence({ event, evidence }: { event: ActivityRow; evidence: UseQueryResult<EventEvidence> }) {
  return (
    <section aria-labelledby="evidence" className={css.evidence}>
      <h2 id="evidence">Evidence</h2>
      {evidence.isLoadingError && (
        <ErrorState
          title="The evidence could not be loaded."
          text={failureSentence(evidence.error)}
          onRetry={() => void evidence.refetch()}
        />
      )}
      {evidence.data && <Loaded event={event} evidence={evidence.data} />}
    </section>
  );
}

function Loaded({ event, evidence }: { event: ActivityRow; evidence: EventEvidence }) {
  return (
    <>
      <Grade evidence={evidence} />
      <Sides sides={sidesOf(event, evidence)} />
      {evidence.reasons.length > 0 && <Reasons reasons={evidence.reasons} />}
      <ReportList event={event} evidence={evidence} />
      <p className="quiet">
        The report that stands gives the facts of the event. Independent accounts are at least 14 days old and were used
        on five days. <Link to={`${paths.guides}#grades`}>All rules</Link>
      </p>
    </>
  );
}

function Grade({ evidence }: { evidence: EventEvidence }) {
  const { label, text, icon: Icon } = gradeOf(evidence.grade);
  return (
    <div className={css.grade} data-grade={evidence.grade} data-counts={evidence.counts.length > 0 || undefined}>
      <Icon size={28} strokeWidth={1.75} aria-hidden="true" />
      <div>
        <h3>{label}</h3>
        <p>{text}</p>
      </div>
    </div>
  );
}

function Sides({ sides }: { sides: readonly Side[] }) {
  if (sides.length === 0) return <p className="quiet">No player takes part in it, so it counts for nobody.</p>;
  return (
    <div>
      <h3 className="label">For whom it counts</h3>
      <ul role="list" aria-label="For whom it counts" className={css.list}>
        {sides.map((side) => (
          <SideRow key={side.side} side={side} />
        ))}
      </ul>
    </div>
  );
}

function SideRow({ side: { role, name, isHidden, counts, note } }: { side: Side }) {
  const Icon = counts ? Check : Minus;
  return (
    <li className={css.side}>
      <span>
        {isHidden ? (
          <bdi>{name}</bdi>
        ) : (
          <Link to={paths.player(name)}>
            <bdi>{name}</bdi>
          </Link>
        )}{" "}
        <span className="quiet">{role}</span>
      </span>
      <span className={css.verdict} data-counts={counts || undefined}>
        <Icon size={16} aria-hidden="true" />
        {counts ? "Counts" : "Does not count"}
      </span>
      {note && <p className="quiet">{note}</p>}
    </li>
  );
}

function Reasons({ reasons }: { reasons: readonly string[] }) {
  return (
    <div>
      <h3 className="label">Why it does not count</h3>
      <ul role="list" aria-label="Why it does not count" className={css.list}>
        {reasons.map((name) => {
          const { label, why, release } = reasonOf(name);
          return (
            <li key={name} className={css.reason}>
              <strong>{label}</strong>
              <p>{why}</p>
              <p className="quiet">{release}</p>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

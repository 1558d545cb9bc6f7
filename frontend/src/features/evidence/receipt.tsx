// What a score of a player consists of: its parts by grade, what does not count, and the events or sessions behind it.
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { ActivityRow, Receipt, ReceiptEvent } from "../../api/types";
import { exact, percent } from "../../lib/numbers";
import * as paths from "../../lib/paths";
import { duration, moment } from "../../lib/times";
import { EmptyState } from "../../ui/states";
import { gradeOf } from "./grades";
import { reasonOf } from "./reasons";
import css from "./receipt.module.css";

interface ReceiptDetailsProps {
  /** The loaded pages; sums are those of the first one. */
  pages: readonly Receipt[];
  /** The sentence of an event, as plain text. */
  sentence: (event: ActivityRow) => string;
  /** Loads the next page. */
  more: ReactNode;
}

export function ReceiptDetails({ pages, sentence, more }: ReceiptDetailsProps) {
  const first = pages[0];
  if (!first) return null;
  return (
    <div className={css.receipt}>
      <div className={css.side}>
        <Parts receipt={first} />
        {first.withheld.length > 0 && <Withheld receipt={first} />}
        <Check receipt={first} />
      </div>
      <section aria-labelledby="behind">
        <h2 id="behind">{first.metric === "playtime" ? "Sessions" : "Events"}</h2>
        <Items pages={pages} sentence={sentence} />
        {more}
      </section>
    </div>
  );
}

const amount = ({ metric }: Receipt, value: number) => (metric === "playtime" ? duration(value) : exact(value));

function Parts({ receipt }: { receipt: Receipt }) {
  const { grades, imported, metric, value } = receipt;
  return (
    <section aria-labelledby="parts">
      <h2 id="parts">What it consists of</h2>
      <ul role="list" aria-label="What it consists of" className={css.list}>
        {grades.map(({ grade, value: part }) => {
          const { label, text, icon: Icon } = gradeOf(grade);
          return (
            <li key={grade} className={css.part}>
              <strong>
                <Icon size={18} aria-hidden="true" />
                {label} <span className="quiet">{percent(part, value)}%</span>
              </strong>
              <span className={`number ${css.value}`}>{exact(part)}</span>
              <p className="quiet">{text}</p>
            </li>
          );
        })}
        {metric === "playtime" && (
          <li className={css.part}>
            <strong>Sessions</strong>
            <span className={`number ${css.value}`}>{duration(value - imported)}</span>
            <p className="quiet">The time between login and logout, or the last event, in the player's own logs.</p>
          </li>
        )}
        {imported > 0 && (
          <li className={css.part}>
            <strong>Imported</strong>
            <span className={`number ${css.value}`}>{amount(receipt, imported)}</span>
            <p className="quiet">An import brought this figure without the events behind it.</p>
          </li>
        )}
      </ul>
      {value === 0 && <p className="quiet">No event counts in this period.</p>}
    </section>
  );
}

function Withheld({ receipt }: { receipt: Receipt }) {
  return (
    <section aria-labelledby="withheld">
      <h2 id="withheld">What does not count</h2>
      <ul role="list" aria-label="What does not count" className={css.list}>
        {receipt.withheld.map(({ reason, events }) => {
          const { label, why } = reasonOf(reason);
          return (
            <li key={reason} className={css.part}>
              <strong>{label}</strong>
              <span className={`number ${css.value}`}>{exact(events)}</span>
              <p className="quiet">{why}</p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Check({ receipt: { checkpoint, rules } }: { receipt: Receipt }) {
  return (
    <section aria-labelledby="check" className={css.checkpoint}>
      <h2 id="check">How to check it</h2>
      <p>
        Version {rules} of the <Link to={`${paths.guides}#grades`}>rules</Link> decides what counts.{" "}
        {checkpoint ? (
          <>
            The <a href="/log/checkpoint">transparency log</a> had {exact(checkpoint.size)}{" "}
            {checkpoint.size === 1 ? "entry" : "entries"} on {moment(checkpoint.signed_at)}, with the root{" "}
            <code>{checkpoint.root}</code>.
          </>
        ) : (
          "The transparency log has no checkpoint yet."
        )}
      </p>
      <p>
        The nightly <a href="/api/export">exports</a> have all events: <code>apogee recompute</code> applies the rules
        to them and compares the leaderboards.
      </p>
    </section>
  );
}

function Items({ pages, sentence }: Pick<ReceiptDetailsProps, "pages" | "sentence">) {
  const events = pages.flatMap((page) => page.events);
  const sessions = pages.flatMap((page) => page.sessions);
  if (events.length + sessions.length === 0) {
    return <EmptyState title="Nothing in this period.">Try a longer period.</EmptyState>;
  }
  return (
    <ol role="list" aria-label="Newest first" className={css.list}>
      {events.map((one) => (
        <EventItem key={one.event.id} item={one}>
          {sentence(one.event)}
        </EventItem>
      ))}
      {sessions.map(({ login_at, playtime }) => (
        <li key={login_at} className={css.item}>
          <p>{duration(playtime)}</p>
          <p className="quiet">from {moment(login_at)}</p>
        </li>
      ))}
    </ol>
  );
}

function EventItem({ item: { event, counts, reasons }, children }: { item: ReceiptEvent; children: ReactNode }) {
  return (
    <li className={css.item} data-withheld={!counts || undefined}>
      <p>
        <bdi>{children}</bdi>
      </p>
      <p className="quiet">
        <Link to={paths.event(event.id)}>
          <time dateTime={new Date(event.event_time * 1000).toISOString()}>{moment(event.event_time)}</time>
        </Link>
        {" · "}
        {gradeOf(event.grade).label}
        {!counts && ` · Does not count: ${reasons.map((reason) => reasonOf(reason).label).join(", ")}`}
      </p>
    </li>
  );
}

// The signed-in user's events that do not count: how many for each reason, and the events.
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { failureSentence } from "../../api/errors";
import { heldQuery } from "../../api/evidence";
import type { ActivityRow, HeldEvent, HeldPage, HeldReason } from "../../api/types";
import { exact } from "../../lib/numbers";
import * as paths from "../../lib/paths";
import { moment } from "../../lib/times";
import { uniqBy } from "../../lib/uniq-by";
import { ShowMore } from "../../ui/show-more";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states";
import css from "./held-events.module.css";
import { hasPage, reasonOf } from "./reasons";

interface HeldEventsProps {
  /** The sentence of an event, as plain text. */
  sentence: (event: ActivityRow) => string;
}

export function HeldEvents({ sentence }: HeldEventsProps) {
  const list = useInfiniteQuery(heldQuery());
  return (
    <div className={css.held}>
      {list.isPending && <HeldSkeleton />}
      {list.isLoadingError && (
        <ErrorState
          title="Your events could not be loaded."
          text={failureSentence(list.error)}
          onRetry={() => void list.refetch()}
        />
      )}
      {list.data && <Loaded pages={list.data.pages} sentence={sentence} />}
      <ShowMore list={list} error={list.isFetchNextPageError ? failureSentence(list.error) : null} />
    </div>
  );
}

function Loaded({ pages, sentence }: HeldEventsProps & { pages: readonly HeldPage[] }) {
  const events = uniqBy(
    pages.flatMap((page) => page.data),
    ({ event }) => event.id,
  );
  if (events.length === 0) {
    return <EmptyState title="All your events count.">Events that wait or do not count appear here.</EmptyState>;
  }
  return (
    <>
      <Summary summary={pages[0]?.summary ?? []} />
      <ol role="list" aria-label="Events that do not count" className={css.list}>
        {events.map((held) => (
          <HeldItem key={held.event.id} held={held}>
            {sentence(held.event)}
          </HeldItem>
        ))}
      </ol>
    </>
  );
}

function Summary({ summary }: { summary: readonly HeldReason[] }) {
  return (
    <ul role="list" aria-label="Reasons" className={css.summary}>
      {summary.map(({ reason, events }) => {
        const { label, why, release } = reasonOf(reason);
        return (
          <li key={reason} className={css.reason}>
            <span className={`number ${css.count}`}>{exact(events)}</span>
            <div>
              <h3>{label}</h3>
              <p>{why}</p>
              <p className="quiet">{release}</p>
              {reason === "unclaimed" && <Link to={paths.claim}>Claim your player</Link>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function HeldItem({ held: { event, reasons }, children }: { held: HeldEvent; children: ReactNode }) {
  const time = <time dateTime={new Date(event.event_time * 1000).toISOString()}>{moment(event.event_time)}</time>;
  return (
    <li className={css.item}>
      <p>
        <bdi>{children}</bdi>
      </p>
      <p className="quiet">
        {hasPage(reasons) ? <Link to={paths.event(event.id)}>{time}</Link> : time}
        {" · "}
        {reasons.map((reason) => reasonOf(reason).label).join(", ")}
      </p>
    </li>
  );
}

function HeldSkeleton() {
  return (
    <>
      <p role="status" className="visually-hidden">
        Loading your events…
      </p>
      <Skeleton height={96} />
      <Skeleton height={160} />
    </>
  );
}

// An event: its sentence, its facts and what its reports are worth.
import { type QueryClient, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { ApiError, failureSentence } from "../api/errors";
import { eventQuery, evidenceQuery } from "../api/evidence";
import type { ActivityRow, EventEvidence } from "../api/types";
import { EventFacts } from "../features/activity/event-facts";
import { EventSentence } from "../features/activity/event-sentence";
import { sentenceOf } from "../features/activity/sentence";
import { Evidence } from "../features/evidence/evidence";
import * as paths from "../lib/paths";
import { BackButton } from "../ui/back-button";
import { ButtonLink } from "../ui/button";
import { MetricLabel } from "../ui/metric";
import { ErrorState, Skeleton } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./event.module.css";

export function prefetch(cache: QueryClient, { id = "" }: { id?: string }) {
  void cache.prefetchQuery(eventQuery(id));
  void cache.prefetchQuery(evidenceQuery(id));
}

export default function EventPage() {
  const { id = "" } = useParams();
  useTitle(`Event ${id}`);
  const event = useQuery(eventQuery(id));
  // The evidence is above the facts on a phone, so both are shown at once.
  const evidence = useQuery(evidenceQuery(id));
  const isMissing = event.error instanceof ApiError && event.error.status === 404;
  return (
    <div className={`page ${css.page}`}>
      <BackButton />
      {(event.isPending || (event.data && evidence.isPending)) && <EventSkeleton id={id} />}
      {event.isLoadingError &&
        (isMissing ? (
          <Missing />
        ) : (
          <>
            <h1 className={css.title}>Event {id}</h1>
            <ErrorState
              title="The event could not be loaded."
              text={failureSentence(event.error)}
              onRetry={() => void event.refetch()}
            />
          </>
        ))}
      {event.data && !evidence.isPending && <Event event={event.data} evidence={evidence} />}
    </div>
  );
}

function Event({ event, evidence }: { event: ActivityRow; evidence: UseQueryResult<EventEvidence> }) {
  const sentence = sentenceOf(event);
  return (
    <>
      <header className={css.head}>
        {sentence?.filter ? <MetricLabel metric={sentence.filter} /> : <span className="quiet">Presence</span>}
        <h1>{sentence ? <EventSentence sentence={sentence} /> : `Event ${event.id}`}</h1>
      </header>
      <div className={css.columns}>
        <Evidence event={event} evidence={evidence} />
        <EventFacts event={event} />
      </div>
    </>
  );
}

function Missing() {
  return (
    <>
      <h1 className={css.title}>Event not found</h1>
      <p className={css.text}>
        Events that are void or wait for a decision have no page. Senders see theirs, with the reasons, under My data.
      </p>
      <ButtonLink to={paths.activity}>Live activity</ButtonLink>
    </>
  );
}

function EventSkeleton({ id }: { id: string }) {
  return (
    <>
      <p role="status" className="visually-hidden">
        Loading the event…
      </p>
      <div className={css.head}>
        <Skeleton width={80} height={21} />
        <h1>Event {id}</h1>
      </div>
      <div className={css.columns}>
        <Skeleton height={360} />
        <Skeleton height={280} />
      </div>
    </>
  );
}

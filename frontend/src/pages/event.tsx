// An event: its sentence, its facts and whose logs reported it.
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { ApiError, failureSentence } from "../api/errors";
import { eventQuery } from "../api/event";
import type { EventAnswer } from "../api/types";
import { EventFacts } from "../features/activity/event-facts";
import { EventReports } from "../features/activity/event-reports";
import { EventSentence } from "../features/activity/event-sentence";
import { sentenceOf } from "../features/activity/sentence";
import * as paths from "../lib/paths";
import { BackButton } from "../ui/back-button";
import { ButtonLink } from "../ui/button";
import { MetricLabel } from "../ui/metric";
import { ErrorState, Skeleton } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./event.module.css";

export function prefetch(cache: QueryClient, { id = "" }: { id?: string }) {
  void cache.prefetchQuery(eventQuery(id));
}

export default function EventPage() {
  const { id = "" } = useParams();
  useTitle(`Event ${id}`);
  const found = useQuery(eventQuery(id));
  const isMissing = found.error instanceof ApiError && found.error.status === 404;
  return (
    <div className={`page ${css.page}`}>
      <BackButton />
      {found.isPending && <EventSkeleton id={id} />}
      {found.isLoadingError &&
        (isMissing ? (
          <Missing />
        ) : (
          <>
            <h1 className={css.title}>Event {id}</h1>
            <ErrorState
              title="The event could not be loaded."
              text={failureSentence(found.error)}
              onRetry={() => void found.refetch()}
            />
          </>
        ))}
      {found.data && <Event {...found.data} />}
    </div>
  );
}

function Event({ event, reports }: EventAnswer) {
  const sentence = sentenceOf(event);
  return (
    <>
      <header className={css.head}>
        {sentence?.filter ? <MetricLabel metric={sentence.filter} /> : <span className="quiet">Presence</span>}
        <h1>{sentence ? <EventSentence sentence={sentence} /> : `Event ${event.id}`}</h1>
      </header>
      <div className={css.columns}>
        <EventFacts event={event} />
        <EventReports reports={reports} />
      </div>
    </>
  );
}

function Missing() {
  return (
    <>
      <h1 className={css.title}>Event not found</h1>
      <p className={css.text}>It does not exist, or this site does not show it.</p>
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

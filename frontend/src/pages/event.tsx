// An event: its sentence, its facts and whose logs reported it.
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { ApiError, failureSentence } from "../api/errors";
import { eventQuery } from "../api/event";
import type { ActivityRow, EventAnswer, RemovedEvent } from "../api/types";
import { EventFacts, Facts, Moment } from "../features/activity/event-facts";
import { EventSentence } from "../features/activity/event-sentence";
import { reporters } from "../features/activity/reporters";
import { sentenceOf } from "../features/activity/sentence";
import { Contact } from "../features/site/contact";
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
  return (
    <div className={`page ${css.page}`}>
      <BackButton />
      <Content id={id} />
    </div>
  );
}

function Content({ id }: { id: string }) {
  const found = useQuery(eventQuery(id));
  if (found.isPending) return <EventSkeleton id={id} />;
  // An event of a blocked account is no longer found.
  if (found.error instanceof ApiError && found.error.status === 404) return <Missing />;
  if (!found.data) {
    return (
      <>
        <h1 className={css.title}>Event {id}</h1>
        <ErrorState
          title="The event could not be loaded."
          text={failureSentence(found.error)}
          onRetry={() => void found.refetch()}
        />
      </>
    );
  }
  const { event, removed, ...report } = found.data;
  return (
    <>
      {removed && <Removed {...removed} />}
      {event && <Event event={event} {...report} />}
      <Contact label="Questions about this event" subject={`Event ${id}`} />
    </>
  );
}

function Event({ event, ...report }: Omit<EventAnswer, "event" | "removed"> & { event: ActivityRow }) {
  const sentence = sentenceOf(event);
  const by = reporters(event.reported_by);
  return (
    <>
      <header className={css.head}>
        {sentence?.filter ? <MetricLabel metric={sentence.filter} /> : <span className="quiet">Presence</span>}
        <h1>{sentence ? <EventSentence sentence={sentence} /> : `Event ${event.id}`}</h1>
        {by && <p>Reported by {by}</p>}
      </header>
      <EventFacts event={event} {...report} />
    </>
  );
}

function Removed({ reason, at }: RemovedEvent) {
  return (
    <>
      <h1 className={css.title}>An admin removed this event</h1>
      <Facts
        facts={[
          ["Reason", <bdi key="reason">{reason}</bdi>],
          ["Removed", <Moment key="at" at={at} />],
        ]}
      />
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
        <Skeleton width={160} height={21} />
      </div>
      <div className={css.facts}>
        <Skeleton height={360} />
      </div>
    </>
  );
}

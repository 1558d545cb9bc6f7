// The signed-in user's disputes with their outcomes.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { ownDisputesQuery } from "../../api/disputes";
import { failureSentence } from "../../api/errors";
import type { ActivityRow, DisputedEvent } from "../../api/types";
import * as paths from "../../lib/paths";
import { moment } from "../../lib/times";
import { uniqBy } from "../../lib/uniq-by";
import { ShowMore } from "../../ui/show-more";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states";
import css from "./disputes.module.css";
import { outcomeOf } from "./states";
import { WithdrawButton } from "./withdraw-button";

interface OwnDisputesProps {
  /** The sentence of an event, as plain text. */
  sentence: (event: ActivityRow) => string;
}

export function OwnDisputes({ sentence }: OwnDisputesProps) {
  const list = useInfiniteQuery(ownDisputesQuery());
  const disputes = uniqBy(list.data?.pages.flatMap((page) => page.data) ?? [], ({ dispute }) => String(dispute.id));
  return (
    <div className={css.own}>
      {list.isPending && <Skeleton height={96} />}
      {list.isLoadingError && (
        <ErrorState
          title="Your disputes could not be loaded."
          text={failureSentence(list.error)}
          onRetry={() => void list.refetch()}
        />
      )}
      {list.data && disputes.length === 0 && (
        <EmptyState title="No disputes.">You can dispute events that name you, on the page of the event.</EmptyState>
      )}
      {disputes.length > 0 && (
        <ol role="list" aria-label="Your disputes" className={css.list}>
          {disputes.map((one) => (
            <DisputeItem key={one.dispute.id} disputed={one} sentence={sentence} />
          ))}
        </ol>
      )}
      <ShowMore list={list} error={list.isFetchNextPageError ? failureSentence(list.error) : null} />
    </div>
  );
}

function DisputeItem({ disputed: { dispute, event }, sentence }: OwnDisputesProps & { disputed: DisputedEvent }) {
  const { state, entry } = dispute;
  const hasPage = state !== "upheld" && state !== "event_void";
  const text = event ? sentence(event) : `Event ${dispute.event_id}`;
  return (
    <li className={css.item}>
      <p>{hasPage ? <Link to={paths.event(dispute.event_id)}>{text}</Link> : <bdi>{text}</bdi>}</p>
      <p>{outcomeOf(dispute)}</p>
      <p className={`quiet ${css.reason}`}>
        <time dateTime={new Date(dispute.created_at * 1000).toISOString()}>{moment(dispute.created_at)}</time>
        {" · "}
        <bdi>{dispute.reason}</bdi>
      </p>
      {entry !== null && (
        <p className="quiet">
          Entry {entry} of the <Link to={paths.ledger}>moderation ledger</Link>
        </p>
      )}
      {state === "open" && <WithdrawButton event={dispute.event_id} />}
    </li>
  );
}

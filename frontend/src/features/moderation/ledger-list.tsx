import { failureSentence } from "../../api/errors";
import type { LedgerEntry } from "../../api/types";
import { date, moment } from "../../lib/times";
import { ShowMore } from "../../ui/show-more";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states";
import { EntrySentence } from "./entry-sentence";
import { EntryState } from "./entry-state";
import css from "./ledger-list.module.css";
import { useLedger } from "./use-ledger";

const SKELETON_ROWS = Array.from({ length: 8 }, (_, index) => index);

/** The public ledger, newest entry first. */
export function LedgerList() {
  const { list, entries } = useLedger();
  return (
    <div className={css.ledger}>
      {list.isPending && <LedgerSkeleton />}
      {list.isLoadingError && (
        <ErrorState
          title="The ledger could not be loaded."
          text={failureSentence(list.error)}
          onRetry={() => void list.refetch()}
        />
      )}
      {list.data && entries.length === 0 && (
        <EmptyState title="The ledger is empty.">No admin has voided, held or released events yet.</EmptyState>
      )}
      {entries.length > 0 && (
        <ol role="list" aria-label="Entries">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      <ShowMore list={list} error={list.isFetchNextPageError ? failureSentence(list.error) : null} />
    </div>
  );
}

function Entry({ entry }: { entry: LedgerEntry }) {
  return (
    <li className={css.entry} data-undone={entry.undone_by !== null || undefined}>
      <p className={css.sentence}>
        <EntrySentence entry={entry} />
      </p>
      <p className={css.reason}>
        <span className="quiet">Reason: </span>
        <bdi>{entry.reason}</bdi>
      </p>
      <div className={css.facts}>
        <span>
          Entry {entry.id},{" "}
          <time dateTime={new Date(entry.at * 1000).toISOString()} title={moment(entry.at)}>
            {date(entry.at)}
          </time>
        </span>
        {(entry.state !== "done" || entry.undone_by !== null) && <EntryState entry={entry} />}
      </div>
    </li>
  );
}

function LedgerSkeleton() {
  return (
    <>
      <p role="status" className="visually-hidden">
        Loading the ledger…
      </p>
      <ol role="list">
        {SKELETON_ROWS.map((index) => (
          <li key={index} className={css.entry} aria-hidden="true">
            <Skeleton width="55%" height={22} />
            <Skeleton width="35%" height={20} />
          </li>
        ))}
      </ol>
    </>
  );
}

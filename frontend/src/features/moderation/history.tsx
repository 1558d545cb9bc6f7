// What admins did: every entry with its progress, and a button that undoes it.
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { failureSentence } from "../../api/errors";
import { historyQuery, undoEntry } from "../../api/moderation";
import type { ModerationAction, ModerationEntry } from "../../api/types";
import { exact } from "../../lib/numbers";
import { player } from "../../lib/paths";
import { moment } from "../../lib/times";
import { uniqBy } from "../../lib/uniq-by";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { Name } from "../../ui/name";
import { ShowMore } from "../../ui/show-more";
import { EmptyState, ErrorState, Spinner } from "../../ui/states";
import { toast } from "../../ui/toast";
import css from "./moderation.module.css";

const POLL_INTERVAL_MS = 2_000;
const PAST: Record<ModerationAction, string> = {
  block: "Blocked",
  unblock: "Unblocked",
  remove: "Removed",
  restore: "Restored",
  pin: "Pinned",
  rename: "Renamed",
  merge: "Merged",
};

export function History() {
  const list = useInfiniteQuery({
    ...historyQuery(),
    refetchInterval: ({ state }) =>
      !!state.data?.pages.some((page) => page.data.some((entry) => entry.state === "running")) && POLL_INTERVAL_MS,
  });
  const entries = uniqBy(list.data?.pages.flatMap((page) => page.data) ?? [], (entry) => String(entry.id));
  return (
    <section aria-labelledby="moderation-history" className={css.history}>
      <h3 id="moderation-history">History</h3>
      {list.isPending && <Spinner label="Loading the history…" />}
      {list.isLoadingError && (
        <ErrorState
          title="The history could not be loaded."
          text={failureSentence(list.error)}
          onRetry={() => void list.refetch()}
        />
      )}
      {list.isRefetchError && <p className="quiet">The server is not responding. This list may be out of date.</p>}
      {list.data && entries.length === 0 && <EmptyState title="No actions yet.">Actions appear here.</EmptyState>}
      {entries.length > 0 && (
        <ol role="list" aria-labelledby="moderation-history" className={css.list}>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      <ShowMore list={list} error={list.isFetchNextPageError ? failureSentence(list.error) : null} />
    </section>
  );
}

function Entry({ entry }: { entry: ModerationEntry }) {
  const { id, at, from, until, reason, state, done, total, undone_at: undoneAt } = entry;
  const cache = useQueryClient();
  const undo = useMutation({
    mutationFn: () => undoEntry(id),
    onSuccess: () => toast({ tone: "success", title: `Undo of entry ${id} started.` }),
    onSettled: () => cache.invalidateQueries({ queryKey: historyQuery().queryKey }),
  });
  const isUndone = undoneAt !== null;
  return (
    <li>
      <p>
        <Sentence entry={entry} />
        {from !== null && ` from ${moment(from)}`}
        {until !== null && ` until ${moment(until)}`}
      </p>
      <p className="quiet">
        {id} · {moment(at)} · <bdi>{reason}</bdi>
      </p>
      <span className={css.state}>
        {state === "running" ? (
          <>
            {isUndone ? "Undoing" : "Running"}: {exact(done)} of {exact(total)}
            <progress max={Math.max(1, total)} value={done} aria-label={`Progress of entry ${id}`} />
          </>
        ) : isUndone ? (
          `Undone ${moment(undoneAt)}`
        ) : (
          <Button size="small" aria-label={`Undo entry ${id}`} disabled={undo.isPending} onClick={() => undo.mutate()}>
            Undo
          </Button>
        )}
      </span>
      {undo.isError && <Alert tone="error">{failureSentence(undo.error)}</Alert>}
    </li>
  );
}

/** Describes an entry: `Removed the reports of key 7`. */
function Sentence({ entry: { action, target, handle } }: { entry: ModerationEntry }) {
  const concernsReports = (action === "remove" || action === "restore") && !target.startsWith("event ");
  return (
    <>
      {PAST[action]} {concernsReports && "the reports of "}
      {/* Other targets are named with their kind, such as `key 7`. */}
      {action === "pin" || target.includes(" ") ? target : <Player handle={target} />}
      {handle !== null && (
        <>
          {action === "merge" ? " into " : " to "}
          <Player handle={handle} />
        </>
      )}
    </>
  );
}

function Player({ handle }: { handle: string }) {
  return (
    <Link to={player(handle)}>
      <Name>{handle}</Name>
    </Link>
  );
}

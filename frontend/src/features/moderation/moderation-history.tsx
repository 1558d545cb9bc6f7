// What admins did with events: every entry with its progress, and an action that undoes it.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { failureSentence } from "../../api/errors";
import { adminEventsKey, type HistoryEntry } from "../../api/moderation";
import { counted, exact } from "../../lib/numbers";
import { player } from "../../lib/paths";
import { moment } from "../../lib/times";
import { Button } from "../../ui/button";
import { ShowMore } from "../../ui/show-more";
import { EmptyState, ErrorState, Spinner } from "../../ui/states";
import { EntryState } from "./entry-state";
import css from "./moderation.module.css";
import { RecordTable } from "./record-table";
import { UndoDialog } from "./undo-dialog";
import { useHistory } from "./use-history";

const HEADINGS = ["Entry", "Time", "Action", "Target", "Reason", "Events", "State", "Undo"];
const FIGURES = ["Events"];
const ACTIONS = { void: "Void", hold: "Hold", release: "Release", undo: "Undo" };

export function ModerationHistory() {
  const { list, entries, isRunning } = useHistory();
  useRefetchEventsWhenDone(isRunning);
  return (
    <section aria-labelledby="moderation-history" className={css.part}>
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
      {list.data && entries.length === 0 && (
        <EmptyState title="No actions yet.">Actions on events appear here.</EmptyState>
      )}
      {entries.length > 0 && <Entries entries={entries} />}
      <ShowMore list={list} error={list.isFetchNextPageError ? failureSentence(list.error) : null} />
    </section>
  );
}

/** An action changes the states of events when it has run, not when it starts. */
function useRefetchEventsWhenDone(isRunning: boolean): void {
  const cache = useQueryClient();
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void cache.invalidateQueries({ queryKey: adminEventsKey });
    wasRunning.current = isRunning;
  }, [cache, isRunning]);
}

function Entries({ entries }: { entries: readonly HistoryEntry[] }) {
  const [undoing, setUndoing] = useState<HistoryEntry | null>(null);
  return (
    <>
      <RecordTable
        caption="History"
        headings={HEADINGS}
        figures={FIGURES}
        rows={entries.map((entry) => ({
          id: String(entry.id),
          cells: [
            entry.id,
            moment(entry.at),
            entry.undoes === null ? ACTIONS[entry.action] : `Undo of entry ${entry.undoes}`,
            targetOf(entry),
            <bdi key="reason" className={css.reason}>
              {entry.reason}
            </bdi>,
            exact(entry.total),
            <EntryState key="state" entry={entry} />,
            isUndoable(entry) && (
              <Button key="undo" size="small" aria-label={`Undo entry ${entry.id}`} onClick={() => setUndoing(entry)}>
                Undo
              </Button>
            ),
          ],
        }))}
        folds
      />
      {undoing && <UndoDialog entry={undoing} onClose={() => setUndoing(null)} />}
    </>
  );
}

const isUndoable = ({ action, state, undone_by, undoes }: HistoryEntry) =>
  action !== "undo" && state === "done" && undone_by === null && undoes === null;

function targetOf({ target, name }: HistoryEntry): ReactNode {
  if (target === "key") return name === null ? "Key" : `Key ${name}`;
  if (target === "account") return "Account";
  if (target === "events") return name === null ? "Event ids" : counted(Number(name), "event id");
  if (name === null) return "Player";
  return (
    <Link to={player(name)}>
      <bdi>{name}</bdi>
    </Link>
  );
}

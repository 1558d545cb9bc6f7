import { CircleAlert, CircleCheck, LoaderCircle, Undo2 } from "lucide-react";
import type { LedgerEntry } from "../../api/moderation-types";
import { exact } from "../../lib/numbers";
import css from "./entry-state.module.css";

const ICONS = { running: LoaderCircle, done: CircleCheck, failed: CircleAlert, undone: Undo2 };

/** Whether an entry is running, done, failed or undone, with its progress. */
export function EntryState({ entry }: { entry: LedgerEntry }) {
  const tone = entry.undone_by === null ? entry.state : "undone";
  const Icon = ICONS[tone];
  const progress = `${exact(entry.done)} of ${exact(entry.total)}`;
  const text = {
    running: `Running: ${progress}`,
    done: "Done",
    failed: `Failed after ${progress}`,
    undone: `Undone by entry ${entry.undone_by}`,
  }[tone];
  return (
    <span className={css.state}>
      <span className={css.label} data-tone={tone}>
        <Icon size={16} aria-hidden="true" />
        {text}
      </span>
      {tone === "running" && (
        <progress max={Math.max(1, entry.total)} value={entry.done} aria-label={`Progress of entry ${entry.id}`} />
      )}
    </span>
  );
}

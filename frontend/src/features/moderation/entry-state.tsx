import { CircleCheck, LoaderCircle, Undo2 } from "lucide-react";
import type { HistoryEntry } from "../../api/moderation";
import { exact } from "../../lib/numbers";
import css from "./entry-state.module.css";

const ICONS = { running: LoaderCircle, done: CircleCheck, undone: Undo2 };

/** Whether an entry is running, done or undone, with its progress. */
export function EntryState({ entry }: { entry: HistoryEntry }) {
  const tone = entry.undone_by === null ? entry.state : "undone";
  const Icon = ICONS[tone];
  const text = {
    running: `Running: ${exact(entry.done)} of ${exact(entry.total)}`,
    done: "Done",
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

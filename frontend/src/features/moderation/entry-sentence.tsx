import { Link } from "react-router";
import type { HistoryEntry } from "../../api/moderation";
import { counted } from "../../lib/numbers";
import { player } from "../../lib/paths";

const PAST = { void: "Voided", hold: "Held", release: "Released", undo: "Undid" };
const PRESENT = { void: "Voiding", hold: "Holding", release: "Releasing", undo: "Undoing" };

/** Describes an entry: `Voided 1,234 events reported with one ingest key`. */
export function EntrySentence({ entry }: { entry: HistoryEntry }) {
  const verb = (entry.state === "running" ? PRESENT : PAST)[entry.action];
  const events = counted(entry.total, "event");
  return (
    <>
      {entry.undoes === null ? `${verb} ` : `${verb} entry ${entry.undoes}: `}
      {events} <Origin entry={entry} />
    </>
  );
}

function Origin({ entry: { target, name } }: { entry: HistoryEntry }) {
  if (target === "key") return "reported with one ingest key";
  if (target === "account") return "reported by one account";
  if (target === "events") return "selected by id";
  if (name === null) return "of one player";
  return (
    <>
      of{" "}
      <Link to={player(name)}>
        <bdi>{name}</bdi>
      </Link>
    </>
  );
}

import type { GuildRoster } from "../../api/types";
import { exact } from "../../lib/numbers";
import { historyTime, moment } from "../../lib/times";

/** When the member list was read, and how many members the game's site does not name. */
export function RosterNote({ roster }: { roster: GuildRoster | null | undefined }) {
  if (!roster) return <p className="quiet">The member list has not been read from the game's site yet.</p>;
  return (
    <p className="quiet">
      Members updated <span title={moment(roster.updated_at)}>{historyTime(roster.updated_at)}</span> from the game's
      site.
      {roster.unnamed > 0 && ` ${exact(roster.unnamed)} of ${exact(roster.total)} hide their membership there.`}
      {roster.is_partial && " The list is too long to be read completely."}
    </p>
  );
}

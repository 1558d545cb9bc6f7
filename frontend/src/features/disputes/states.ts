// States of disputes in plain words.
import type { OwnDispute } from "../../api/types";

/** What became of a dispute, in one sentence. */
export function outcomeOf({ state, is_suspended: isSuspended }: OwnDispute): string {
  switch (state) {
    case "open":
      return isSuspended
        ? "Open: the event does not count until an admin decides."
        : "Open: the event keeps counting, because it does not rest on one word alone.";
    case "upheld":
      return "Upheld: the event never counts.";
    case "dismissed":
      return "Dismissed by an admin.";
    case "event_void":
      return "Ended: the event became void for another reason.";
    case "withdrawn":
      return "You took it back.";
    default:
      return state satisfies never;
  }
}

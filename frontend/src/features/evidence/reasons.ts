// Why events do not count, in plain words. The limits are those of `src/domain/trust/limits.rs`.

export interface Reason {
  label: string;
  why: string;
  /** What makes the event count. */
  release: string;
}

const UNTIL_CONFIRMED = "Counts once the other side reports it too, or an admin releases it.";

const REASONS: Record<string, Reason> = {
  held_by_admin: {
    label: "Held by an admin",
    why: "An admin is looking into the report.",
    release: "Counts once an admin releases it.",
  },
  void_by_admin: {
    label: "Void",
    why: "An admin withdrew it.",
    release: "Counts only if an admin undoes that.",
  },
  no_reports: {
    label: "No valid report",
    why: "All reports of it are void.",
    release: "Counts once another account reports it, or an admin undoes that.",
  },
  unclaimed: {
    label: "Player not claimed",
    why: "The log names a player whom no account has claimed.",
    release: "Counts as soon as the account that reported it claims the player.",
  },
  third_party: {
    label: "Reported by others only",
    why: "Nobody who took part reported it.",
    release: "Counts once the account of a player who took part reports it from that player's own log.",
  },
  unknown_kind: {
    label: "Not written by this build",
    why: "Builds of the game since 4.4 write no kills or vehicle losses to the log.",
    release: UNTIL_CONFIRMED,
  },
  too_many_fights: {
    label: "Too many fights",
    why: "More than 20 fights of one killer in 60 seconds, 60 in 10 minutes or 200 in an hour.",
    release: UNTIL_CONFIRMED,
  },
  too_many_kills: {
    label: "Too many player kills",
    why: "More than 30 player kills of one killer in an hour or 100 in a day.",
    release: UNTIL_CONFIRMED,
  },
  too_many_contracts: {
    label: "Too many contracts",
    why: "More than 40 contracts of one player in an hour or 200 in a day.",
    release: UNTIL_CONFIRMED,
  },
  two_logs: {
    label: "Two logs at a time",
    why: "The player is in two logs at the same time, and the other log was reported first.",
    release: UNTIL_CONFIRMED,
  },
  too_many_names: {
    label: "Too many new names",
    why: "The account reported more than 60 new names in an hour.",
    release: UNTIL_CONFIRMED,
  },
  provisional_name: {
    label: "Unknown name",
    why: "Only players' accounts have reported a player of this name.",
    release:
      "Counts once the game's site knows the name, its owner claims it, or the operator of this site reports it.",
  },
  other_channel: {
    label: "Not the live game",
    why: "The log comes from a test server. Only the LIVE channel counts.",
    release: "Nothing changes this.",
  },
  repeated_contract: {
    label: "Contract counted already",
    why: "Each mission id counts once, and an earlier event completed this mission.",
    release: UNTIL_CONFIRMED,
  },
};

/** The reason of this name. A newer server may have others. */
export function reasonOf(name: string): Reason {
  return (
    REASONS[name] ?? {
      label: name.replaceAll("_", " "),
      why: "This page does not know the reason.",
      release: "An admin can release it.",
    }
  );
}

/** Reasons with which an event has a page. */
const SHOWN = new Set(["third_party", "other_channel"]);

export const hasPage = (reasons: readonly string[]) => reasons.every((reason) => SHOWN.has(reason));

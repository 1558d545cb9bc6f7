// Payloads of moderation. The OpenAPI description does not cover these routes yet, so these types are written by hand.

export type ModerationAction = "void" | "hold" | "release";
export type ModerationTarget = "key" | "account" | "player" | "events";
export type EventState = "stands" | "held" | "void";

/** The events to act on: exactly one of the targets, optionally within a period. */
export interface ModerationSelect {
  /** The number of an ingest key. */
  key?: number;
  /** A Discord id. */
  account?: string;
  /** A handle. */
  player?: string;
  /** Event ids. */
  events?: number[];
  /** Epoch seconds. */
  from?: number;
  /** Epoch seconds. */
  until?: number;
}

/** The effect of an action that has not run yet. */
export interface ModerationPreview {
  events: number;
  reports: number;
  players: number;
  /** Overall scores, largest change first. */
  effect: { handle: string; before: number; after: number }[];
}

/** An action of an admin. */
export interface LedgerEntry {
  id: number;
  /** Epoch seconds. */
  at: number;
  action: ModerationAction | "undo";
  /** For `undo`, target and name are those of the entry that it undoes. */
  target: ModerationTarget;
  /** The number of a key, the handle of a player or the number of event ids. Null for accounts, which are not public. */
  name: string | null;
  reason: string;
  state: "running" | "done" | "failed";
  /** Processed events. */
  done: number;
  total: number;
  /** The id of the entry that undid this one. */
  undone_by: number | null;
  /** The id of the entry that this one undoes. */
  undoes: number | null;
}

/** An event with its moderation state. */
export interface AdminEvent {
  id: number;
  /** Epoch seconds. */
  event_time: number;
  /** Epoch seconds. */
  received_at: number | null;
  identifier: string;
  state: EventState;
  grade: string;
  /** The ingest key that reported the event first. */
  key: { id: number; name: string } | null;
  reports: number;
  killer: string | null;
  victim: string | null;
  player: string | null;
}

// What was found in logs of the game, and what is uploaded of it.

/** What is sent only if the player says so. */
export type OptIn = "pay" | "places";

/** What is counted, in one log, of one player, or in all. */
export interface Totals {
  events: number;
  /** Logins. */
  sessions: number;
  /** Time in the Persistent Universe, from arrival to departure, in seconds. */
  universeSeconds: number;
  /** Contracts completed. */
  contracts: number;
  deaths: number;
  /** Incapacitations. */
  downed: number;
  /** Kills of players, which only logs of patches up to 4.3 contain. */
  kills: number;
  npcKills: number;
  crashes: number;
}

/** The totals of a month (UTC), such as `2025-04`. */
export interface MonthTotals extends Totals {
  month: string;
}

/** A ship that was flown in the Persistent Universe, with its name and the number of times it was entered. */
export interface ShipCount {
  ship: string;
  name: string;
  entered: number;
}

/** Events of one kind. */
export interface KindCount {
  /** The identifier, such as `seat_entered`. */
  kind: string;
  count: number;
  /** How many would be sent with everything shared; 0 if none names its player. */
  sent: number;
  optIn: OptIn | null;
}

/** A line with a known tag whose remainder nothing matches, redacted: a sign of a new patch. */
export interface UnknownShape {
  line: string;
  count: number;
}

/**
 * `read`: read to its end. `empty`: no line with a timestamp that can be read, so that it is no log of the game or of a form that
 * is not known. `copy`: the same log as another one, which is longer or the same. `unreadable`: the browser could not read it.
 */
export type LogState = "read" | "empty" | "copy" | "unreadable";

/** A log and what it says about itself. */
export interface LogReading {
  name: string;
  /** Path below the folder that was chosen; the name for a single file. */
  path: string;
  bytes: number;
  state: LogState;
  /** Why it is unreadable, in the browser's words. */
  error: string | null;
  /** The first and the last timestamp, in epoch milliseconds. */
  from: number | null;
  to: number | null;
  /** Changelist of the build. */
  build: string | null;
  /** Such as `ALPHA 4.1.0`. */
  patch: string | null;
  /** `LIVE`, `PTU` and so on. Only LIVE counts on the site. */
  channel: string | null;
  /** The local player; null if the log never names one. */
  handle: string | null;
  lines: number;
  /** Lines whose timestamps cannot be read: their events are missing. */
  untimedLines: number;
  /** Events of a player whom the log never names. They cannot be sent. */
  nameless: number;
  totals: Totals;
}

/** One player of the logs. */
export interface HandleReading {
  handle: string;
  logs: number;
  /** The first and the last timestamp of the player's logs. */
  from: number;
  to: number;
  /** Builds, as patches, oldest first. */
  patches: string[];
  channels: string[];
  totals: Totals;
  /** In order of time; months without events are missing. */
  months: MonthTotals[];
  /** Most entered first. */
  ships: ShipCount[];
  kinds: KindCount[];
  /** Events that would be sent with everything shared. */
  uploadable: number;
}

/** What was found in logs. It is kept in this browser until it is discarded, with the events in the form that is sent. */
export interface Reading {
  id: string;
  /** When it was read, in epoch milliseconds. */
  at: number;
  /** False if reading was stopped: logs after that are missing. */
  isComplete: boolean;
  bytes: number;
  milliseconds: number;
  /** Oldest first. */
  logs: LogReading[];
  /** Most events first. */
  handles: HandleReading[];
  totals: Totals;
  /** Most frequent first. */
  kinds: KindCount[];
  unknownShapes: UnknownShape[];
  /** The upload that was begun; null if there is none. */
  upload: SavedUpload | null;
}

export interface ReadingProgress {
  bytes: number;
  totalBytes: number;
  logs: number;
  totalLogs: number;
  /** The log that is being read, and when it was written, in epoch milliseconds. */
  path: string;
  modifiedAt: number;
  /** What was found so far. */
  totals: Totals;
  handles: string[];
}

/** Work that can be stopped. `result` is rejected with an `AbortError` only if nothing is kept. */
export interface Task<T> {
  result: Promise<T>;
  /** Ends it. Logs that were read and batches that were sent are kept. */
  stop(): void;
  pause(): void;
  resume(): void;
}

/** What is uploaded: the logs of these players, and what the player shares beside. */
export interface UploadChoice {
  handles: string[];
  share: OptIn[];
}

export interface UploadProgress {
  /** Events that the site has answered for. */
  events: number;
  totalEvents: number;
  /** What was answered so far. */
  result: UploadResult;
  /** Why it waits, and until when (epoch milliseconds); null while it sends. */
  waiting: { reason: string; until: number } | null;
}

/** Events that the site rejected for the same reason. */
export interface RejectedEvents {
  /** In the site's words. */
  reason: string;
  count: number;
}

/** A player whose logs the site refused. */
export interface RefusedHandle {
  handle: string;
  /** In the site's words. */
  reason: string;
  /** Who has claimed the player; null if that was not the reason. */
  claimedBy: "nobody" | "other" | null;
  events: number;
}

export interface UploadResult {
  /** Events that the site did not have. */
  accepted: number;
  /** Events that it had. */
  known: number;
  /** Events that the profile does not share, which the site did not store. */
  dropped: number;
  /** Most frequent first. */
  rejected: RejectedEvents[];
  refused: RefusedHandle[];
}

export interface SavedUpload {
  choice: UploadChoice;
  /** Events that the site has answered for. */
  events: number;
  totalEvents: number;
  isDone: boolean;
  result: UploadResult;
  /** Number of the batch that is sent next. */
  nextBatch: number;
}

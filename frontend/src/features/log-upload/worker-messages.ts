// Messages between the page and its worker.
import type { BegunLogs, FollowedLog, NewEvents } from "./follower";
import type { LogFile } from "./log-files";
import type { Reading, ReadingProgress } from "./reading";

/** A log, without what a worker cannot receive. */
export type SentFile = Pick<LogFile, "file" | "name" | "path">;

export type ToWorker =
  | { kind: "load"; bytes: ArrayBuffer }
  | { kind: "read"; id: string; files: SentFile[]; phrases: File[] }
  | { kind: "reopened"; file: File | null }
  | { kind: "follow"; folder: FileSystemDirectoryHandle; begun: BegunLogs }
  | { kind: "pause" }
  | { kind: "resume" }
  | { kind: "stop" };

export type FromWorker =
  | { kind: "loaded" }
  /** Asks for a file again, by its number: browsers refuse to read one that was written since it was opened. */
  | { kind: "reopen"; index: number }
  | { kind: "progress"; progress: ReadingProgress }
  | { kind: "done"; reading: Reading }
  | { kind: "events"; events: NewEvents }
  /** A log has ended: no more events of it follow. */
  | { kind: "closed"; log: string }
  /** After each look at the folder; null if it has no log. */
  | { kind: "followed"; log: FollowedLog | null }
  /** `isUnsupported`: the browser does not know an instruction of the parser. */
  | { kind: "failed"; message: string; isUnsupported: boolean };

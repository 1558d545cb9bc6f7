// Follows the live log of a folder of the game: what the game appends, and the next log after a restart of the game. Used by the worker,
// whose timers run in a background tab as well.
import { handleIn, sendableLines } from "./event-lines";
import { type LogSummary, NO_TOTALS } from "./join-logs";
import { HEAD_BYTES, type Parser } from "./parser";
import { addPhrases } from "./read-log";
import type { Totals } from "./reading";

const LIVE_LOG = "Game.log";
const BACKUPS = "logbackups";
const SLICE_BYTES = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** A browser refuses to read a file that was written since it was opened. */
const READ_ATTEMPTS = 5;

/** Events of a log that were not given before, in the form in which they are kept. */
export interface NewEvents {
  log: string;
  handle: string;
  header: string;
  lines: string[];
}

/** What the followed log tells so far. */
export interface FollowedLog {
  handle: string | null;
  patch: string | null;
  channel: string | null;
  totals: Totals;
  /** Since when the player is in the Persistent Universe; null outside of it. */
  universeSince: number | null;
  /** The last timestamp of the log. */
  at: number | null;
  /** When the game last wrote the log. */
  writtenAt: number;
  /** The text of its first timestamp. */
  stamp: string;
}

/** How far the page has come, so that it goes on there after it was closed. */
export interface BegunLogs {
  /** The number of events that were sent, by the id of the log, of logs that have not ended. */
  sent: Record<string, number>;
  /** The first timestamp of the newest log that was followed; empty if there is none. */
  since: string;
}

interface OpenLog {
  id: string;
  stamp: string;
  offset: number;
  /** Sendable events so far, and how many of them the page has sent before. */
  found: number;
  sent: number;
  universeSince: number | null;
  /** The folder of the log, in whose backups it is after the game has ended. */
  folder: FileSystemDirectoryHandle;
}

interface LiveLog {
  file: FileSystemFileHandle;
  folder: FileSystemDirectoryHandle;
  open: File;
}

export class Follower {
  private current: OpenLog | null = null;
  private summary: LogSummary | null = null;
  private writtenAt = 0;

  constructor(
    private readonly parser: Parser,
    private readonly root: FileSystemDirectoryHandle,
    private readonly begun: BegunLogs,
    private readonly onEvents: (events: NewEvents) => void,
    private readonly onClosed: (log: string) => void,
  ) {}

  /** Reads what is new. Returns null if there is no log. */
  async poll(): Promise<FollowedLog | null> {
    const live = await this.liveLog();
    if (!live) return this.state();
    const head = await readPart(live.file, 0, HEAD_BYTES);
    const first = head && this.parser.head(head);
    // The first line of a new log is not complete yet.
    if (!head || !first) return this.state();
    const { id, stamp } = first;
    if (this.current?.id !== id) {
      await this.close();
      if (this.current === null) {
        for await (const file of phrasesOf(live.folder)) await addPhrases(this.parser, file);
        await this.readMissed(live.folder, id);
      }
      this.begin(id, stamp, head, live.folder);
    }
    this.writtenAt = live.open.lastModified;
    await this.readRest(live.file);
    return this.state();
  }

  /** The live log that was written last, in the folder or in those of the game's channels. */
  private async liveLog(): Promise<LiveLog | null> {
    const found: LiveLog[] = [];
    const look = async (folder: FileSystemDirectoryHandle) => {
      const file = await folder.getFileHandle(LIVE_LOG).catch(() => null);
      const open = await file?.getFile().catch(() => null);
      if (file && open) found.push({ file, folder, open });
    };
    await look(this.root);
    if (found.length === 0) {
      for await (const child of this.root.values())
        if (child.kind === "directory") await look(child as FileSystemDirectoryHandle);
    }
    found.sort((one, other) => other.open.lastModified - one.open.lastModified);
    return found[0] ?? null;
  }

  private begin(id: string, stamp: string, head: Uint8Array, folder: FileSystemDirectoryHandle): void {
    this.parser.begin(head);
    this.current = { id, stamp, offset: 0, found: 0, sent: this.begun.sent[id] ?? 0, universeSince: null, folder };
  }

  /** Reads a log from the current position to its end. */
  private async readRest(file: FileSystemFileHandle): Promise<void> {
    const log = this.current;
    if (!log) return;
    for (;;) {
      const part = await readPart(file, log.offset, SLICE_BYTES);
      if (!part || part.length === 0) break;
      log.offset += part.length;
      for (let at = 0; at < part.length; at += PIECE_BYTES)
        this.take(this.parser.feed(part.subarray(at, at + PIECE_BYTES)));
    }
    this.summary = this.parser.summary();
  }

  /** Ends the current log: the game has moved it to the backups, with lines that were written after the last poll. */
  private async close(): Promise<void> {
    const log = this.current;
    if (!log) return;
    const moved = (await backups(log.folder, this.parser)).find(({ id }) => id === log.id);
    if (moved) await this.readRest(moved.file);
    this.finish(log.id);
  }

  private finish(id: string): void {
    this.take(this.parser.finish(true));
    this.onClosed(id);
  }

  /** Reads the logs that the page has not seen to their end, because it was closed. */
  private async readMissed(folder: FileSystemDirectoryHandle, live: string): Promise<void> {
    const { sent, since } = this.begun;
    const missed = (await backups(folder, this.parser)).filter(
      ({ id, stamp }) => id !== live && (id in sent || (since !== "" && stamp > since)),
    );
    missed.sort((one, other) => (one.stamp < other.stamp ? -1 : 1));
    for (const { id, stamp, head, file } of missed) {
      this.begin(id, stamp, head, folder);
      await this.readRest(file);
      this.finish(id);
    }
  }

  private take(output: string): void {
    const log = this.current;
    if (!log || !output) return;
    for (const line of output.split("\n")) log.universeSince = universeSince(line, log.universeSince);
    const lines = sendableLines(output);
    if (lines.length === 0) return;
    const known = Math.max(0, Math.min(lines.length, log.sent - log.found));
    log.found += lines.length;
    const header = this.parser.header();
    if (known < lines.length)
      this.onEvents({ log: log.id, handle: handleIn(header), header, lines: lines.slice(known) });
  }

  private state(): FollowedLog | null {
    const { current, summary } = this;
    if (!current || !summary) return null;
    const { handle, patch, channel, to } = summary;
    const totals = summary.totals ?? NO_TOTALS;
    const { universeSince, stamp } = current;
    return { handle, patch, channel, totals, universeSince, at: to, writtenAt: this.writtenAt, stamp };
  }
}

/** Since when the player is in the Persistent Universe after an event. */
function universeSince(line: string, before: number | null): number | null {
  const kind = /^.\{"identifier":"([a-z_]+)","event_time":(\d+)/.exec(line);
  if (!kind) return before;
  if (kind[1] === "universe_left" || kind[1] === "logout") return null;
  if (kind[1] !== "connection_success") return before;
  return line.includes('"game_mode":"AC"') ? null : Number(kind[2]);
}

/** The texts of the game in the languages that the player has installed. */
async function* phrasesOf(folder: FileSystemDirectoryHandle): AsyncGenerator<File> {
  const data = await folder.getDirectoryHandle("data").catch(() => null);
  const languages = await data?.getDirectoryHandle("Localization").catch(() => null);
  for await (const child of languages?.values() ?? []) {
    if (child.kind !== "directory") continue;
    const texts = await (child as FileSystemDirectoryHandle).getFileHandle("global.ini").catch(() => null);
    const file = await texts?.getFile().catch(() => null);
    if (file) yield file;
  }
}

interface Backup {
  id: string;
  stamp: string;
  head: Uint8Array;
  file: FileSystemFileHandle;
}

/** The logs that the game has moved. */
async function backups(folder: FileSystemDirectoryHandle, parser: Parser): Promise<Backup[]> {
  const moved = await folder.getDirectoryHandle(BACKUPS).catch(() => null);
  const found: Backup[] = [];
  if (!moved) return found;
  for await (const child of moved.values()) {
    if (child.kind !== "file" || !child.name.toLowerCase().endsWith(".log")) continue;
    const file = child as FileSystemFileHandle;
    const head = await readPart(file, 0, HEAD_BYTES);
    const first = head && parser.head(head);
    if (head && first) found.push({ ...first, head, file });
  }
  return found;
}

/** Reads a part of a file as it is now; null if it cannot be read. */
async function readPart(handle: FileSystemFileHandle, from: number, length: number): Promise<Uint8Array | null> {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    try {
      const file = await handle.getFile();
      return new Uint8Array(await file.slice(from, from + length).arrayBuffer());
    } catch {
      // Written meanwhile: opened again.
    }
  }
  return null;
}

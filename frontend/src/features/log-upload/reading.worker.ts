// The worker in which logs are read: the page stays usable meanwhile. It sends nothing anywhere.
import { Batches } from "./batches";
import { handleIn, sendableLines } from "./event-lines";
import { type BegunLogs, Follower } from "./follower";
import { Gate } from "./gate";
import { joinReading, type LogSummary, NO_TOTALS, plus } from "./join-logs";
import { Parser } from "./parser";
import { addPhrases, headOf, readLog } from "./read-log";
import type { LogReading, LogState, Reading, ReadingProgress } from "./reading";
import { discardReading, saveReading } from "./store";
import type { FromWorker, SentFile, ToWorker } from "./worker-messages";

/** Milliseconds between two looks at a followed log. */
const POLL_INTERVAL = 2000;
/** Milliseconds between two reports of the progress. */
const REPORT_INTERVAL = 500;

const scope = self as unknown as { postMessage(message: FromWorker): void };
let parser: Parser | null = null;
let gate = new Gate();
/** Receives the file that was asked for. */
let reopened: (file: File | null) => void = () => {};

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "load") answer(load(data.bytes));
  else if (data.kind === "read") answer(read(data.id, data.files, data.phrases));
  else if (data.kind === "follow") answer(follow(data.folder, data.begun));
  else if (data.kind === "reopened") reopened(data.file);
  else if (data.kind === "pause") gate.pause();
  else if (data.kind === "resume") gate.resume();
  else gate.stop();
};

function answer(work: Promise<FromWorker>): void {
  work.then(
    (message) => scope.postMessage(message),
    (error: unknown) =>
      scope.postMessage({
        kind: "failed",
        message: error instanceof Error ? error.message : String(error),
        isUnsupported: error instanceof WebAssembly.CompileError,
      }),
  );
}

async function load(bytes: ArrayBuffer): Promise<FromWorker> {
  parser = await Parser.load(bytes);
  return { kind: "loaded" };
}

async function read(id: string, files: SentFile[], phrases: File[]): Promise<FromWorker> {
  if (!parser) throw new Error("The parser is not loaded.");
  for (const file of phrases) await addPhrases(parser, file);
  gate = new Gate();
  await discardReading();
  const reading = await new Run(parser, id, gate).read(files);
  await saveReading(reading);
  return { kind: "done", reading };
}

function openAgain(index: number): Promise<File | null> {
  return new Promise((done) => {
    reopened = done;
    scope.postMessage({ kind: "reopen", index });
  });
}

/** Follows the live log of a folder until the worker is terminated. */
async function follow(folder: FileSystemDirectoryHandle, begun: BegunLogs): Promise<FromWorker> {
  if (!parser) throw new Error("The parser is not loaded.");
  const follower = new Follower(
    parser,
    folder,
    begun,
    (events) => scope.postMessage({ kind: "events", events }),
    (log) => scope.postMessage({ kind: "closed", log }),
  );
  for (;;) {
    scope.postMessage({ kind: "followed", log: await follower.poll() });
    await new Promise((done) => setTimeout(done, POLL_INTERVAL));
  }
}

/** A log with what its first line says. */
interface KnownLog extends SentFile {
  /** Its number among the files. */
  index: number;
  head: Uint8Array;
  id: string | null;
  stamp: string;
  error: string | null;
}

/** The reading of many logs, oldest first. */
class Run {
  private readonly startedAt = Date.now();
  private readonly batches: Batches;
  private readonly logs: LogReading[] = [];
  private readonly summaries: LogSummary[] = [];
  private readonly progress: ReadingProgress = {
    bytes: 0,
    totalBytes: 0,
    logs: 0,
    totalLogs: 0,
    path: "",
    modifiedAt: 0,
    totals: NO_TOTALS,
    handles: [],
  };
  private reportedAt = 0;
  /** The parser holds figures of a log that the progress does not have yet. */
  private isWithinLog = false;

  constructor(
    private readonly parser: Parser,
    private readonly id: string,
    private readonly gate: Gate,
  ) {
    this.batches = new Batches(id);
  }

  async read(files: SentFile[]): Promise<Reading> {
    const known = await Promise.all(files.map((file, index) => this.open(file, index)));
    known.sort((one, other) => (one.stamp < other.stamp ? -1 : one.stamp > other.stamp ? 1 : 0));
    const copies = copiesAmong(known);
    this.progress.totalBytes = known.reduce((sum, log) => sum + (copies.has(log) ? 0 : log.file.size), 0);
    this.progress.totalLogs = known.length;
    for (const log of known) {
      if (this.gate.isStopped) break;
      if (copies.has(log)) this.logs.push(logReading(log, "copy", log.file.size, null, null));
      else await this.readOne(log);
      this.progress.logs += 1;
    }
    await this.batches.close();
    this.report(true);
    const facts = {
      id: this.id,
      at: this.startedAt,
      isComplete: this.progress.logs === known.length && !this.gate.isStopped,
      bytes: this.progress.bytes,
      milliseconds: Date.now() - this.startedAt,
    };
    return joinReading(facts, this.logs, this.summaries);
  }

  private async open(log: SentFile, index: number): Promise<KnownLog> {
    try {
      const head = await headOf(log.file);
      const first = this.parser.head(head);
      return { ...log, index, head, id: first?.id ?? null, stamp: first?.stamp ?? "", error: null };
    } catch (error) {
      return { ...log, index, head: new Uint8Array(), id: null, stamp: "", error: String(error) };
    }
  }

  private async readOne(log: KnownLog): Promise<void> {
    this.progress.path = log.path;
    this.progress.modifiedAt = log.file.lastModified;
    this.report(true);
    this.parser.begin(log.head);
    this.isWithinLog = true;
    const done = await readLog(
      this.parser,
      log.file,
      () => openAgain(log.index),
      (output) => this.take(output),
      async (bytes) => {
        this.progress.bytes += bytes;
        this.report(false);
        return this.gate.pass();
      },
    );
    await this.take(this.parser.finish(isClosed(log) && !done.isStopped && done.error === null));
    await this.batches.flush();
    const summary = this.parser.summary();
    this.isWithinLog = false;
    const isUnreadable = done.error !== null && done.bytes === 0;
    const state = isUnreadable ? "unreadable" : summary.from === null ? "empty" : "read";
    this.logs.push(logReading(log, state, done.bytes, done.error, summary));
    if (state !== "read") return;
    this.summaries.push(summary);
    const handles = this.progress.handles;
    if (summary.handle !== null && !handles.includes(summary.handle))
      this.progress.handles = [...handles, summary.handle];
    this.progress.totals = plus(this.progress.totals, summary.totals);
  }

  private async take(output: string): Promise<void> {
    const lines = sendableLines(output);
    const header = lines.length > 0 ? this.parser.header() : "";
    // Events are only marked as sent once the log has named its player.
    if (header) await this.batches.add(lines, handleIn(header), header);
  }

  private report(isDue: boolean): void {
    const now = Date.now();
    if (!isDue && now - this.reportedAt < REPORT_INTERVAL) return;
    this.reportedAt = now;
    const found = this.isWithinLog ? this.parser.summary().totals : NO_TOTALS;
    const totals = plus(this.progress.totals, found);
    scope.postMessage({ kind: "progress", progress: { ...this.progress, totals } });
  }
}

/** Logs of which a longer or equal one is among them, by their first line. */
function copiesAmong(logs: KnownLog[]): Set<KnownLog> {
  const longest = new Map<string, KnownLog>();
  const copies = new Set<KnownLog>();
  for (const log of logs) {
    const known = log.id === null ? undefined : longest.get(log.id);
    if (log.id === null) continue;
    const isLonger = known === undefined || log.file.size > known.file.size;
    if (isLonger) longest.set(log.id, log);
    if (known) copies.add(isLonger ? known : log);
  }
  return copies;
}

/** Whether the game has moved the log, judged by its folder or name: it is complete. */
const isClosed = (log: SentFile): boolean =>
  /(^|\/)logbackups\/[^/]*$/i.test(log.path) || log.name.startsWith("Game Build(");

function logReading(
  log: KnownLog,
  state: LogState,
  bytes: number,
  error: string | null,
  summary: LogSummary | null,
): LogReading {
  return {
    name: log.name,
    path: log.path,
    bytes,
    state,
    error: error ?? log.error,
    from: summary?.from ?? null,
    to: summary?.to ?? null,
    build: summary?.build ?? null,
    patch: summary?.patch ?? null,
    channel: summary?.channel ?? null,
    handle: summary?.handle ?? null,
    lines: summary?.lines ?? 0,
    untimedLines: summary?.untimedLines ?? 0,
    nameless: summary?.nameless ?? 0,
    totals: summary?.totals ?? NO_TOTALS,
  };
}

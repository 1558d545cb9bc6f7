// Uploads what was read, batch by batch. What the site has answered for is kept, so that an upload goes on after a reload.
import { asApiError } from "../../api/errors";
import { type IngestAnswer, sendEvents } from "../../api/ingest";
import { isChosen } from "./download";
import { sentLines } from "./event-lines";
import { Gate } from "./gate";
import type { Reading, SavedUpload, Task, UploadChoice, UploadProgress, UploadResult } from "./reading";
import { type Batch, batchAt, savedReading, saveReading } from "./store";

const FIRST_WAIT_SECONDS = 1;
const MAX_WAIT_SECONDS = 300;
/** The site cannot read a batch: half of it may be accepted. */
const UNREADABLE = [400, 413, 415, 422];

/** Events that are sent with a choice. */
function countSent(reading: Reading, { handles, share }: UploadChoice): number {
  const chosen = reading.handles.filter(({ handle }) => isChosen({ handles, share }, handle));
  const kinds = chosen.flatMap((one) => one.kinds).filter(({ optIn }) => optIn === null || share.includes(optIn));
  return kinds.reduce((sum, { sent }) => sum + sent, 0);
}

const newUpload = (reading: Reading, choice: UploadChoice): SavedUpload => ({
  choice,
  events: 0,
  totalEvents: countSent(reading, choice),
  isDone: false,
  result: { accepted: 0, known: 0, dropped: 0, rejected: [], refused: [] },
  nextBatch: 0,
});

const isSameChoice = (one: UploadChoice, other: UploadChoice): boolean =>
  JSON.stringify([one.handles.toSorted(), one.share.toSorted()]) ===
  JSON.stringify([other.handles.toSorted(), other.share.toSorted()]);

/** Uploads the logs of the chosen players. An upload of the same choice that was begun goes on where it ended. */
export function uploadReading(
  reading: Reading,
  choice: UploadChoice,
  onProgress: (progress: UploadProgress) => void,
): Task<UploadResult> {
  const gate = new Gate();
  const aborter = new AbortController();
  const run = async () => {
    const saved = await savedReading();
    const begun = (saved?.id === reading.id ? saved : reading).upload;
    const state = begun && !begun.isDone && isSameChoice(begun.choice, choice) ? begun : newUpload(reading, choice);
    return new Run(reading, state, gate, aborter.signal, onProgress).upload();
  };
  return {
    result: run(),
    stop: () => {
      gate.stop();
      aborter.abort();
    },
    pause: () => gate.pause(),
    resume: () => gate.resume(),
  };
}

class Run {
  private failures = 0;

  constructor(
    private readonly reading: Reading,
    private readonly state: SavedUpload,
    private readonly gate: Gate,
    private readonly signal: AbortSignal,
    private readonly onProgress: (progress: UploadProgress) => void,
  ) {}

  async upload(): Promise<UploadResult> {
    const { state } = this;
    this.report(null);
    while (await this.gate.pass()) {
      const batch = await batchAt(this.reading.id, state.nextBatch);
      state.isDone = batch === null;
      const lines = batch && isChosen(state.choice, batch.handle) ? sentLines(batch.lines, state.choice.share) : [];
      if (batch && lines.length > 0 && !(await this.send(batch, lines))) break;
      if (batch) state.nextBatch += 1;
      await saveReading({ ...this.reading, upload: state });
      this.report(null);
      if (!batch) break;
    }
    return state.result;
  }

  /** Sends lines of a batch. Returns false if it was stopped before. */
  private async send(batch: Batch, lines: string[]): Promise<boolean> {
    if (this.isRefused(batch.handle)) {
      this.refuse(batch.handle, lines.length);
      return true;
    }
    try {
      this.record(await sendEvents(lines, batch.header, this.signal), lines.length);
      this.failures = 0;
      return true;
    } catch (error) {
      if (this.gate.isStopped) return false;
      return this.recover(error, batch, lines);
    }
  }

  private async recover(thrown: unknown, batch: Batch, lines: string[]): Promise<boolean> {
    const error = asApiError(thrown);
    if (error.code === "CLAIM_REQUIRED") {
      this.refuse(batch.handle, lines.length, error.message, claimedBy(error.body));
      return true;
    }
    if (UNREADABLE.includes(error.status)) {
      const half = Math.ceil(lines.length / 2);
      if (lines.length > 1)
        return (await this.send(batch, lines.slice(0, half))) && this.send(batch, lines.slice(half));
      this.reject(error.message, 1);
      this.state.events += 1;
      return true;
    }
    const isTemporary = error.status === 0 || error.status === 429 || error.status >= 500;
    if (!isTemporary) throw error;
    const backoff = Math.min(FIRST_WAIT_SECONDS * 2 ** this.failures++, MAX_WAIT_SECONDS);
    const seconds = Math.max(error.retryAfter ?? 0, backoff);
    this.report({ reason: error.message, until: Date.now() + seconds * 1000 });
    await this.gate.sleep(seconds * 1000);
    if (!(await this.gate.pass())) return false;
    this.report(null);
    return this.send(batch, lines);
  }

  private record(answer: IngestAnswer, sent: number): void {
    const { result } = this.state;
    result.accepted += answer.accepted;
    result.known += answer.duplicates;
    result.dropped += answer.dropped;
    for (const { error } of answer.rejected) this.reject(error, 1);
    this.state.events += sent;
  }

  private reject(reason: string, count: number): void {
    const { rejected } = this.state.result;
    const known = rejected.find((row) => row.reason === reason);
    if (known) known.count += count;
    else rejected.push({ reason, count });
    rejected.sort((one, other) => other.count - one.count);
  }

  private isRefused(handle: string): boolean {
    return this.state.result.refused.some((one) => one.handle.toLowerCase() === handle.toLowerCase());
  }

  private refuse(handle: string, events: number, reason = "", by: "nobody" | "other" | null = null): void {
    const { refused } = this.state.result;
    const known = refused.find((one) => one.handle.toLowerCase() === handle.toLowerCase());
    if (known) known.events += events;
    else refused.push({ handle, reason, claimedBy: by, events });
    this.state.events += events;
  }

  private report(waiting: UploadProgress["waiting"]): void {
    const { events, totalEvents, result } = this.state;
    this.onProgress({ events, totalEvents, result: structuredClone(result), waiting });
  }
}

function claimedBy(body: unknown): "nobody" | "other" | null {
  const by = body !== null && typeof body === "object" && "claimed_by" in body ? body.claimed_by : null;
  return by === "nobody" || by === "other" ? by : null;
}

// Follows the game while the page is open: a worker reads what the game appends to its log, and the page uploads it. The folder is kept,
// so that the next visit goes on; the browser asks the player again. Browsers without handles of folders cannot do this.
import { asApiError } from "../../api/errors";
import { sendEvents } from "../../api/ingest";
import { sentLines } from "./event-lines";
import type { BegunLogs, FollowedLog, NewEvents } from "./follower";
import { startReader } from "./read-logs";
import type { OptIn } from "./reading";
import { FOLLOWED, inStore } from "./store";
import type { FromWorker } from "./worker-messages";

/** `elsewhere`: another tab follows, and this one takes over when that one is closed. `denied`: the browser has to ask for the folder. */
export type FollowStatus = "starting" | "following" | "elsewhere" | "denied" | "failed";

export interface FollowState {
  status: FollowStatus;
  /** The name of the folder. */
  folder: string;
  /** What the current log tells; null if the folder has none. */
  log: FollowedLog | null;
  /** Events that the site did not have, since the page follows. */
  accepted: number;
  /** Events that it had. */
  known: number;
  rejected: number;
  /** Events that wait to be sent. */
  waiting: number;
  /** Why they wait, or why it failed, in words; null if all is well. */
  problem: string | null;
  /** The player whom the account has to claim first; null if that is not the reason. */
  unclaimed: string | null;
}

/** What is kept of the followed folder. */
interface Followed {
  folder: FileSystemDirectoryHandle;
  begun: BegunLogs;
}

type AskableHandle = FileSystemDirectoryHandle & {
  queryPermission(options: { mode: "read" }): Promise<PermissionState>;
  requestPermission(options: { mode: "read" }): Promise<PermissionState>;
};
type PickingWindow = Window & {
  showDirectoryPicker?: (options: { id: string; mode: "read" }) => Promise<FileSystemDirectoryHandle>;
};

const KEY = "folder";
const LOCK = "apogee-follow-game";
const MAX_EVENTS = 1000;
const FIRST_WAIT_MS = 2000;
const MAX_WAIT_MS = 300_000;
/** Interval at which logs of a player are tried again whom the account has not claimed. */
const CLAIM_WAIT_MS = 45_000;

export const isFollowingSupported = (): boolean =>
  typeof (window as PickingWindow).showDirectoryPicker === "function" && "locks" in navigator;

async function load(): Promise<Followed | null> {
  try {
    return (
      (await inStore<Followed | undefined>(FOLLOWED, "readonly", (of) => of.objectStore(FOLLOWED).get(KEY))) ?? null
    );
  } catch {
    return null;
  }
}

const save = (followed: Followed) =>
  inStore(FOLLOWED, "readwrite", (of) => of.objectStore(FOLLOWED).put(followed, KEY));

/** The folder that was followed, and whether the browser has to ask for it again; null if there is none. */
export async function followedFolder(): Promise<{ name: string; isGranted: boolean } | null> {
  const followed = await load();
  if (!followed) return null;
  return { name: followed.folder.name, isGranted: await isGranted(followed.folder) };
}

/** Handles of the browser's own storage need no permission. */
async function isGranted(folder: FileSystemDirectoryHandle): Promise<boolean> {
  const asked = folder as Partial<AskableHandle>;
  return asked.queryPermission === undefined || (await asked.queryPermission({ mode: "read" })) === "granted";
}

/** Asks for the folder of the game. Call it in a click. Returns false if the player chose none. */
export async function chooseFolder(): Promise<boolean> {
  try {
    const folder = await (window as PickingWindow).showDirectoryPicker?.({ id: "game", mode: "read" });
    if (!folder) return false;
    await followFolder(folder);
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return false;
    throw error;
  }
}

/** Keeps a folder as the one that is followed. */
export async function followFolder(folder: FileSystemDirectoryHandle): Promise<void> {
  await save({ folder, begun: { sent: {}, since: "" } });
}

/** Asks for the kept folder again. Call it in a click. */
export async function grantFolder(): Promise<boolean> {
  const followed = await load();
  if (!followed) return false;
  return (await (followed.folder as AskableHandle).requestPermission({ mode: "read" })) === "granted";
}

export const forgetFolder = () => inStore(FOLLOWED, "readwrite", (of) => of.objectStore(FOLLOWED).delete(KEY));

/** Follows the kept folder until it is stopped. `share` is what is sent beside; the events of one tab are sent in order. */
export function followGame(share: OptIn[], onState: (state: FollowState) => void): { stop(): void } {
  const aborter = new AbortController();
  const run = new Run(share, aborter.signal, onState);
  void run.start();
  return { stop: () => aborter.abort() };
}

class Run {
  private state: FollowState = {
    status: "starting",
    folder: "",
    log: null,
    accepted: 0,
    known: 0,
    rejected: 0,
    waiting: 0,
    problem: null,
    unclaimed: null,
  };
  private followed: Followed | null = null;
  private queue: (NewEvents | { closed: string })[] = [];
  private isSending = false;
  private failures = 0;
  private retryAt = 0;

  constructor(
    private readonly share: OptIn[],
    private readonly signal: AbortSignal,
    private readonly onState: (state: FollowState) => void,
  ) {}

  async start(): Promise<void> {
    try {
      const isFree = await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => this.withLock(lock !== null));
      if (isFree || this.signal.aborted) return;
      this.update({ status: "elsewhere" });
      await navigator.locks.request(LOCK, { signal: this.signal }, () => this.withLock(true));
    } catch (error) {
      if (this.signal.aborted) return;
      this.update({ status: "failed", problem: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Follows while this tab has the lock. Returns false without it. */
  private async withLock(hasLock: boolean): Promise<boolean> {
    if (!hasLock) return false;
    this.followed = await load();
    const { followed } = this;
    if (!followed) throw new Error("No folder was chosen.");
    this.update({ folder: followed.folder.name });
    if (!(await isGranted(followed.folder))) {
      this.update({ status: "denied" });
      return true;
    }
    const worker = await startReader();
    if (!worker) throw new Error("This site was built without the parser.");
    this.update({ status: "following" });
    try {
      await this.follow(worker, followed);
    } finally {
      worker.terminate();
    }
    return true;
  }

  private follow(worker: Worker, followed: Followed): Promise<void> {
    return new Promise((done, fail) => {
      this.signal.addEventListener("abort", () => done());
      worker.onerror = (event) => fail(new Error(event.message || "The reader has ended."));
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.kind === "failed") fail(new Error(data.message));
        else if (data.kind === "events") this.enqueue(data.events, followed);
        else if (data.kind === "closed") this.queue.push({ closed: data.log });
        else if (data.kind === "followed") {
          followed.begun.since = data.log?.stamp ?? followed.begun.since;
          this.update({ log: data.log, waiting: this.waiting() });
          // The worker's messages drive the upload: timers of a page in the background stand nearly still.
          void this.send(followed);
        }
      };
      worker.postMessage({ kind: "follow", folder: followed.folder, begun: followed.begun });
    });
  }

  private enqueue(events: NewEvents, followed: Followed): void {
    this.queue.push(events);
    // From now on the log is one that is read to its end.
    followed.begun.sent[events.log] ??= 0;
  }

  private async send(followed: Followed): Promise<void> {
    if (this.isSending || Date.now() < this.retryAt) return;
    this.isSending = true;
    try {
      await save(followed);
      for (let next = this.queue[0]; next && !this.signal.aborted; next = this.queue[0]) {
        if ("closed" in next) delete followed.begun.sent[next.closed];
        else await this.sendPart(next, followed);
        if ("closed" in next || next.lines.length === 0) this.queue.shift();
        await save(followed);
      }
      this.failures = 0;
      this.update({ waiting: this.waiting(), problem: null, unclaimed: null });
    } catch (error) {
      if (!this.signal.aborted) this.wait(error);
    } finally {
      this.isSending = false;
    }
  }

  /** Sends the first events of a part, and removes them from it. */
  private async sendPart(part: NewEvents, followed: Followed): Promise<void> {
    const first = part.lines.slice(0, MAX_EVENTS);
    const lines = sentLines(first, this.share);
    if (lines.length > 0) {
      const answer = await sendEvents(lines, part.header, this.signal).catch((error: unknown) => {
        const body = asApiError(error).body as { claimed_by?: unknown } | null;
        // The log of somebody else's player is never sent.
        if (body?.claimed_by === "other") return null;
        throw error;
      });
      this.update({
        accepted: this.state.accepted + (answer?.accepted ?? 0),
        known: this.state.known + (answer?.duplicates ?? 0),
        rejected: this.state.rejected + (answer ? answer.rejected.length : lines.length),
      });
    }
    part.lines.splice(0, first.length);
    followed.begun.sent[part.log] = (followed.begun.sent[part.log] ?? 0) + first.length;
  }

  /** Sends again later: with the first look at the log after the wait. */
  private wait(thrown: unknown): void {
    const error = asApiError(thrown);
    const isUnclaimed = error.code === "CLAIM_REQUIRED";
    const backoff = Math.min(FIRST_WAIT_MS * 2 ** this.failures++, MAX_WAIT_MS);
    this.retryAt = Date.now() + Math.max(isUnclaimed ? CLAIM_WAIT_MS : backoff, (error.retryAfter ?? 0) * 1000);
    const unclaimed = isUnclaimed ? (this.state.log?.handle ?? null) : null;
    this.update({ waiting: this.waiting(), problem: error.message, unclaimed });
  }

  private waiting(): number {
    return this.queue.reduce((sum, part) => sum + ("closed" in part ? 0 : part.lines.length), 0);
  }

  private update(change: Partial<FollowState>): void {
    this.state = { ...this.state, ...change };
    if (!this.signal.aborted) this.onState(this.state);
  }
}

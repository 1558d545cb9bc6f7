// Reads logs in a worker. The worker and the parser are loaded once, so that reading works without a network after that.
import { type FoundFiles, openEntry } from "./log-files";
import type { Reading, ReadingProgress, Task } from "./reading";
import type { FromWorker, ToWorker } from "./worker-messages";

/** The address of the compiled parser; undefined if the site was built without it. */
const wasmUrl = Object.values(
  import.meta.glob<string>("../../../wasm/gamelog.wasm", { query: "?url", import: "default", eager: true }),
)[0];

/** Whether this page can read logs: `missing` if the site was built without the parser, `unsupported` if the browser cannot run it. */
export type ReadingSupport = "ready" | "missing" | "unsupported";

let worker: Promise<Worker> | null = null;

/** Loads what reading needs. It is rejected if the network fails. */
export async function isReadingSupported(): Promise<ReadingSupport> {
  if (!wasmUrl) return "missing";
  if (typeof Worker === "undefined" || typeof WebAssembly === "undefined" || typeof indexedDB === "undefined")
    return "unsupported";
  try {
    await loadedWorker(wasmUrl);
    return "ready";
  } catch (error) {
    // An old browser does not know an instruction of the parser.
    if (error instanceof WebAssembly.CompileError) return "unsupported";
    throw error;
  }
}

function loadedWorker(url: string): Promise<Worker> {
  const loading = worker ?? startWorker(url);
  worker = loading;
  loading.catch(() => {
    if (worker === loading) worker = null;
  });
  return loading;
}

/** Starts a worker of its own with the loaded parser; null if the site was built without it. */
export const startReader = async (): Promise<Worker | null> => (wasmUrl ? startWorker(wasmUrl) : null);

async function startWorker(url: string): Promise<Worker> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The parser could not be loaded (${response.status}).`);
  const started = new Worker(new URL("./reading.worker.ts", import.meta.url), { type: "module", name: "log reader" });
  send(started, { kind: "load", bytes: await response.arrayBuffer() });
  await answerOf(started, () => {});
  return started;
}

const send = (to: Worker, message: ToWorker): void => to.postMessage(message);

/** Waits for the answer to the last message. `onMessage` gets those before it. */
function answerOf(from: Worker, onMessage: (message: FromWorker) => void): Promise<Reading | null> {
  return new Promise((done, fail) => {
    from.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "failed")
        fail(data.isUnsupported ? new WebAssembly.CompileError(data.message) : new Error(data.message));
      else if (data.kind === "done") done(data.reading);
      else if (data.kind === "loaded") done(null);
      else onMessage(data);
    };
    from.onerror = (event) => fail(new Error(event.message || "The reader could not be started."));
  });
}

/** Reads logs, oldest first. What was read before is discarded. */
export function readLogs(found: FoundFiles, onProgress: (progress: ReadingProgress) => void): Task<Reading> {
  const tell = (kind: "pause" | "resume" | "stop") => () => void worker?.then((started) => send(started, { kind }));
  return { result: read(found, onProgress), stop: tell("stop"), pause: tell("pause"), resume: tell("resume") };
}

async function read(found: FoundFiles, onProgress: (progress: ReadingProgress) => void): Promise<Reading> {
  if (!wasmUrl) throw new Error("This site was built without the parser.");
  const started = await loadedWorker(wasmUrl);
  const onMessage = async (message: FromWorker) => {
    if (message.kind === "progress") onProgress(message.progress);
    if (message.kind !== "reopen") return;
    const entry = found.logs[message.index]?.entry;
    send(started, { kind: "reopened", file: entry ? await openEntry(entry) : null });
  };
  try {
    const files = found.logs.map(({ file, name, path }) => ({ file, name, path }));
    send(started, { kind: "read", id: String(Date.now()), files, phrases: found.phrases });
    const reading = await answerOf(started, onMessage);
    if (!reading) throw new Error("The reader gave no answer.");
    return reading;
  } catch (error) {
    // The parser's memory may be in any state.
    started.terminate();
    worker = null;
    throw error;
  }
}

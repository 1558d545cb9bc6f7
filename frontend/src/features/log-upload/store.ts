// What was read, kept in this browser: the summary and the events that may be sent. It survives signing in, a reload and a restart, until
// the player discards it or reads other logs.
import type { Reading } from "./reading";

/** Events of one log, as they are sent together. */
export interface Batch {
  reading: string;
  index: number;
  /** The local player of the log. */
  handle: string;
  /** The value of the header `Apogee-Log`. */
  header: string;
  /** Lines of the parser. */
  lines: string[];
}

const DATABASE = "apogee-logs";
const READINGS = "readings";
const BATCHES = "batches";
/** What the page follows; see `follow.ts`. */
export const FOLLOWED = "followed";

let database: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  database ??= new Promise<IDBDatabase>((done, fail) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(READINGS, { keyPath: "id" });
      request.result.createObjectStore(BATCHES, { keyPath: ["reading", "index"] });
      request.result.createObjectStore(FOLLOWED);
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
  database.catch(() => {
    database = null;
  });
  return database;
}

/** Runs one transaction and returns the result of its request. */
export async function inStore<T>(
  stores: string | string[],
  mode: IDBTransactionMode,
  work: (transaction: IDBTransaction) => IDBRequest<T>,
): Promise<T> {
  const transaction = (await open()).transaction(stores, mode);
  return new Promise<T>((done, fail) => {
    const request = work(transaction);
    transaction.oncomplete = () => done(request.result);
    transaction.onabort = () => fail(transaction.error ?? new Error("The browser could not store it."));
  });
}

/** The reading that is kept; null if there is none or the browser keeps nothing. */
export async function savedReading(): Promise<Reading | null> {
  try {
    const all = await inStore<Reading[]>(READINGS, "readonly", (of) => of.objectStore(READINGS).getAll());
    return all[0] ?? null;
  } catch {
    return null;
  }
}

/** Removes all that was read. */
export async function discardReading(): Promise<void> {
  await inStore([READINGS, BATCHES], "readwrite", (of) => {
    of.objectStore(READINGS).clear();
    return of.objectStore(BATCHES).clear();
  });
}

export async function saveReading(reading: Reading): Promise<void> {
  await inStore(READINGS, "readwrite", (of) => of.objectStore(READINGS).put(reading));
}

/** Stores batches in one transaction. */
export async function saveBatches(batches: Batch[]): Promise<void> {
  await inStore(BATCHES, "readwrite", (of) => {
    const store = of.objectStore(BATCHES);
    const puts = batches.map((batch) => store.put(batch));
    return puts[0] as IDBRequest<IDBValidKey>;
  });
}

/** The batch with this number; null after the last one. */
export async function batchAt(reading: string, index: number): Promise<Batch | null> {
  const found = await inStore<Batch | undefined>(BATCHES, "readonly", (of) =>
    of.objectStore(BATCHES).get([reading, index]),
  );
  return found ?? null;
}

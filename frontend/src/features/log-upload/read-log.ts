// Reads one log: its bytes in order, with the parser.
import { HEAD_BYTES, type Parser } from "./parser";

/** One read of the disk. While it is parsed, the next one is read. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** Small enough for the processor's cache. */
const PIECE_BYTES = 256 * 1024;

/** Opens a file again after it was written; null if that is not possible. */
export type Reopen = () => Promise<File | null>;

export async function headOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
}

/**
 * Feeds the log to the parser, from its beginning. `take` gets the events of each piece, and `step` the number of bytes after each read of
 * the disk; it returns false to stop. Returns the number of bytes read, and why it ended early: browsers refuse to read a file that was
 * written after it was chosen.
 */
export async function readLog(
  parser: Parser,
  file: File,
  reopen: Reopen,
  take: (output: string) => Promise<void>,
  step: (bytes: number) => Promise<boolean>,
): Promise<{ bytes: number; error: string | null; isStopped: boolean }> {
  let [open, bytes] = [file, 0];
  const readAt = (at: number) => settled(open.slice(at, at + SLICE_BYTES).arrayBuffer());
  let next = readAt(0);
  for (;;) {
    let slice = await next;
    if (!(slice instanceof ArrayBuffer)) {
      const again = await reopen();
      if (again) open = again;
      slice = again ? await readAt(bytes) : slice;
      if (!(slice instanceof ArrayBuffer)) return { bytes, error: slice.message, isStopped: false };
    }
    if (slice.byteLength === 0) return { bytes, error: null, isStopped: false };
    const read = new Uint8Array(slice);
    bytes += read.length;
    next = readAt(bytes);
    for (let at = 0; at < read.length; at += PIECE_BYTES) {
      const output = parser.feed(read.subarray(at, at + PIECE_BYTES));
      if (output) await take(output);
    }
    if (!(await step(read.length))) return { bytes, error: null, isStopped: true };
  }
}

/** A failed read waits until its turn, instead of being an unhandled error. */
const settled = (read: Promise<ArrayBuffer>): Promise<ArrayBuffer | Error> =>
  read.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));

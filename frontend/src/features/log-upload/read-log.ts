// Reads one log: its bytes in order, with the parser.
import { HEAD_BYTES, type Parser } from "./parser";

/** How often the progress is reported and pausing is possible. */
const STEP_BYTES = 4 * 1024 * 1024;

/** Opens a file again after it was written; null if that is not possible. */
export type Reopen = () => Promise<File | null>;

export async function headOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
}

/** Such a file has ten megabytes. */
const MAX_PHRASES_BYTES = 64 * 1024 * 1024;

/** Reads logs in the language of a `global.ini` from now on. One that cannot be read is no loss for logs in other languages. */
export async function addPhrases(parser: Parser, file: Blob): Promise<void> {
  const bytes = await file
    .slice(0, MAX_PHRASES_BYTES)
    .arrayBuffer()
    .catch(() => null);
  if (bytes) parser.addPhrases(new Uint8Array(bytes));
}

/**
 * Feeds the log to the parser, from its beginning. `take` gets the events of each piece, and `step` the number of bytes after some of them;
 * it returns false to stop. Returns the number of bytes read, and why it ended early: browsers refuse to read a file that was written
 * after it was chosen.
 */
export async function readLog(
  parser: Parser,
  file: File,
  reopen: Reopen,
  take: (output: string) => Promise<void>,
  step: (bytes: number) => Promise<boolean>,
): Promise<{ bytes: number; error: string | null; isStopped: boolean }> {
  let [next, bytes, stepped, reopenedAt] = [piecesOf(file), 0, 0, -1];
  for (;;) {
    const piece = await next();
    if (piece instanceof Error) {
      // A second failure at the same place is no writing by the game.
      const again = reopenedAt === bytes ? null : await reopen();
      if (!again) return { bytes, error: piece.message, isStopped: false };
      [next, reopenedAt] = [piecesOf(again.slice(bytes)), bytes];
      continue;
    }
    if (piece) {
      bytes += piece.length;
      const output = parser.feed(piece);
      if (output) await take(output);
    }
    if (piece && bytes - stepped < STEP_BYTES) continue;
    const isStopped = !(await step(bytes - stepped));
    stepped = bytes;
    if (!piece || isStopped) return { bytes, error: null, isStopped: isStopped && piece !== null };
  }
}

type Piece = Uint8Array | Error | null;

/**
 * Returns a function that gives the bytes of a file in order, or null at the end. While one piece is parsed, the next one is read. The
 * stream allocates each piece: with memory that is used again (`mode: "byob"`), Chromium sometimes ceases to answer within a file.
 */
function piecesOf(file: Blob): () => Promise<Piece> {
  const reader = file.stream().getReader();
  let pending = settled(reader.read());
  return async () => {
    const piece = await pending;
    if (piece instanceof Uint8Array) pending = settled(reader.read());
    return piece;
  };
}

/** A failed read waits until its turn, instead of being an unhandled error. */
async function settled(read: Promise<ReadableStreamReadResult<Uint8Array>>): Promise<Piece> {
  try {
    const { done, value } = await read;
    return done ? null : value;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

// Reads one log: its bytes in order, with the parser.
import { HEAD_BYTES, type Parser } from "./parser";

/** How often the progress is reported and pausing is possible. */
const STEP_BYTES = 4 * 1024 * 1024;
/** The parser gets at most as much at a time. */
const PIECE_BYTES = 1024 * 1024;
/** To some browsers such a file just ends earlier. */
const SHRUNK = "The file became shorter while it was read";

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
  let [pieces, size, bytes, stepped, reopenedAt] = [new Pieces(file), file.size, 0, 0, -1];
  for (;;) {
    const piece = await pieces.next();
    if (piece instanceof Error) {
      // A second failure at the same place is no writing by the game.
      const again = reopenedAt === bytes ? null : await reopen();
      if (!again) return { bytes, error: piece.message, isStopped: false };
      [pieces, size, reopenedAt] = [new Pieces(again.slice(bytes)), again.size, bytes];
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
    if (!piece) return { bytes, error: bytes < size ? SHRUNK : null, isStopped: false };
    if (isStopped) {
      pieces.close();
      return { bytes, error: null, isStopped };
    }
  }
}

/** A read of the stream of a file. At its end a reader into given memory still gives the last bytes. */
type Read = () => Promise<{ done: boolean; value?: Uint8Array | undefined }>;
type Reader = { cancel(): Promise<void> };

/** Readers in use. To Chromium one that only its own pending read refers to is garbage, and the read never ends. */
const openReaders = new Set<Reader>();

/** The bytes of a file in order. */
class Pieces {
  private readonly reader: Reader;
  private readonly read: Read;

  constructor(file: Blob) {
    const stream = file.stream();
    [this.reader, this.read] = intoOneMemory(stream) ?? intoNewMemory(stream);
    openReaders.add(this.reader);
  }

  /** The next bytes, which the next call overwrites; null at the end. */
  async next(): Promise<Uint8Array | Error | null> {
    try {
      const { done, value } = await this.read();
      if (value && value.length > 0) return value;
      if (!done) return new Uint8Array();
      openReaders.delete(this.reader);
      return null;
    } catch (error) {
      openReaders.delete(this.reader);
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  close(): void {
    openReaders.delete(this.reader);
    this.reader.cancel().catch(() => {});
  }
}

/** Reads into the same memory again and again: new memory for each piece takes longer than parsing it. Null if the browser cannot. */
function intoOneMemory(stream: ReadableStream<Uint8Array>): [Reader, Read] | null {
  try {
    const reader = stream.getReader({ mode: "byob" });
    let memory = new ArrayBuffer(PIECE_BYTES);
    const read = async () => {
      // Without `min` a piece is what the browser happens to have read.
      const result = await reader.read(new Uint8Array(memory), { min: PIECE_BYTES });
      if (result.value) memory = result.value.buffer;
      return result;
    };
    return [reader, read];
  } catch {
    return null;
  }
}

function intoNewMemory(stream: ReadableStream<Uint8Array>): [Reader, Read] {
  const reader = stream.getReader();
  return [reader, () => reader.read()];
}

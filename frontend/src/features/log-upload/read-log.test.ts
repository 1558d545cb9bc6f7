import { expect, test } from "vitest";
import type { Parser } from "./parser";
import { readLog } from "./read-log";

/** Larger than a piece, and no multiple of one. */
const LOG = Uint8Array.from({ length: 2_500_001 }, (_, at) => at % 251);

/** Reads with a parser that keeps the bytes. */
async function read(file: Blob, reopen: () => Promise<File | null>, step: (bytes: number) => Promise<boolean>) {
  const pieces: Uint8Array[] = [];
  const feed = (bytes: Uint8Array) => {
    pieces.push(bytes.slice());
    return "";
  };
  const parser = { feed } as unknown as Parser;
  const done = await readLog(parser, file as File, reopen, async () => {}, step);
  return { done, bytes: Buffer.concat(pieces) };
}

const onceOnly = () => Promise.resolve(null);
const goOn = async () => true;

/** A file whose stream gives pieces of the browser's choice, not into memory of the page. */
function withoutByteStream(bytes: Uint8Array<ArrayBuffer>): Blob {
  const pieces = [bytes.slice(0, 700_000), new Uint8Array(), bytes.slice(700_000)];
  const stream = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
  return { stream } as unknown as Blob;
}

test("a log is read to its last byte", async () => {
  for (const length of [0, 1, 1024 * 1024, LOG.length]) {
    const log = LOG.slice(0, length);
    const { done, bytes } = await read(new Blob([log]), onceOnly, goOn);
    expect(done).toEqual({ bytes: length, error: null, isStopped: false });
    expect(bytes.equals(log)).toBe(true);
  }
});

test("a log is read in browsers that cannot read into memory of the page", async () => {
  const { done, bytes } = await read(withoutByteStream(LOG), onceOnly, goOn);
  expect(done).toEqual({ bytes: LOG.length, error: null, isStopped: false });
  expect(bytes.equals(LOG)).toBe(true);
});

test("a log that was written after it was chosen is read on in the file as it is now", async () => {
  let pulled = 0;
  const written = {
    stream: () =>
      new ReadableStream({
        type: "bytes",
        pull: (controller) => {
          if (pulled++ > 0) controller.error(new Error("written"));
          else controller.enqueue(LOG.slice(0, 1024 * 1024));
        },
      }),
  } as unknown as Blob;
  const again = await read(written, async () => new Blob([LOG]) as File, goOn);
  expect(again.done).toEqual({ bytes: LOG.length, error: null, isStopped: false });
  expect(again.bytes.equals(LOG)).toBe(true);
  pulled = 0;
  const gone = await read(written, onceOnly, goOn);
  expect(gone.done).toEqual({ bytes: 1024 * 1024, error: "written", isStopped: false });
});

test("a log that became shorter while it was read says so", async () => {
  const shorter = { size: LOG.length, stream: () => new Blob([LOG.slice(0, 9)]).stream() } as unknown as Blob;
  const { done } = await read(shorter, onceOnly, goOn);
  expect(done).toEqual({ bytes: 9, error: "The file became shorter while it was read", isStopped: false });
});

test("reading stops where it is told to", async () => {
  const long = new Blob(Array.from({ length: 4 }, () => LOG));
  const { done, bytes } = await read(long, onceOnly, async () => false);
  expect(done).toEqual({ bytes: bytes.length, error: null, isStopped: true });
  expect(bytes.length).toBeLessThan(long.size);
});

// The parser in WebAssembly: one log after another. Bytes are copied into its memory, and texts out of it.

import type { LogSummary } from "./join-logs";

/** The exported functions; see `abi` of the crate `gamelog-web`. */
interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  head(): number;
  add_phrases(): void;
  begin(): number;
  feed(): number;
  finish(isClosed: number): number;
  header(): number;
  summary(): number;
}

/** The first line of a log is within this many bytes. */
export const HEAD_BYTES = 4096;

const decoder = new TextDecoder();

export class Parser {
  private constructor(private readonly wasm: Exports) {}

  static async load(bytes: ArrayBuffer): Promise<Parser> {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Parser(instance.exports as unknown as Exports);
  }

  /** Id and first timestamp of the log with this beginning; null if its first line is incomplete. */
  head(bytes: Uint8Array): { id: string; stamp: string } | null {
    this.give(bytes);
    const text = this.take(this.wasm.head());
    return text ? JSON.parse(text) : null;
  }

  /** Reads logs in the language of a `global.ini` of the game from now on. */
  addPhrases(bytes: Uint8Array): void {
    this.give(bytes);
    this.wasm.add_phrases();
  }

  /** Begins a log. Its beginning is fed again. */
  begin(head: Uint8Array): void {
    this.give(head);
    if (this.wasm.begin() === 0) throw new Error("The parser's grammar cannot be read.");
  }

  /** Returns the lines of the events that are complete; see `take_lines` of the crate. */
  feed(bytes: Uint8Array): string {
    this.give(bytes);
    return this.take(this.wasm.feed());
  }

  finish(isClosed: boolean): string {
    return this.take(this.wasm.finish(isClosed ? 1 : 0));
  }

  /** The header of an upload of what was read so far; empty if there is none. */
  header(): string {
    return this.take(this.wasm.header());
  }

  summary(): LogSummary {
    return JSON.parse(this.take(this.wasm.summary()));
  }

  private give(bytes: Uint8Array): void {
    const address = this.wasm.input(bytes.length);
    new Uint8Array(this.wasm.memory.buffer, address, bytes.length).set(bytes);
  }

  private take(length: number): string {
    if (length === 0) return "";
    return decoder.decode(new Uint8Array(this.wasm.memory.buffer, this.wasm.output(), length));
  }
}

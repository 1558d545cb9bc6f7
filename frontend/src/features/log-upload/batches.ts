// Collects the events of one log into batches of the size that the site accepts.
import { type Batch, saveBatch } from "./store";

const MAX_EVENTS = 1000;
/** UTF-8 takes at most three bytes for a character, and a site accepts 1 MiB. */
const MAX_CHARS = 340_000;

export class Batches {
  private lines: string[] = [];
  private chars = 0;
  private handle = "";
  private header = "";
  /** The batch that is being stored while the log is read on. */
  private saving = Promise.resolve();

  /** Batches are numbered from `next` in all logs of a reading. */
  constructor(
    private readonly reading: string,
    public next = 0,
    private readonly save: (batch: Batch) => Promise<void> = saveBatch,
  ) {}

  /** Adds events of the local player of a log. `header` describes the log so far. */
  async add(lines: string[], handle: string, header: string): Promise<void> {
    if (handle !== this.handle) await this.flush();
    this.handle = handle;
    for (const line of lines) {
      if (this.lines.length >= MAX_EVENTS || this.chars + line.length > MAX_CHARS) await this.flush();
      this.lines.push(line);
      this.chars += line.length;
      this.header = header;
    }
  }

  /** Ends a batch. Call it after each log: all events of a batch come from one. An error of the batch before is thrown here. */
  async flush(): Promise<void> {
    const { lines, handle, header } = this;
    [this.lines, this.chars] = [[], 0];
    if (lines.length === 0) return;
    await this.saving;
    this.saving = this.save({ reading: this.reading, index: this.next++, handle, header, lines });
    this.saving.catch(() => {});
  }

  /** Ends the last batch and waits until all are stored. */
  async close(): Promise<void> {
    await this.flush();
    await this.saving;
  }
}

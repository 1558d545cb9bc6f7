// Collects the events of one log into batches of the size that the site accepts.
import { type Batch, saveBatches } from "./store";

const MAX_EVENTS = 1000;
/** UTF-8 takes at most three bytes for a character, and a site accepts 1 MiB. */
const MAX_CHARS = 340_000;
/** Batches that are stored together: one transaction for each batch takes three times as long. */
const STORED_TOGETHER = 16;

export class Batches {
  private lines: string[] = [];
  private chars = 0;
  private handle = "";
  private header = "";
  private full: Batch[] = [];
  /** The batches that are being stored while the log is read on. */
  private saving = Promise.resolve();

  /** Batches are numbered from `next` in all logs of a reading. */
  constructor(
    private readonly reading: string,
    public next = 0,
    private readonly save: (batches: Batch[]) => Promise<void> = saveBatches,
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

  /** Ends a batch. Call it after each log: all events of a batch come from one. An error of earlier batches is thrown here. */
  async flush(): Promise<void> {
    const { lines, handle, header } = this;
    [this.lines, this.chars] = [[], 0];
    if (lines.length === 0) return;
    this.full.push({ reading: this.reading, index: this.next++, handle, header, lines });
    if (this.full.length >= STORED_TOGETHER) await this.store();
  }

  /** Ends the last batch and waits until all are stored. */
  async close(): Promise<void> {
    await this.flush();
    await this.store();
    await this.saving;
  }

  private async store(): Promise<void> {
    await this.saving;
    const batches = this.full;
    this.full = [];
    if (batches.length === 0) return;
    this.saving = this.save(batches);
    this.saving.catch(() => {});
  }
}

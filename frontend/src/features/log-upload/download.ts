// The upload as a file, so that players see what would leave their computer.
import { sentLines } from "./event-lines";
import type { Reading, UploadChoice } from "./reading";
import { batchAt } from "./store";

/** Whether the logs of a player are chosen. Handles are the same in any case of letters. */
export const isChosen = ({ handles }: UploadChoice, handle: string): boolean =>
  handles.some((chosen) => chosen.toLowerCase() === handle.toLowerCase());

/** The exact upload: for each request the header that describes the log, and its body. */
export async function downloadOfUpload(reading: Reading, choice: UploadChoice): Promise<Blob> {
  const parts: string[] = [];
  for (let index = 0; ; index++) {
    const batch = await batchAt(reading.id, index);
    if (!batch) break;
    const lines = isChosen(choice, batch.handle) ? sentLines(batch.lines, choice.share) : [];
    if (lines.length > 0) parts.push(`Apogee-Log: ${batch.header}\n\n${lines.join("\n")}\n\n`);
  }
  return new Blob(parts, { type: "text/plain;charset=utf-8" });
}

// Lines of events as the parser gives them: JSON after one character that says whether the event is sent.
import type { OptIn } from "./reading";

const OPT_IN: Record<string, OptIn> = { $: "pay", "@": "places" };

/** Splits the parser's output into lines that may be sent. The others are only counted. */
export const sendableLines = (output: string): string[] =>
  output.split("\n").filter((line) => line !== "" && !line.startsWith("-"));

/** The lines that are sent with this choice, in the form in which they are sent. */
export function sentLines(lines: string[], share: OptIn[]): string[] {
  const isShared = (line: string) => {
    const optIn = OPT_IN[line.charAt(0)];
    return optIn === undefined || share.includes(optIn);
  };
  return lines.filter(isShared).map((line) => line.slice(1));
}

/** The local player that a header `Apogee-Log` names. */
export const handleIn = (header: string): string =>
  decodeURIComponent(/(?:^|, )handle=([^,]*)/.exec(header)?.[1] ?? "");

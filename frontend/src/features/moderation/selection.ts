// Converts the fields of a selection to the selection that the API accepts.
import type { Selection } from "../../api/moderation";
import type { ModerationTarget } from "../../api/types";

export interface SelectionInput {
  target: ModerationTarget;
  value: string;
  /** `YYYY-MM-DD`, UTC; empty for no limit. */
  from: string;
  /** `YYYY-MM-DD`, UTC, including this day; empty for no limit. */
  until: string;
}

export interface TargetDefinition {
  /** The name of the target in a list. */
  label: string;
  /** The label of its field. */
  field: string;
  placeholder: string;
  /** The keyboard of touch screens. */
  inputMode: "numeric" | "text";
}

export const TARGETS: Record<ModerationTarget, TargetDefinition> = {
  key: { label: "Key", field: "Key number", placeholder: "12", inputMode: "numeric" },
  account: { label: "Account", field: "Discord id", placeholder: "80351110224678912", inputMode: "numeric" },
  player: { label: "Player", field: "Handle", placeholder: "Handle", inputMode: "text" },
  events: { label: "Events", field: "Event ids", placeholder: "4711, 4712", inputMode: "text" },
};

const SECONDS_PER_DAY = 86_400;

type Parsed<T> = { value: T } | { problem: string };

/** Parses the fields. `problem` is a sentence that names the invalid value. */
export function parseSelection({ target, value, from, until }: SelectionInput): Parsed<Selection> {
  const parsed = parseTarget(target, value.trim());
  if ("problem" in parsed) return parsed;
  const period = { ...dayStart("from", from), ...dayStart("until", until) };
  // The period includes its last day, and ends before the next one.
  if (period.until !== undefined) period.until += SECONDS_PER_DAY;
  if (period.from !== undefined && period.until !== undefined && period.until <= period.from)
    return { problem: `Invalid period: ${until} is before ${from}.` };
  return { value: { ...parsed.value, ...period } };
}

function parseTarget(target: ModerationTarget, text: string): Parsed<Selection> {
  const invalid = (noun: string, accepted: string) => ({ problem: `Invalid ${noun} '${text}': expected ${accepted}.` });
  if (target === "player")
    return text === "" ? invalid("handle", "the handle of a player") : { value: { player: text } };
  if (target === "account")
    return /^\d{1,20}$/.test(text) ? { value: { account: text } } : invalid("Discord id", "digits only");
  if (target === "key") {
    const key = parseId(text);
    return key === null ? invalid("key", "a number such as 12") : { value: { key } };
  }
  const ids = text.split(/[\s,]+/).filter((part) => part !== "");
  const events = ids.map(parseId).filter((id) => id !== null);
  if (events.length === 0 || events.length < ids.length) return invalid("event ids", "numbers separated by commas");
  return { value: { events: [...new Set(events)] } };
}

function parseId(text: string): number | null {
  const id = /^\d+$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Returns the first second of a UTC day under the given name; nothing without a day. */
function dayStart(name: "from" | "until", day: string): { from?: number; until?: number } {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? {} : { [name]: at / 1000 };
}

// Time formats of the site. The four relative formats are for different parts of the site. Times are in epoch seconds.

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const dateFormat = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "short", day: "numeric" });
const utcDayFormat = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });
const utcDateFormat = new Intl.DateTimeFormat("en-US", {
  year: "numeric",
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});
const momentFormat = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short" });

/** The current time in epoch seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** `Jun 30, 2025`, in the user's time zone. */
export function date(at: number): string {
  return dateFormat.format(at * 1000);
}

/** Formats a UTC day `YYYY-MM-DD` without its year: `Jun 30`. Other text is returned unchanged. */
export function utcDay(day: string): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? day : utcDayFormat.format(at);
}

/** Formats a UTC day with its year: `Jun 30, 2025`. */
export function utcDate(day: string): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? day : utcDateFormat.format(at);
}

/** Date and time for titles: `Jun 30, 2025, 4:05 PM`. */
export function moment(at: number): string {
  return momentFormat.format(at * 1000);
}

/** Commits: minutes, hours, days; a date from seven days on and for times in the future. */
export function commitTime(at: number, present = now()): string {
  const age = present - at;
  if (age < 0 || age >= 7 * DAY) return date(at);
  if (age < MINUTE) return "Just now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  return `${Math.floor(age / DAY)}d ago`;
}

/** *Last Active* on leaderboards: no minutes; `Unknown` if the time is missing. */
export function lastActive(at: number | null | undefined, present = now()): string {
  if (at === null || at === undefined || at <= 0) return "Unknown";
  return listTime(at, present);
}

/** Lists: `Just now` under an hour, hours under a day, days under seven, else the date. */
export function listTime(at: number, present = now()): string {
  const age = present - at;
  if (age < HOUR) return "Just now";
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  if (age < 7 * DAY) return `${Math.floor(age / DAY)}d ago`;
  return date(at);
}

/** History feed: `Just now` under a minute, then minutes, hours, days; a date after 30 days. */
export function historyTime(at: number, present = now()): string {
  const age = present - at;
  if (age < MINUTE) return "Just now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  if (age <= 30 * DAY) return `${Math.floor(age / DAY)}d ago`;
  return date(at);
}

/** A duration: `45s`, `12m`, `3h 20m`, `1,204h 5m`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE) return `${whole}s`;
  const hours = Math.floor(whole / HOUR);
  const minutes = Math.floor((whole % HOUR) / MINUTE);
  if (hours === 0) return `${minutes}m`;
  return minutes === 0 ? `${hours.toLocaleString("en-US")}h` : `${hours.toLocaleString("en-US")}h ${minutes}m`;
}

/** A duration within a sentence: `45 s`, `57 min`, `1 h 12 min`. */
export function durationInWords(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`;
  const minutes = `${Math.floor((seconds % HOUR) / MINUTE)} min`;
  return seconds < HOUR ? minutes : `${Math.floor(seconds / HOUR)} h ${minutes}`;
}

/** A countdown: `4:07`. */
export function countdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

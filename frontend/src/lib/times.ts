// Time formats of the site. The four relative formats are for different parts of the site. Times are in epoch seconds.

import { exact } from "./numbers";

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

// The first use of `Intl` takes phones 20 to 40 ms, so these few formats of one language do without.
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The current time in epoch seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** `Jun 30, 2025`, in the user's time zone. */
export function date(at: number): string {
  const day = new Date(at * 1000);
  return `${MONTHS[day.getMonth()]} ${day.getDate()}, ${day.getFullYear()}`;
}

/** Formats a UTC day `YYYY-MM-DD` without its year: `Jun 30`. Other text is returned unchanged. */
export function utcDay(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? day : `${MONTHS[at.getUTCMonth()]} ${at.getUTCDate()}`;
}

/** Formats a UTC day with its year: `Jun 30, 2025`. */
export function utcDate(day: string): string {
  const shown = utcDay(day);
  return shown === day ? day : `${shown}, ${Number(day.slice(0, 4))}`;
}

/** Date and time for titles: `Jun 30, 2025, 4:05 PM`. */
export function moment(at: number): string {
  const time = new Date(at * 1000);
  const hour = time.getHours();
  const minutes = String(time.getMinutes()).padStart(2, "0");
  return `${date(at)}, ${hour % 12 || 12}:${minutes} ${hour < 12 ? "AM" : "PM"}`;
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
  return minutes === 0 ? `${exact(hours)}h` : `${exact(hours)}h ${minutes}m`;
}

/** A running clock: `4:07`, `1:12:05`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (part: number) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / HOUR), Math.floor((whole % HOUR) / MINUTE)];
  return hours === 0 ? `${minutes}:${two(whole % MINUTE)}` : `${hours}:${two(minutes)}:${two(whole % MINUTE)}`;
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

// Number formats of the site.

/** All digits with thousands separators: `12,345`. Without `Intl`, whose first use takes phones 20 to 40 ms. */
export function exact(value: number): string {
  const [whole = "", decimals] = String(Math.round(value * 1_000) / 1_000).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return decimals ? `${grouped}.${decimals}` : grouped;
}

/** A count with its noun: `1 event`, `1,234 events`. */
export function counted(count: number, noun: string): string {
  return `${exact(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Abbreviates with `k` from 1,000 and `M` from 1,000,000, with one decimal: `999`, `12.3k`, `2.7M`. */
export function short(value: number): string {
  const size = Math.abs(value);
  // 999,950 would become 1000.0k.
  if (size >= 999_950) return `${(value / 1_000_000).toFixed(1)}M`;
  if (size >= 1_000) return `${(value / 1_000).toFixed(1)}k`;
  return exact(value);
}

/** Kills per death with two decimals. Zero deaths count as one. */
export function killDeath(kills: number, deaths: number): string {
  return (kills / Math.max(1, deaths)).toFixed(2);
}

/** A share in percent, clamped to 0–100, with one decimal. A total of 0 gives 0. */
export function percent(part: number, whole: number): string {
  if (!(whole > 0)) return "0.0";
  return Math.min(100, Math.max(0, (part / whole) * 100)).toFixed(1);
}

/** Parses a rank given as a number or as `Top 1`, `Rank 3` or `#2`; null if it is not a rank of at least 1. */
export function parseRank(value: unknown): number | null {
  if (typeof value === "number") return Number.isInteger(value) && value >= 1 ? value : null;
  if (typeof value !== "string") return null;
  const found = /^\s*(?:top|rank|#)?\s*#?\s*([\d,]+)\s*$/i.exec(value);
  if (!found?.[1]) return null;
  const rank = Number(found[1].replaceAll(",", ""));
  return rank >= 1 ? rank : null;
}

/** Parses a count given as a number or a numeric string; anything else is 0. */
export function parseCount(value: unknown): number {
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof count === "number" && Number.isFinite(count) && count >= 0 ? count : 0;
}

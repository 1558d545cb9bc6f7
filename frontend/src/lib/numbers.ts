// Figures as the site writes them. Called wherever a number is shown; never rounds anything that is computed with.

const exactFormat = new Intl.NumberFormat("en-US");

/** The exact figure with thousands separators, for titles and screen readers: `12,345`. */
export function exact(value: number): string {
  return exactFormat.format(value);
}

/** The short figure: `k` from 1,000 and `M` from 1,000,000, one decimal: `999`, `12.3k`, `2.7M`. */
export function short(value: number): string {
  const size = Math.abs(value);
  // 999,950 would be written 1000.0k; it is nearer to say 1.0M.
  if (size >= 999_950) return `${(value / 1_000_000).toFixed(1)}M`;
  if (size >= 1_000) return `${(value / 1_000).toFixed(1)}k`;
  return exact(value);
}

/** Kills per death with two decimals; no deaths count as one. */
export function killDeath(kills: number, deaths: number): string {
  return (kills / Math.max(1, deaths)).toFixed(2);
}

/** Share in percent, held between 0 and 100, one decimal. A whole of 0 gives 0. */
export function percent(part: number, whole: number): string {
  if (!(whole > 0)) return "0.0";
  return Math.min(100, Math.max(0, (part / whole) * 100)).toFixed(1);
}

/** A rank given as a number or as `Top 1`, `Rank 3`, `#2`; null when it holds no rank of 1 or more. */
export function parseRank(value: unknown): number | null {
  if (typeof value === "number") return Number.isInteger(value) && value >= 1 ? value : null;
  if (typeof value !== "string") return null;
  const found = /^\s*(?:top|rank|#)?\s*#?\s*([\d,]+)\s*$/i.exec(value);
  if (!found?.[1]) return null;
  const rank = Number(found[1].replaceAll(",", ""));
  return rank >= 1 ? rank : null;
}

/** Counts such as profile views come as a number or as a numeric string; anything else is 0. */
export function parseCount(value: unknown): number {
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof count === "number" && Number.isFinite(count) && count >= 0 ? count : 0;
}

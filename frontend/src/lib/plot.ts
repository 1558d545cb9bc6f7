// Geometry of `ui/line-plot.tsx`: ticks and paths.

/**
 * Returns evenly spaced round values from 0 to at least `max`, with at most `most` intervals. Steps are 1, 2 or 5 times a power
 * of ten.
 */
export function valueTicks(max: number, most = 3): number[] {
  const top = Number.isFinite(max) && max > 0 ? max : 1;
  const raw = top / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((one) => one * power >= raw) ?? 10;
  // Counts are integers.
  const step = Math.max(1, factor * power);
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}

/** Returns at most `most` evenly spaced indexes of a list of `length`, including the last. */
export function dayTicks(length: number, most = 4): number[] {
  if (length <= 0) return [];
  const step = Math.max(1, Math.ceil(length / most));
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => length - 1 - index * step).reverse();
}

/** Returns the SVG path through `values` in a 100 × 100 box whose top is `top`; `area` closes the path along the bottom. */
export function linePath(values: readonly number[], top: number, area = false): string {
  const last = values.length - 1;
  const points = values.map(
    (value, index) => `${round(last > 0 ? (index / last) * 100 : 50)},${round(100 - (value / top) * 100)}`,
  );
  if (points.length === 0) return "";
  const line = points.length === 1 ? `M0,${points[0]?.split(",")[1]}H100` : `M${points.join("L")}`;
  return area ? `${line}V100H0Z` : line;
}

const round = (value: number) => Math.round(value * 100) / 100;

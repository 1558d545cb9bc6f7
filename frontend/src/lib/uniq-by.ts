/** Removes items whose key occurred before. Pages of a list may contain a row twice if it moved between the requests. */
export function uniqBy<T>(list: readonly T[], keyOf: (one: T) => string): T[] {
  const seen = new Set<string>();
  return list.filter((one) => {
    const key = keyOf(one);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

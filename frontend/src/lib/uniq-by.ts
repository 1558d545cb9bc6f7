/** Each thing once, by its key, the first of them. Pages asked for one after another can hold a row twice when it moves. */
export function uniqBy<T>(list: readonly T[], keyOf: (one: T) => string): T[] {
  const seen = new Set<string>();
  return list.filter((one) => {
    const key = keyOf(one);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

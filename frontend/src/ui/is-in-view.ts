/**
 * Reports whether the element of an `IntersectionObserver` is in view. A slow browser delivers several changes in one call,
 * oldest first; only the last is current.
 */
export function isInView(entries: readonly IntersectionObserverEntry[]): boolean {
  return entries.at(-1)?.isIntersecting ?? false;
}

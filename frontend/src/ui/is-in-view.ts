/**
 * Whether the one element that an `IntersectionObserver` watches is in view now. A slow machine delivers several changes in
 * one call, oldest first: only the last is still true.
 */
export function isInView(entries: readonly IntersectionObserverEntry[]): boolean {
  return entries.at(-1)?.isIntersecting ?? false;
}

import { useState } from "react";

/**
 * Returns which items of a list, newest first, arrived while the list was shown: those above the first item of its first non-empty
 * render.
 */
export function useNewSince(ids: readonly string[]): (index: number) => boolean {
  const [first, setFirst] = useState(ids[0]);
  if (first === undefined && ids[0] !== undefined) setFirst(ids[0]);
  const firstIndex = first === undefined ? 0 : ids.indexOf(first);
  return (index) => index < firstIndex;
}

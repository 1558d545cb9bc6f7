import { useState } from "react";

/** Tells which rows of a list, newest first, came after it was first drawn: those above the row that was on top then. */
export function useAnchor(ids: readonly string[]): (at: number) => boolean {
  const [top] = useState(ids[0]);
  const anchor = top === undefined ? ids.length : ids.indexOf(top);
  return (at) => at < anchor;
}

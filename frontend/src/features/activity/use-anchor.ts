import { useState } from "react";

/** Reports which rows of a list, newest first, arrived after the first render: those above the first row of that time. */
export function useAnchor(ids: readonly string[]): (at: number) => boolean {
  const [top] = useState(ids[0]);
  const anchor = top === undefined ? ids.length : ids.indexOf(top);
  return (at) => at < anchor;
}

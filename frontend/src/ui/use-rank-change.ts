import { useEffect, useState } from "react";

/** How long a moved rank says so. */
const SHOWN_MS = 6_000;

/** Places won (lost: below 0) since the rank last changed, for a few seconds; 0 otherwise. */
export function useRankChange(rank: number | null | undefined): number {
  const [was, setWas] = useState(rank);
  const [moved, setMoved] = useState(0);
  if (was !== rank) {
    setWas(rank);
    setMoved(was && rank ? was - rank : 0);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a second move shows anew, even one of as many places
  useEffect(() => {
    if (moved === 0) return;
    const timer = setTimeout(() => setMoved(0), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [moved, rank]);
  return moved;
}

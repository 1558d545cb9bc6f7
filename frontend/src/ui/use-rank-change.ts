import { useEffect, useState } from "react";

/** How long a change is shown. */
const SHOWN_MS = 6_000;

/** Returns the ranks gained (negative: lost) by the latest change for a few seconds; otherwise 0. */
export function useRankChange(rank: number | null | undefined): number {
  const [was, setWas] = useState(rank);
  const [moved, setMoved] = useState(0);
  if (was !== rank) {
    setWas(rank);
    setMoved(was && rank ? was - rank : 0);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a second change restarts the timer, even if it has the same size
  useEffect(() => {
    if (moved === 0) return;
    const timer = setTimeout(() => setMoved(0), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [moved, rank]);
  return moved;
}

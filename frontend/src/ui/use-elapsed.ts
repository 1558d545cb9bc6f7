import { useEffect, useState } from "react";

/** Returns whether `ms` have passed since the component was mounted. */
export function useElapsed(ms: number): boolean {
  const [isElapsed, setElapsed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setElapsed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isElapsed;
}

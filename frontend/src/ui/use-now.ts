import { useEffect, useState } from "react";

/** The present moment in epoch milliseconds, drawn anew this often, so that relative times stay true. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

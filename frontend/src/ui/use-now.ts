import { useEffect, useState } from "react";

/** Returns the current time in epoch milliseconds. Re-renders at this interval, so that relative times remain current. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

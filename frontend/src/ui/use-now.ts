import { useEffect, useState } from "react";

/** The present moment in epoch milliseconds, told anew every `everyMs`, so that relative times keep right. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

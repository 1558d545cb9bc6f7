import { useEffect, useState } from "react";

/** False for the first `ms` after the caller came on screen, then true. */
export function useAtLeast(ms: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return passed;
}

import { useEffect, useState } from "react";

/** Returns false until `ms` have passed since the component was mounted. */
export function useAtLeast(ms: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return passed;
}

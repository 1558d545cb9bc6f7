import { useEffect, useState } from "react";

/** Returns true once `ready` is true and `ms` have passed since the component was mounted, so that a spinner does not flash. */
export function useReadyAfter(ready: boolean, ms: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return ready && passed;
}

import { useEffect, useState } from "react";

/** True once `ready` is and `ms` have passed since the page came, so that a spinner never merely flashes. */
export function useReadyAfter(ready: boolean, ms: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return ready && passed;
}

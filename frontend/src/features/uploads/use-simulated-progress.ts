import { useCallback, useEffect, useRef, useState } from "react";

const TICK_MS = 200;
const MAX_STEP_PERCENT = 20;
const MAX_SIMULATED_PERCENT = 90;

/** Simulates the progress of an upload: up to 90 %, and 100 % at the end. Null while idle. */
export function useSimulatedProgress(): { progress: number | null; start: () => void; end: (done: boolean) => void } {
  const [progress, setProgress] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setInterval>>(undefined);
  useEffect(() => () => clearInterval(timer.current), []);
  const start = useCallback(() => {
    clearInterval(timer.current);
    setProgress(0);
    timer.current = setInterval(
      () =>
        setProgress((was) =>
          was === null ? null : Math.min(MAX_SIMULATED_PERCENT, was + Math.random() * MAX_STEP_PERCENT),
        ),
      TICK_MS,
    );
  }, []);
  const end = useCallback((done: boolean) => {
    clearInterval(timer.current);
    setProgress(done ? 100 : null);
  }, []);
  return { progress, start, end };
}

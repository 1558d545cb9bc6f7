// The cooldown between two updates of a player. Its start is stored in the browser.
import { useEffect, useState } from "react";
import { localStore } from "../../lib/browser-storage";

export const COOLDOWN_SECS = 300;

const keyOf = (handle: string) => `refreshCooldown:${handle.toLowerCase()}`;

function secondsLeft(handle: string): number {
  try {
    const stored: unknown = JSON.parse(localStore.getItem(keyOf(handle)) ?? "null");
    if (!stored || typeof stored !== "object" || !("seconds" in stored) || !("at" in stored)) return 0;
    const left = Number(stored.seconds) - (Date.now() - Number(stored.at)) / 1000;
    return left > 0 && left <= COOLDOWN_SECS ? Math.ceil(left) : 0;
  } catch {
    return 0;
  }
}

/** Returns the remaining seconds, updated once a second, and the function that starts the cooldown. */
export function useCooldown(handle: string): [number, () => void] {
  const [, setTick] = useState(0);
  const left = secondsLeft(handle);
  const waiting = left > 0;
  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => setTick((tick) => tick + 1), 1_000);
    return () => clearInterval(timer);
  }, [waiting]);
  const start = () => {
    localStore.setItem(keyOf(handle), JSON.stringify({ seconds: COOLDOWN_SECS, at: Date.now() }));
    setTick((tick) => tick + 1);
  };
  return [left, start];
}

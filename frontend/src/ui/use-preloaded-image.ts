import { useEffect, useState } from "react";

/** Preloads a picture: `undefined` while it loads, `src` if it loads in time, otherwise null. */
export function usePreloadedImage(src: string | null, timeoutMs: number): string | null | undefined {
  const [result, setResult] = useState<{ src: string; isLoaded: boolean } | null>(null);
  useEffect(() => {
    if (!src) return;
    const probe = new Image();
    const finish = (isLoaded: boolean) => {
      clearTimeout(timer);
      probe.onload = probe.onerror = null;
      setResult({ src, isLoaded });
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    probe.onload = () => finish(true);
    probe.onerror = () => finish(false);
    probe.src = src;
    return () => {
      clearTimeout(timer);
      probe.onload = probe.onerror = null;
    };
  }, [src, timeoutMs]);
  if (!src) return null;
  if (result?.src !== src) return undefined;
  return result.isLoaded ? src : null;
}

import { useEffect, useState } from "react";

/** Preloads a picture: `undefined` while it loads, `src` if it loads in time, otherwise null. */
export function usePreloadedImage(src: string | null, timeoutMs: number): string | null | undefined {
  const [known, setKnown] = useState<{ src: string; good: boolean } | null>(null);
  useEffect(() => {
    if (!src) return;
    const probe = new Image();
    const end = (good: boolean) => {
      clearTimeout(timer);
      probe.onload = probe.onerror = null;
      setKnown({ src, good });
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    probe.onload = () => end(true);
    probe.onerror = () => end(false);
    probe.src = src;
    return () => {
      clearTimeout(timer);
      probe.onload = probe.onerror = null;
    };
  }, [src, timeoutMs]);
  if (!src) return null;
  if (known?.src !== src) return undefined;
  return known.good ? src : null;
}

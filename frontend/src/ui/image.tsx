import { useState } from "react";
import { imageSrc } from "../lib/images";

interface ImageProps {
  /** The server's path or URL, if there is one. */
  src: string | null | undefined;
  fallback: string;
  alt: string;
  width: number;
  height: number;
  className?: string;
  eager?: boolean;
}

/**
 * A picture of fixed size that shows `fallback` if it is missing or broken, and an empty box if the fallback is broken, too.
 */
export function Image({ src, fallback, alt, width, height, className, eager = false }: ImageProps) {
  const source = imageSrc(src) ?? fallback;
  const [broken, setBroken] = useState<readonly string[]>([]);
  const shown = [source, fallback].find((one) => !broken.includes(one));
  const style = { width, height, objectFit: "cover", flex: "none", background: "var(--raised-2)" } as const;
  if (!shown) {
    const aria = alt === "" ? ({ "aria-hidden": true } as const) : ({ role: "img", "aria-label": alt } as const);
    return <span {...aria} className={className} style={{ ...style, display: "block" }} />;
  }
  return (
    <img
      src={shown}
      alt={alt}
      width={width}
      height={height}
      loading={eager ? "eager" : "lazy"}
      decoding="async"
      className={className}
      style={style}
      onError={() => setBroken((known) => [...known, shown])}
    />
  );
}

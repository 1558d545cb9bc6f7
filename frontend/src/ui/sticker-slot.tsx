import type { ReactNode } from "react";
import css from "./sticker-slot.module.css";
import { Tooltip } from "./tooltip";

/** A sticker with a tooltip. Without `image` it is an empty slot. */
export function StickerSlot({
  image,
  name,
  tip,
  size = 28,
}: {
  image?: string;
  name: string;
  tip?: ReactNode;
  size?: number;
}) {
  if (!image) return <span className={css.empty} style={{ width: size, height: size }} />;
  return (
    <Tooltip tip={tip ?? name}>
      {(describedBy) => (
        <button type="button" className={css.slot} aria-label={name} aria-describedby={describedBy}>
          <img src={image} alt="" width={size} height={size} loading="lazy" decoding="async" />
        </button>
      )}
    </Tooltip>
  );
}

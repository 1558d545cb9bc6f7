import { stickerImage } from "../../lib/images";
import { StickerSlot } from "../../ui/sticker-slot";
import { stickerInfo } from "./stickers";

/** Up to four stickers in a row, each with its tip. */
export function StickerList({ ids, size }: { ids: readonly string[]; size?: number }) {
  return (
    <span style={{ display: "inline-flex", gap: "var(--s2)" }}>
      {ids.map((id) => {
        const { name, rarity, requirement } = stickerInfo(id);
        return (
          <StickerSlot
            key={id}
            image={stickerImage(id)}
            name={name}
            size={size}
            tip={
              <>
                <strong>{name}</strong> <span style={{ color: `var(--rarity-${rarity})` }}>{rarity}</span>
                {requirement && <span style={{ display: "block", color: "var(--quiet)" }}>{requirement}</span>}
              </>
            }
          />
        );
      })}
    </span>
  );
}

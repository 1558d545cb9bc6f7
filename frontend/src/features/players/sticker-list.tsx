import { Name } from "../../ui/name";
import { StickerSlot } from "../../ui/sticker-slot";
import type { StickerInfo } from "./stickers";

/** Up to four stickers with tooltips. */
export function StickerList({
  ids,
  info,
  size,
}: {
  ids: readonly string[];
  info: (id: string) => StickerInfo;
  size?: number;
}) {
  return (
    <span style={{ display: "inline-flex", gap: "var(--sticker-gap, var(--s2))" }}>
      {ids.map((id) => {
        const { name, description, rarity, requirement, image } = info(id);
        return (
          <StickerSlot
            key={id}
            image={image}
            name={name}
            size={size}
            tip={
              <>
                <strong>
                  <Name>{name}</Name>
                </strong>{" "}
                <span style={{ color: `var(--rarity-${rarity})` }}>{rarity}</span>
                {description && <span style={{ display: "block" }}>{description}</span>}
                {requirement && <span style={{ display: "block", color: "var(--quiet)" }}>{requirement}</span>}
              </>
            }
          />
        );
      })}
    </span>
  );
}

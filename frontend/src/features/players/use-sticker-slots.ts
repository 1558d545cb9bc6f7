import { useState } from "react";
import type { StickerChoice } from "./sticker-choices";
import { addSticker, placeSticker, removeSticker, type Slots, slotsOf, swapSlots } from "./sticker-slots";
import { STICKER_SLOTS, useStickers } from "./stickers";

/** Edits the slots of a profile and announces each change to screen readers. */
export function useStickerSlots(equipped: readonly (number | string)[], choices: readonly StickerChoice[]) {
  const [slots, setSlots] = useState<Slots>(() => slotsOf(equipped));
  const [announcement, announce] = useState("");
  const { info } = useStickers();
  const choiceOf = (id: string) => choices.find((one) => one.id === id);
  const nameOf = (id: string) => choiceOf(id)?.name ?? info(id).name;
  const change = (next: Slots, text: string) => {
    setSlots(next);
    announce(text);
  };
  return {
    slots,
    announcement,
    nameOf,
    add: ({ id, name, unlocked }: StickerChoice) => {
      if (!unlocked) return;
      if (slots.includes(null)) change(addSticker(slots, id), `${name} added`);
      else announce(`All ${STICKER_SLOTS} slots are taken. Remove a sticker first.`);
    },
    /** Puts a dropped sticker into a slot, from another slot or from the choices. */
    place: (id: string, slot: number) => {
      if (slots.includes(id) || choiceOf(id)?.unlocked)
        change(placeSticker(slots, id, slot), `${nameOf(id)} in slot ${slot + 1}`);
    },
    swap: (from: number, to: number) => change(swapSlots(slots, from, to), `Moved to slot ${to + 1}`),
    remove: (slot: number) => {
      const id = slots[slot];
      if (id) change(removeSticker(slots, slot), `${nameOf(id)} removed`);
    },
  };
}

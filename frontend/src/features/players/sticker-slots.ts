// The four sticker slots as pure functions. The server validates the result.
import { STICKER_SLOTS } from "./stickers";

export type Slots = readonly (string | null)[];

export function slotsOf(ids: readonly (string | number)[]): Slots {
  return Array.from({ length: STICKER_SLOTS }, (_, index) => (ids[index] === undefined ? null : String(ids[index])));
}

/** Puts a sticker into a slot and removes it from any other. A sticker already in the slot is replaced. */
export function placeSticker(slots: Slots, id: string, slot: number): Slots {
  if (slot < 0 || slot >= slots.length) return slots;
  return slots.map((sticker, index) => (index === slot ? id : sticker === id ? null : sticker));
}

/** Puts a sticker into the first free slot. Nothing changes if no slot is free or the sticker has one. */
export function addSticker(slots: Slots, id: string): Slots {
  const free = slots.indexOf(null);
  return free < 0 || slots.includes(id) ? slots : placeSticker(slots, id, free);
}

export function removeSticker(slots: Slots, slot: number): Slots {
  return slots.map((sticker, index) => (index === slot ? null : sticker));
}

/** Swaps two slots. */
export function swapSlots(slots: Slots, from: number, to: number): Slots {
  if (to < 0 || to >= slots.length) return slots;
  return slots.map((sticker, index) =>
    index === from ? (slots[to] ?? null) : index === to ? (slots[from] ?? null) : sticker,
  );
}

/** Returns the stickers in order, without gaps. */
export function stickerIds(slots: Slots): string[] {
  return slots.filter((sticker) => sticker !== null);
}

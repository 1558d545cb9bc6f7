// Four slots and what may be put into them. Pure: the sticker editor draws it and the server checks it again.
import { STICKER_SLOTS } from "./stickers";

export type Slots = readonly (string | null)[];

export function slotsOf(ids: readonly (string | number)[]): Slots {
  return Array.from({ length: STICKER_SLOTS }, (_, at) => (ids[at] === undefined ? null : String(ids[at])));
}

/** Puts a sticker into a slot: what was there goes, and a sticker that has a slot already leaves it. */
export function placeSticker(slots: Slots, id: string, at: number): Slots {
  if (at < 0 || at >= slots.length) return slots;
  return slots.map((held, index) => (index === at ? id : held === id ? null : held));
}

/** Puts a sticker into the first free slot; with none free, or when it has one, nothing changes. */
export function addSticker(slots: Slots, id: string): Slots {
  const free = slots.indexOf(null);
  return free < 0 || slots.includes(id) ? slots : placeSticker(slots, id, free);
}

export function removeSticker(slots: Slots, at: number): Slots {
  return slots.map((held, index) => (index === at ? null : held));
}

/** Changes places with the neighbour, for the arrow keys. */
export function swapSlots(slots: Slots, at: number, to: number): Slots {
  if (to < 0 || to >= slots.length) return slots;
  return slots.map((held, index) => (index === at ? (slots[to] ?? null) : index === to ? (slots[at] ?? null) : held));
}

/** What is saved: the stickers in order, without the gaps. */
export function stickerIds(slots: Slots): string[] {
  return slots.filter((held) => held !== null);
}

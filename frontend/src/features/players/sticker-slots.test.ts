import { expect, test } from "vitest";
import { addSticker, placeSticker, removeSticker, slotsOf, stickerIds, swapSlots } from "./sticker-slots";

test("there are four slots, however many are given", () => {
  expect(slotsOf([1, 2, 3, 4, 5])).toEqual(["1", "2", "3", "4"]);
  expect(slotsOf([])).toEqual([null, null, null, null]);
});
test("a sticker put on an occupied slot replaces its sticker", () => {
  expect(placeSticker(slotsOf(["a", "b"]), "c", 1)).toEqual(["a", "c", null, null]);
});
test("a sticker that is selected already moves", () => {
  expect(placeSticker(slotsOf(["a", "b"]), "a", 3)).toEqual([null, "b", null, "a"]);
});
test("a fifth sticker and a duplicate are rejected", () => {
  const full = slotsOf(["a", "b", "c", "d"]);
  expect(addSticker(full, "e")).toBe(full);
  expect(addSticker(slotsOf(["a"]), "a")).toEqual(["a", null, null, null]);
  expect(addSticker(slotsOf(["a"]), "b")).toEqual(["a", "b", null, null]);
});
test("a removed sticker leaves a gap, which is not saved", () => {
  expect(stickerIds(removeSticker(slotsOf(["a", "b", "c"]), 1))).toEqual(["a", "c"]);
});
test("arrow keys move stickers and stop at the ends", () => {
  const slots = slotsOf(["a", "b"]);
  expect(swapSlots(slots, 0, 1)).toEqual(["b", "a", null, null]);
  expect(swapSlots(slots, 0, -1)).toBe(slots);
});

import { expect, test } from "vitest";
import type { CatalogueSticker } from "../../api/types";
import { catalogueOf } from "./stickers";

const comet: CatalogueSticker = {
  earned_by: "An admin grants it.",
  is_granted: true,
  id: "202611",
  name: "Comet",
  description: "Seen once",
  rarity: "rare",
  requirement: "Look up",
  category: "social",
  image: "/static/stickers/202611.png",
};
const figures = { pu_player_kills: 1, vehicle_destructions: 100 };

test("stickers come from the server's catalogue; others are unknown", () => {
  const { info } = catalogueOf([comet]);
  expect(info("202611")).toMatchObject({ name: "Comet", requirement: "Look up" });
  expect(info(202611).name).toBe("Comet");
  expect(info("1").name).toBe("Unknown Sticker");
  expect(catalogueOf(undefined).info("202611").name).toBe("Sticker");
});

test("four of the chosen stickers are shown, else those derived from statistics", () => {
  const { idsFor } = catalogueOf([comet, { ...comet, id: "775678" }]);
  expect(idsFor({ ...figures, stickers: ["1", "2", "3", "4", "5"] })).toEqual(["1", "2", "3", "4"]);
  expect(idsFor({ ...figures, stickers: [] })).toEqual([]);
  expect(idsFor({ ...figures, stickers: null })).toEqual(["775678"]);
  expect(catalogueOf(undefined).idsFor({ ...figures, stickers: null })).toEqual(["683583", "775678"]);
});

import { expect, test } from "vitest";
import { parseOutline } from "../../lib/outline";
import { stickersArticle } from "./stickers-article";

const sticker = {
  id: "202611",
  name: "Comet #1",
  description: "",
  rarity: "rare",
  category: "social",
  requirement: "Be there",
  earned_by: "Get 7 *profile* views.",
  is_granted: false,
  image: "/static/stickers/202611.png",
} as const;

test("every sticker has a section that explains how it is earned", () => {
  const { title, intro, sections } = parseOutline(stickersArticle([sticker]));
  expect(title).toBe("Stickers");
  expect(intro).toContain("up to four");
  expect(sections.map((section) => section.title)).toEqual(["Comet #1"]);
  expect(sections[0]?.text).toContain("Be there");
  expect(sections[0]?.text).toContain("Get 7 \\*profile\\* views\\.");
});

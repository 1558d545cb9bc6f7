import { expect, test } from "vitest";
import { isOwnPath, listItems, media, paragraphs, parseOutline, slugOf, stripMarkdown } from "./outline";

test("a text is split at headings, not at a # in code", () => {
  const found = parseOutline(
    "# Title\n\nIntro\n\n## Base URL\nfirst\n```\n## no heading\n```\n## SDKs and Libraries\nlast",
  );
  expect(found.title).toBe("Title");
  expect(found.intro).toBe("Intro");
  expect(found.sections.map((section) => section.slug)).toEqual(["base-url", "sdks-and-libraries"]);
  expect(found.sections[0]?.text).toContain("## no heading");
});

test("windows line ends make no difference", () => {
  expect(parseOutline("# A\r\n## B\r\nc").sections).toEqual([{ slug: "b", title: "B", text: "c" }]);
});

test.each([
  ["General StatsFeed", "general-statsfeed"],
  ["PU NPC Missions", "pu-npc-missions"],
  ["What, when & why?", "what-when-why"],
])("%s has the address %s", (title, slug) => expect(slugOf(title)).toBe(slug));

test("Markdown is removed from a line", () => {
  expect(stripMarkdown("Use `/top` and **see** [it](/x), _now_")).toBe("Use /top and see it, now");
});

test("list items, paragraphs and pictures are distinguished", () => {
  const text = "One\nparagraph.\n\n- a\n- b\n\n![Shot](/pages/img/a.png)";
  expect(paragraphs(text)).toEqual(["One paragraph."]);
  expect(listItems(text)).toEqual(["a", "b"]);
  expect(media(text)).toEqual([{ url: "/pages/img/a.png", title: "Shot" }]);
});

test("pictures of other hosts and scripts are left out", () => {
  expect(media("![a](https://evil.test/a.png) ![b](//evil.test/b.png) ![c](javascript:alert(1))")).toEqual([]);
  expect(isOwnPath("/\\evil.test")).toBe(false);
});

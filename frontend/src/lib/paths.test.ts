import { expect, test } from "vitest";
import { guild, handleOf, player, tabLabel, tabSlug } from "./paths";

test("a handle is encoded, the overview has no segment", () => {
  expect(player("a b/c?")).toBe("/player/a%20b%2Fc%3F");
  expect(player("Kestrel")).toBe("/player/Kestrel");
  expect(player("Kestrel", "overview")).toBe("/player/Kestrel/overview");
  expect(player("Kestrel", "recent-activity")).toBe("/player/Kestrel/recent-activity");
});

test("a handle that is a word of another path is marked, in this spelling only", () => {
  expect(player("claim", "weapons")).toBe("/player/@claim/weapons");
  expect(player("Claim")).toBe("/player/Claim");
  expect([handleOf("@claim"), handleOf("Claim"), handleOf(undefined)]).toEqual(["claim", "Claim", ""]);
});

test("a tag is uppercase", () => {
  expect(guild("abc", "players")).toBe("/guild/ABC/players");
});

test("slugs and labels are inverse", () => {
  expect(tabLabel("recent-activity")).toBe("Recent Activity");
  expect(tabSlug("Recent Activity")).toBe("recent-activity");
});

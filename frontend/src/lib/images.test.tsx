import { expect, test } from "vitest";
import { guildBanner, imageSrc, playerBanner } from "./images";

test("own URLs, data URLs and root-relative paths are unchanged", () => {
  for (const value of [
    `${location.origin}/uploads/a.png`,
    "data:image/png;base64,AAAA",
    "/uploads/a.webp",
    "/static/a.webp",
  ]) {
    expect(imageSrc(value)).toBe(value);
  }
});

test("raw base64 becomes data: jpeg when it starts like one, else png", () => {
  expect(imageSrc(`/9j/${"A".repeat(80)}`)).toBe(`data:image/jpeg;base64,/9j/${"A".repeat(80)}`);
  expect(imageSrc("A".repeat(80))).toBe(`data:image/png;base64,${"A".repeat(80)}`);
  expect(imageSrc("A".repeat(50_001))).toBeNull();
});

test("URLs of other sites are not used as pictures", () => {
  for (const value of [
    "",
    null,
    undefined,
    "javascript:alert(1)",
    "//evil.example/a.png",
    "https://example.org/a.png",
    "http://",
  ])
    expect(imageSrc(value)).toBeNull();
});

test("players have one of seven banners and guilds one of five, always the same", () => {
  const names = Array.from({ length: 200 }, (_, i) => `Pilot_${i}`);
  expect(new Set(names.map(playerBanner)).size).toBe(7);
  expect(new Set(names.map(guildBanner)).size).toBe(5);
  expect(playerBanner("Pilot_1")).toBe(playerBanner("pilot_1"));
});

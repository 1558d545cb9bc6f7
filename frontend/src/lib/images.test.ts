import { expect, test } from "vitest";
import { guildBanner, imageSrc, playerBanner } from "./images";

test("own addresses, data and root-relative paths are used as they are", () => {
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

test("what is no picture of this site is none", () => {
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

test("every player has one of seven banners and every guild one of five, always the same", () => {
  const names = Array.from({ length: 200 }, (_, i) => `Pilot_${i}`);
  expect(new Set(names.map(playerBanner)).size).toBe(7);
  expect(new Set(names.map(guildBanner)).size).toBe(5);
  expect(playerBanner("Pilot_1")).toBe(playerBanner("pilot_1"));
});

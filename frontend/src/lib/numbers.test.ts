import { expect, test } from "vitest";
import { counted, exact, killDeath, parseCount, parseRank, percent, short } from "./numbers";

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1.0k"],
  [1_250, "1.3k"],
  [12_345, "12.3k"],
  [999_949, "999.9k"],
  [999_950, "1.0M"],
  [1_000_000, "1.0M"],
  [2_665_916, "2.7M"],
])("%d is formatted as %s", (value, text) => {
  expect(short(value)).toBe(text);
});

test("the exact figure has separators", () => {
  expect(exact(2665916)).toBe("2,665,916");
});

test("a count has its noun in the singular or the plural", () => {
  expect([0, 1, 1_234].map((count) => counted(count, "event"))).toEqual(["0 events", "1 event", "1,234 events"]);
});

test.each([
  ["Top 1", 1],
  ["Rank 3", 3],
  ["#2", 2],
  ["1,204", 1204],
  [7, 7],
  ["Unranked", null],
  ["", null],
  [0, null],
  [1.5, null],
  [null, null],
  [undefined, null],
])("rank %s is %s", (value, rank) => {
  expect(parseRank(value)).toBe(rank);
});

test("kills per death has two decimals and accepts zero deaths", () => {
  expect(killDeath(7, 3)).toBe("2.33");
  expect(killDeath(7, 0)).toBe("7.00");
});

test("a percentage is clamped to 0–100 and has one decimal", () => {
  expect(percent(1, 3)).toBe("33.3");
  expect(percent(9, 3)).toBe("100.0");
  expect(percent(1, 0)).toBe("0.0");
});

test("views may be a number or a numeric string", () => {
  expect(parseCount("512")).toBe(512);
  expect(parseCount(3)).toBe(3);
  expect(parseCount("many")).toBe(0);
  expect(parseCount(null)).toBe(0);
});

import { expect, test } from "vitest";
import { dayTicks, linePath, valueTicks } from "./plot";

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [7, [0, 5, 10]],
  [12, [0, 5, 10, 15]],
  [1_234, [0, 500, 1_000, 1_500]],
  [Number.NaN, [0, 1]],
])("an axis up to %d has the round values %j", (max, ticks) => {
  expect(valueTicks(max)).toEqual(ticks);
});

test("the days of an axis are evenly spaced and end with the last one", () => {
  expect(dayTicks(30)).toEqual([5, 13, 21, 29]);
  expect(dayTicks(3)).toEqual([0, 1, 2]);
  expect(dayTicks(0)).toEqual([]);
});

test("a path passes through each value; a single value is a horizontal line", () => {
  expect(linePath([0, 5, 10], 10)).toBe("M0,100L50,50L100,0");
  expect(linePath([0, 10], 10, true)).toBe("M0,100L100,0V100H0Z");
  expect(linePath([5], 10)).toBe("M0,50H100");
  expect(linePath([], 10)).toBe("");
});

import { expect, test } from "vitest";
import {
  clock,
  commitTime,
  countdown,
  date,
  duration,
  durationInWords,
  historyTime,
  lastActive,
  listTime,
} from "./times";

const PRESENT = 1_750_000_000;
const ago = (seconds: number) => PRESENT - seconds;

test.each([
  [0, "Just now"],
  [59, "Just now"],
  [60, "1m ago"],
  [3_599, "59m ago"],
  [3_600, "1h ago"],
  [86_400, "1d ago"],
  [6 * 86_400 + 86_399, "6d ago"],
  [7 * 86_400, date(ago(7 * 86_400))],
  [181 * 86_400, date(ago(181 * 86_400))],
  [-60, date(ago(-60))],
])("a commit %d s old shows %s", (age, text) => {
  expect(commitTime(ago(age), PRESENT)).toBe(text);
});

test.each([
  [0, "Just now"],
  [3_599, "Just now"],
  [3_600, "1h ago"],
  [23 * 3_600, "23h ago"],
  [86_400, "1d ago"],
  [7 * 86_400, date(ago(7 * 86_400))],
])("a list row %d s old shows %s, as does Last Active", (age, text) => {
  expect(listTime(ago(age), PRESENT)).toBe(text);
  expect(lastActive(ago(age), PRESENT)).toBe(text);
});

test("Last Active of somebody never seen is Unknown", () => {
  expect(lastActive(null, PRESENT)).toBe("Unknown");
  expect(lastActive(undefined, PRESENT)).toBe("Unknown");
});

test.each([
  [59, "Just now"],
  [60, "1m ago"],
  [3_600, "1h ago"],
  [8 * 86_400, "8d ago"],
  [30 * 86_400, "30d ago"],
  [31 * 86_400, date(ago(31 * 86_400))],
])("a history row %d s old shows %s", (age, text) => {
  expect(historyTime(ago(age), PRESENT)).toBe(text);
});

test("durations have units", () => {
  expect(duration(45)).toBe("45s");
  expect(duration(720)).toBe("12m");
  expect(duration(12_000)).toBe("3h 20m");
  expect(duration(7_200)).toBe("2h");
});

test("a clock shows hours only when there are some", () => {
  expect([0, 7.9, 247, 4_325].map(clock)).toEqual(["0:00", "0:07", "4:07", "1:12:05"]);
});

test("durations within sentences have words", () => {
  expect([59, 60, 3_459, 3_600, 4_379].map(durationInWords)).toEqual([
    "59 s",
    "1 min",
    "57 min",
    "1 h 0 min",
    "1 h 12 min",
  ]);
});

test("a countdown has minutes and two-digit seconds", () => {
  expect(countdown(300)).toBe("5:00");
  expect(countdown(7)).toBe("0:07");
});

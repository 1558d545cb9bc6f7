import { expect, test } from "vitest";
import { parseSelection, type SelectionInput } from "./selection";

const parse = (input: Partial<SelectionInput>) =>
  parseSelection({ target: "key", value: "", from: "", until: "", ...input });

test.each<[SelectionInput["target"], string, object]>([
  ["key", " 12 ", { key: 12 }],
  ["account", "80351110224678912", { account: "80351110224678912" }],
  ["player", " Ann-1 ", { player: "Ann-1" }],
  ["events", "3, 4,5 3,", { events: [3, 4, 5] }],
])("a selection by %s accepts %j", (target, value, select) => {
  expect(parse({ target, value })).toEqual({ value: select });
});

test("the period covers whole days in UTC, including the last one", () => {
  expect(parse({ value: "1", from: "2026-01-01", until: "2026-01-01" })).toEqual({
    value: { key: 1, from: 1_767_225_600, until: 1_767_312_000 },
  });
  expect(parse({ value: "1", until: "2026-01-01" })).toEqual({ value: { key: 1, until: 1_767_312_000 } });
});

test.each<[Partial<SelectionInput>, string]>([
  [{ target: "key", value: "abc" }, "Invalid key 'abc': expected a number such as 12."],
  [{ target: "key", value: "0" }, "Invalid key '0': expected a number such as 12."],
  [{ target: "account", value: "ada" }, "Invalid Discord id 'ada': expected digits only."],
  [{ target: "player", value: " " }, "Invalid handle '': expected the handle of a player."],
  [{ target: "events", value: "1, x" }, "Invalid event ids '1, x': expected numbers separated by commas."],
  [{ target: "events", value: "," }, "Invalid event ids ',': expected numbers separated by commas."],
  [{ value: "1", from: "2026-01-02", until: "2026-01-01" }, "Invalid period: 2026-01-01 is before 2026-01-02."],
])("an invalid selection names the value and what is accepted", (input, problem) => {
  expect(parse(input)).toEqual({ problem });
});

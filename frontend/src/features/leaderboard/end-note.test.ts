import { expect, test } from "vitest";
import { endOfListText } from "./end-note";

test.each([
  [3, 3, undefined],
  [0, 0, undefined],
  [99, 99, undefined],
  [30, 31, "Reached display limit - 30 of 31 players shown"],
  [100, 100, "Showing top 100 players"],
  [100, 2_000, "Showing top 100 players"],
])("a board with %d of %d rows ends with %j", (shown, total, note) => {
  expect(endOfListText("players", shown, total)).toBe(note);
});

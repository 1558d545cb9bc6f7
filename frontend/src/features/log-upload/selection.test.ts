import { expect, test } from "vitest";
import { handle, kind, month, reading, totals } from "../../test/log-reading";
import { selectionOf } from "./selection";

const both = reading({
  handles: [
    handle("Ada_Quill"),
    handle("Bo_Finch", {
      totals: totals({ universeSeconds: 500, contracts: 1 }),
      months: [month("2026-01", { universeSeconds: 500 })],
      ships: [
        { ship: "CRUS_Starlifter_C2", name: "C2 Hercules", entered: 6 },
        { ship: "ANVL_Pisces", name: "Pisces", entered: 40 },
      ],
      kinds: [kind("seat_entered", 46)],
      patches: ["ALPHA 4.7.0", "ALPHA 4.8.0"],
    }),
  ],
});

test("figures, ships and what is sent are those of the ticked players", () => {
  const one = selectionOf(both, ["Ada_Quill"], []);
  expect(one.totals.contracts).toBe(12);
  expect(one.uploadable).toBe(92);
  const two = selectionOf(both, ["Ada_Quill", "Bo_Finch"], []);
  expect(two.totals).toMatchObject({ contracts: 13, universeSeconds: 30_500 });
  expect(two.ships.map(({ name, entered }) => [name, entered])).toEqual([
    ["Pisces", 40],
    ["C2 Hercules", 20],
  ]);
  expect(two.uploadable).toBe(138);
  expect(two.patches).toEqual(["ALPHA 4.1.0", "ALPHA 4.7.0", "ALPHA 4.8.0"]);
  expect(selectionOf(both, [], [])).toMatchObject({ uploadable: 0, months: [], ships: [] });
});

test("the months of a chart have no gaps, across years", () => {
  const { months } = selectionOf(both, ["Ada_Quill"], []);
  expect(months.map(({ month, contracts }) => [month, contracts])).toEqual([
    ["2025-11", 5],
    ["2025-12", 0],
    ["2026-01", 0],
    ["2026-02", 7],
  ]);
});

test("pay leaves the computer only if it is shared", () => {
  const sent = (share: ("pay" | "places")[]) =>
    selectionOf(both, ["Ada_Quill"], share).kinds.find((one) => one.kind === "payout")?.sent;
  expect(sent([])).toBe(0);
  expect(sent(["places"])).toBe(0);
  expect(sent(["pay"])).toBe(8);
});

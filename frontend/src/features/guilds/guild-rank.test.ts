import { expect, test } from "vitest";
import { rankBadgeText, rankInBoard } from "./guild-rank";

const other = { overall: 0, missions_completed: 9, playtime: 900 };
const some = { ...other, pu_player_kills: 0, pu_npc_kills: 3, pu_vehicle_destruction_caused: 0 };
const none = { ...other, pu_player_kills: 0, pu_npc_kills: 0, pu_vehicle_destruction_caused: 0 };

test.each([
  ["without any figure", none, [1, 1, 1, 1], "Unranked"],
  ["with the best place first", some, [4, null, 9, null], "TOP 4 OVERALL"],
  ["with the best place among players", some, [40, 7, 9, null], "TOP 7 PVP"],
  ["with the best place in vehicles", some, [40, 7, 9, 2], "TOP 2 VEHICLE"],
  ["at place 100", some, [100, null, null, null], "TOP 100 OVERALL"],
  ["beyond place 100 on every board", some, [101, 240, 3_000, null], "Ranked"],
  ["on no board", some, [null, null, null, null], "Ranked"],
  ["when the boards failed", some, undefined, "Ranked"],
])("a guild %s", (_, stats, places, text) => {
  expect(rankBadgeText(stats, places)).toBe(text);
});

test("a guild is found regardless of case", () => {
  expect(rankInBoard([{ org_short: "VOID" }, { org_short: "nova" }], "NOVA")).toBe(2);
  expect(rankInBoard([], "NOVA")).toBeNull();
});

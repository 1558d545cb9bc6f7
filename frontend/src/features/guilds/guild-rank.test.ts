import { expect, test } from "vitest";
import { rankBadgeText, rankOnLeaderboard } from "./guild-rank";

const other = { overall: 0, missions_completed: 9, playtime: 900, career: 0, ships_flown: 0, universe_time: 0 };
const some = { ...other, pu_player_kills: 0, pu_npc_kills: 3, pu_vehicle_destruction_caused: 0 };
const none = { ...other, pu_player_kills: 0, pu_npc_kills: 0, pu_vehicle_destruction_caused: 0 };

test.each([
  ["without any figure", none, [1, 1, 1, 1], "Unranked"],
  ["with the best rank overall", some, [4, null, 9, null], "TOP 4 OVERALL"],
  ["with the best rank in PVP", some, [40, 7, 9, null], "TOP 7 PVP"],
  ["with the best rank in vehicles", some, [40, 7, 9, 2], "TOP 2 VEHICLE"],
  ["at rank 100", some, [100, null, null, null], "TOP 100 OVERALL"],
  ["beyond rank 100 on every leaderboard", some, [101, 240, 3_000, null], "Ranked"],
  ["on no leaderboard", some, [null, null, null, null], "Ranked"],
  ["when the leaderboards failed", some, undefined, "Ranked"],
])("a guild %s", (_, stats, ranks, text) => {
  expect(rankBadgeText(stats, ranks)).toBe(text);
});

test("a guild is found regardless of case", () => {
  expect(rankOnLeaderboard([{ org_short: "VOID" }, { org_short: "nova" }], "NOVA")).toBe(2);
  expect(rankOnLeaderboard([], "NOVA")).toBeNull();
});

import { expect, test } from "vitest";
import type { PlayerView } from "../../api/types";
import { visibilityOf } from "./visibility";

const view = (more: object) =>
  ({ handle: "Vexa", game_stats: {}, missions_completed: 0, is_hidden: false, ...more }) as unknown as PlayerView;

test.each<[string, object, boolean, string]>([
  ["with a kill", { game_stats: { ac_npc_kills: 1 } }, false, "shown"],
  ["with a death", { game_stats: { pu_player_deaths: 1 } }, false, "shown"],
  ["with a lost vehicle", { game_stats: { pu_vehicle_destruction_received: 1 } }, false, "shown"],
  ["with missions alone", { missions_completed: 3 }, false, "shown"],
  ["with nothing", {}, false, "unclaimed"],
  ["with only an owner", { is_claimed: true }, false, "empty"],
  ["with nothing, for its editor", {}, true, "shown"],
  ["hidden", { is_hidden: true, game_stats: { pu_npc_kills: 9 } }, false, "hidden"],
  ["hidden, for its editor", { is_hidden: true }, true, "shown"],
  ["hidden, for an admin", { is_hidden: true, viewing_as_admin: true }, false, "shown"],
  ["hidden, for the owner", { is_profile_hidden: true, viewing_as_owner: true }, false, "shown"],
])("a profile %s", (_, more, canEdit, expected) => {
  expect(visibilityOf(view(more), canEdit)).toBe(expected);
});

test("a hidden profile's response is shown as hidden", () => {
  expect(visibilityOf({ handle: "Vexa", is_hidden: true }, false)).toBe("hidden");
});

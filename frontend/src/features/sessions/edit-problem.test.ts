import { expect, test } from "vitest";
import type { UserView } from "../../api/types";
import { guildEditProblem, playerEditProblem } from "./edit-problem";

const user = (more: object = {}) =>
  ({ discord_id: "1", handle: "Vexa", guild_ownership: null, ...more }) as unknown as UserView;

test.each([
  [null, "You must be logged in with Discord to edit profiles. Please log in first."],
  [
    user({ handle: null }),
    "You must have a claimed Star Citizen profile to edit settings. Please claim your profile first.",
  ],
  [user({ handle: "Other" }), "You can only edit your own claimed profile."],
  [user({ handle: "vEXA" }), null],
])("only the owner can edit a player's profile", (viewer, problem) => {
  expect(playerEditProblem(viewer, "Vexa")).toBe(problem);
});

test.each([
  [null, "You must be logged in with Discord to edit guild profiles. Please log in first."],
  [user({ discord_id: "" }), "User data not available."],
  [user(), "You must be a guild owner to edit guild profiles."],
  [user({ guild_ownership: "VOID" }), "You can only edit your own guild profile."],
  [user({ guild_ownership: "nova" }), null],
])("only the owner can edit a guild's profile", (viewer, problem) => {
  expect(guildEditProblem(viewer, "NOVA")).toBe(problem);
});

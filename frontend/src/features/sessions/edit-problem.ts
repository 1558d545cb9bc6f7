// Returns why a user may not edit a profile, or null. The server checks again.
import type { UserView } from "../../api/types";
import { hasPlayer, mayEditGuild, mayEditPlayer } from "./use-session";

export function playerEditProblem(user: UserView | null, handle: string, admin = false): string | null {
  if (!user) return "You must be logged in with Discord to edit profiles. Please log in first.";
  if (admin || mayEditPlayer(user, handle)) return null;
  if (!hasPlayer(user))
    return "You must have a claimed Star Citizen profile to edit settings. Please claim your profile first.";
  return "You can only edit your own claimed profile.";
}

export function guildEditProblem(user: UserView | null, tag: string, admin = false): string | null {
  if (!user) return "You must be logged in with Discord to edit guild profiles. Please log in first.";
  if (!user.discord_id) return "User data not available.";
  if (admin || mayEditGuild(user, tag)) return null;
  if (!user.guild_ownership) return "You must be a guild owner to edit guild profiles.";
  return "You can only edit your own guild profile.";
}

// The session for components.
import { useSyncExternalStore } from "react";
import type { UserView } from "../../api/types";
import { currentSession, onSession, type Session } from "./session-store";

export function useSession(): Session {
  return useSyncExternalStore(onSession, currentSession);
}

/** Has a player profile only when the handle is a non-empty string. */
export function hasPlayer(user: UserView | null): user is UserView & { handle: string } {
  return typeof user?.handle === "string" && user.handle !== "";
}

/** Own handle, without case. */
export function mayEditPlayer(user: UserView | null, handle: string): boolean {
  return hasPlayer(user) && user.handle.toLowerCase() === handle.toLowerCase();
}

/** Own guild, without case. */
export function mayEditGuild(user: UserView | null, tag: string): boolean {
  return !!user?.guild_ownership && user.guild_ownership.toLowerCase() === tag.toLowerCase();
}

export function displayName(user: UserView): string {
  return user.discord_global_name || user.discord_username || "User";
}

/** The path of the avatar on this site; null without one. */
export function avatarOf(user: UserView): string | null {
  return user.discord_avatar?.startsWith("/") ? user.discord_avatar : null;
}

// Hooks and helpers for the current session.
import { useSyncExternalStore } from "react";
import type { UserView } from "../../api/types";
import { currentSession, onSession, type Session } from "./session-store";

export function useSession(): Session {
  return useSyncExternalStore(onSession, currentSession);
}

/** Reports whether the server has signed a user in. */
export function isSignedIn(): boolean {
  const { user, local } = currentSession();
  return user !== null && !local;
}

/** Reports whether the user has claimed a player: the handle is a non-empty string. */
export function hasPlayer(user: UserView | null): user is UserView & { handle: string } {
  return typeof user?.handle === "string" && user.handle !== "";
}

/** Only the user's own player, ignoring case. */
export function mayEditPlayer(user: UserView | null, handle: string): boolean {
  return hasPlayer(user) && user.handle.toLowerCase() === handle.toLowerCase();
}

/** Only the user's own guild, ignoring case. */
export function mayEditGuild(user: UserView | null, tag: string): boolean {
  return !!user?.guild_ownership && user.guild_ownership.toLowerCase() === tag.toLowerCase();
}

export function displayName(user: UserView): string {
  return user.discord_global_name || user.discord_username || "User";
}

/** Returns the path of the avatar on this site, or null. */
export function avatarOf(user: UserView): string | null {
  return user.discord_avatar?.startsWith("/") ? user.discord_avatar : null;
}

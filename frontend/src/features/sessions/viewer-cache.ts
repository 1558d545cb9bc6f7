// Cached answers belong to the viewer that they were given to. Another viewer never sees them.
import type { QueryClient } from "@tanstack/react-query";
import { currentSession, onSession, type Session } from "./session-store";

/** Answers that are the same for everybody, by the first part of their key. All others are read again. */
const PUBLIC_KEYS: ReadonlySet<unknown> = new Set([
  "commits",
  "config",
  "guilds",
  "leaderboard",
  "openapi",
  "patch",
  "text",
]);

/** Clears what depends on the viewer whenever that changes: signed in, out, or as somebody else, here or in another tab. */
export function clearOnViewerChange(cache: QueryClient): () => void {
  let viewer = viewerKey(currentSession());
  return onSession(() => {
    const now = viewerKey(currentSession());
    if (now === viewer) return;
    viewer = now;
    // Answers under way are dropped, and what is on screen is asked for again.
    void cache.resetQueries({ predicate: (query) => !PUBLIC_KEYS.has(query.queryKey[0]) });
    cache.getMutationCache().clear();
  });
}

/** What answers depend on: the account, and what it may see and edit. */
function viewerKey({ user, local }: Session): string {
  return user ? JSON.stringify([user.discord_id, local, user.handle, user.guild_ownership, user.is_admin]) : "";
}

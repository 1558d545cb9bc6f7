// Clears cached responses when the viewer changes, so that nobody sees data of another user.
import type { QueryClient } from "@tanstack/react-query";
import { currentSession, onSession, type Session } from "./session-store";

/** Responses that do not depend on the viewer, by the first part of their key. */
const PUBLIC_KEYS: ReadonlySet<unknown> = new Set([
  "commits",
  "config",
  "guilds",
  "leaderboard",
  "openapi",
  "patch",
  "text",
]);

/** Resets viewer-dependent queries after a sign-in, a sign-out or a change of user, in this or another tab. */
export function clearOnViewerChange(cache: QueryClient): () => void {
  let viewer = viewerKey(currentSession());
  return onSession(() => {
    const now = viewerKey(currentSession());
    if (now === viewer) return;
    viewer = now;
    // Pending responses are dropped, and active queries are fetched again.
    void cache.resetQueries({ predicate: (query) => !PUBLIC_KEYS.has(query.queryKey[0]) });
    cache.getMutationCache().clear();
  });
}

/** The account and its permissions, on which responses depend. */
function viewerKey({ user, local }: Session): string {
  return user ? JSON.stringify([user.discord_id, local, user.handle, user.guild_ownership, user.is_admin]) : "";
}

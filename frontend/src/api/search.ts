// Search suggestions. Results are cached by type, folded text and limit. Late responses are ignored, since each text has its
// own key. Keys: `["search", "fast", …]`.
import { queryOptions } from "@tanstack/react-query";
import { fold } from "../lib/text";
import { call } from "./client";
import type { SearchResult, SearchType } from "./types";

export const MIN_QUERY_LENGTH = 2;
export const HEADER_SUGGESTION_LIMIT = 5;
export const DEFAULT_SUGGESTION_LIMIT = 8;
const CACHE_TTL_MS = 300_000;

export const searchQuery = (type: SearchType, text: string, limit = DEFAULT_SUGGESTION_LIMIT) => {
  const q = text.trim();
  return queryOptions({
    queryKey: ["search", "fast", type, fold(q), limit],
    queryFn: async ({ signal }) => {
      // Guild suggestions are requested without the token.
      const answer = await call<{ results: SearchResult[] }>("/api/search/fast", {
        query: { q, type, limit },
        auth: type === "player",
        signal,
      });
      return type === "player" ? mergeOrgs(answer.results) : answer.results;
    },
    enabled: q.length >= MIN_QUERY_LENGTH,
    staleTime: CACHE_TTL_MS,
    gcTime: CACHE_TTL_MS,
    retry: false,
    meta: { quiet: true },
  });
};

/** Merges results with the same handle into one, with the distinct guilds of all. */
export function mergeOrgs(results: SearchResult[]): SearchResult[] {
  const byHandle = new Map<string, SearchResult>();
  for (const result of results) {
    const key = (result.handle ?? "").toLowerCase();
    const known = byHandle.get(key);
    const orgs = new Set([
      ...(known?.orgs ?? []),
      ...(result.orgs ?? []),
      ...(result.org_short ? [result.org_short] : []),
    ]);
    byHandle.set(key, { ...(known ?? result), orgs: [...orgs] });
  }
  return [...byHandle.values()];
}

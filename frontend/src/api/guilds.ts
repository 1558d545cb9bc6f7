// Queries of guilds. Keys: `["guilds", resource, TAG, …]`.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { encoded } from "../lib/text";
import { call } from "./client";
import type { ActivityFilter, Pagination } from "./list-params";
import type { ActivityRow, GuildCareer, GuildMember, GuildStats, GuildView, Metric } from "./types";

export const MEMBERS_PAGE_ROWS = 100;

const guildPath = (tag: string) => `/api/guild/${encoded(tag.toUpperCase())}`;

export const guildProfileQuery = (tag: string) =>
  queryOptions({
    queryKey: ["guilds", "profile", tag.toUpperCase()],
    queryFn: async ({ signal }) => (await call<{ guild: GuildView }>(guildPath(tag), { signal })).guild,
  });

export const guildStatsQuery = (tag: string) =>
  queryOptions({
    queryKey: ["guilds", "stats", tag.toUpperCase()],
    queryFn: async ({ signal }) =>
      (await call<{ data: GuildStats }>(`/api/guild/stats/${encoded(tag.toUpperCase())}`, { signal })).data,
  });

export const guildCareerQuery = (tag: string) =>
  queryOptions({
    queryKey: ["guilds", "career", tag.toUpperCase()],
    queryFn: async ({ signal }) => (await call<{ data: GuildCareer }>(`${guildPath(tag)}/career`, { signal })).data,
  });

export interface GuildMembersPage {
  members: GuildMember[];
  pagination: Pagination;
}

export const guildMembersQuery = (tag: string, sortBy: Metric = "overall") =>
  infiniteQueryOptions({
    queryKey: ["guilds", "members", tag.toUpperCase(), { sortBy }],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      call<GuildMembersPage>(`${guildPath(tag)}/members`, {
        query: { limit: MEMBERS_PAGE_ROWS, offset: pageParam, sortBy },
        signal,
      }),
    getNextPageParam: (last, pages) => {
      const seen = pages.length * MEMBERS_PAGE_ROWS;
      return last.members.length < MEMBERS_PAGE_ROWS || seen >= last.pagination.total ? undefined : seen;
    },
  });

export interface GuildActivityPage {
  data: ActivityRow[];
  pagination?: Pagination;
}

export function guildActivity(
  tag: string,
  query: { limit: number; before?: string; offset?: number; filter?: ActivityFilter },
  signal?: AbortSignal,
): Promise<GuildActivityPage> {
  return call(`${guildPath(tag)}/activity`, { query, signal });
}

/** Counts a view. Returns the total. */
export const viewGuild = (tag: string) => call<{ views: number }>(`${guildPath(tag)}/view`, { method: "POST" });

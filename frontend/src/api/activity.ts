// Activity feeds: of all players, one player or one guild. All keys have the shape `["activity", "all" | "player" | "guild",
// owner, filter]`, so that live rows find the feeds they belong to.
import { infiniteQueryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { guildActivity } from "./guilds";
import type { ActivityFilter, Pagination } from "./list-params";
import { playerActivity } from "./players";
import type { ActivityRow } from "./types";

export const FEED_PAGE_ROWS = 100;

export interface ActivityPage {
  data: ActivityRow[];
  pagination?: Pagination;
}

export type FeedOwner = { kind: "all" } | { kind: "player"; handle: string } | { kind: "guild"; tag: string };

function ownerKey(owner: FeedOwner): string {
  if (owner.kind === "player") return owner.handle.toLowerCase();
  return owner.kind === "guild" ? owner.tag.toUpperCase() : "";
}

/** Pages of a feed, newest row first. A `filter` of null selects all events. */
export const activityFeedQuery = (owner: FeedOwner, filter: ActivityFilter | null = null, limit = FEED_PAGE_ROWS) =>
  infiniteQueryOptions({
    queryKey: ["activity", owner.kind, ownerKey(owner), filter, { limit }] as const,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<ActivityPage> => {
      const query = { limit, before: pageParam, filter: filter ?? undefined };
      if (owner.kind === "player") return playerActivity(owner.handle, query, signal);
      if (owner.kind === "guild") return guildActivity(owner.tag, query, signal);
      return call("/api/activity", { query, signal });
    },
    getNextPageParam: (last) => (last.data.length < limit ? undefined : last.data.at(-1)?.id),
  });

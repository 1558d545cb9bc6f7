import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { activityFeedQuery, type FeedOwner } from "../../api/activity";
import type { ActivityFilter } from "../../api/list-params";
import { displayable } from "./activity-rows";
import { useBufferedFeed } from "./use-buffered-feed";

export type ActivityFeed = ReturnType<typeof useActivityFeed>;

/** A feed that loads in pages, with live rows, and freezes while the user reads it. */
export function useActivityFeed(owner: FeedOwner, filter: ActivityFilter | null) {
  const options = activityFeedQuery(owner, filter);
  const query = useInfiniteQuery(options);
  const rows = useMemo(() => displayable(query.data?.pages.flatMap((page) => page.data) ?? []), [query.data]);
  const buffered = useBufferedFeed(options.queryKey, rows);
  return { query, rows, buffered };
}

// Code changes. Keys: `["commits", "list"]`.
import { infiniteQueryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { Pagination } from "./list-params";
import type { CommitRow } from "./types";

export const COMMITS_PAGE_ROWS = 20;
const REFRESH_INTERVAL_MS = 300_000;

export interface CommitPage {
  commits: CommitRow[];
  pagination: Pagination;
}

export const commitsQuery = () =>
  infiniteQueryOptions({
    queryKey: ["commits", "list"],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      call<CommitPage>("/api/commits", { query: { limit: COMMITS_PAGE_ROWS, offset: pageParam }, signal }),
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, page) => sum + page.commits.length, 0);
      return last.commits.length === 0 || seen >= last.pagination.total ? undefined : seen;
    },
    refetchInterval: REFRESH_INTERVAL_MS,
  });

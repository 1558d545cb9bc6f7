// The feed of code changes. Keys: `["commits", "list"]`.
import { infiniteQueryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { CommitRow } from "./types";
import type { Pagination } from "./undescribed";

export const COMMIT_PAGE = 20;
const REFRESH_MS = 300_000;

export interface CommitPage {
  commits: CommitRow[];
  pagination: Pagination;
}

export const commitsQuery = () =>
  infiniteQueryOptions({
    queryKey: ["commits", "list"],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      call<CommitPage>("/api/commits", { query: { limit: COMMIT_PAGE, offset: pageParam }, signal }),
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, page) => sum + page.commits.length, 0);
      return last.commits.length === 0 || seen >= last.pagination.total ? undefined : seen;
    },
    refetchInterval: REFRESH_MS,
  });

// What a score of a player consists of. Key: `["receipt", handle, { metric, window }]`.
import { infiniteQueryOptions } from "@tanstack/react-query";
import { encoded } from "../lib/text";
import { call } from "./client";
import type { BoardWindow } from "./list-params";
import type { Metric, Receipt } from "./types";

const PAGE_ROWS = 50;

export const receiptQuery = (handle: string, metric: Metric, window: BoardWindow) =>
  infiniteQueryOptions({
    queryKey: ["receipt", handle.toLowerCase(), { metric, window }],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call<Receipt>(`/api/player/${encoded(handle)}/receipt`, {
        query: { metric, window, before: pageParam, limit: PAGE_ROWS },
        signal,
      }),
    getNextPageParam: (last) => last.next,
    meta: { quiet: true },
  });

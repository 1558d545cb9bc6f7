// Statistics of the current patch and the total counts of the site. Keys: `["patch", …]`.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { Counts, PatchView } from "./types";

export const patchQuery = () =>
  queryOptions({
    queryKey: ["patch", "current"],
    queryFn: async ({ signal }) => (await call<{ data: PatchView }>("/api/patch", { signal })).data,
    meta: { quiet: true },
  });

export const countsQuery = () =>
  queryOptions({
    queryKey: ["patch", "counts"],
    queryFn: async ({ signal }): Promise<Counts> => {
      const { players, orgs } = await call<Counts>("/api/stats/counts", { signal });
      return { players, orgs };
    },
    meta: { quiet: true },
  });

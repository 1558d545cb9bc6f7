// A single event. Keys: `["event", id]`. Separate from `activity.ts`, which profiles load.
import { queryOptions } from "@tanstack/react-query";
import { encoded } from "../lib/text";
import { call } from "./client";
import type { EventAnswer } from "./types";

export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ["event", id],
    queryFn: ({ signal }) => call<EventAnswer>(`/api/activity/${encoded(id)}`, { signal }),
    meta: { quiet: true },
  });

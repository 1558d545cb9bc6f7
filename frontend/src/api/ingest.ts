// Keys of the signed-in user with which their log reader sends events. Keys: `["ingest", "keys"]`.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { IngestKey } from "./types";

export const keysQuery = () =>
  queryOptions({
    queryKey: ["ingest", "keys"],
    queryFn: async ({ signal }) => (await call<{ keys: IngestKey[] }>("/api/keys", { signal })).keys,
  });

/** Makes a key. `secret` is in this answer alone: the server keeps only its hash. */
export const createKey = (name: string) =>
  call<{ key: IngestKey; secret: string }>("/api/keys", { method: "POST", body: { name } });

/** Lets a key of a restored backup upload again. */
export const confirmKey = (id: string) =>
  call<{ success: true }>(`/api/keys/${encodeURIComponent(id)}/confirm`, { method: "POST" });

export const revokeKey = (id: string) =>
  call<{ success: true }>(`/api/keys/${encodeURIComponent(id)}`, { method: "DELETE" });

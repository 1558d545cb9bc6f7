// Ingest keys of the signed-in user, which authenticate log readers. Keys: `["ingest", "keys"]`.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { IngestKey } from "./types";

export const keysQuery = () =>
  queryOptions({
    queryKey: ["ingest", "keys"],
    queryFn: async ({ signal }) => (await call<{ keys: IngestKey[] }>("/api/keys", { signal })).keys,
  });

/** Creates a key. Only this response contains `secret`; the server stores its hash. */
export const createKey = (name: string) =>
  call<{ key: IngestKey; secret: string }>("/api/keys", { method: "POST", body: { name } });

/** Reactivates a key after the server was restored from a backup. */
export const confirmKey = (id: string) =>
  call<{ success: true }>(`/api/keys/${encodeURIComponent(id)}/confirm`, { method: "POST" });

export const revokeKey = (id: string) =>
  call<{ success: true }>(`/api/keys/${encodeURIComponent(id)}`, { method: "DELETE" });

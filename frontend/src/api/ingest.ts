// Ingest keys of the signed-in user, which authenticate log readers, and the upload of events by the user. Keys: `["ingest", "keys"]`.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { IngestAnswer, IngestKey } from "./types";

export type { IngestAnswer } from "./types";

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

/** Uploads events of one log: lines of JSON, and the value of `Apogee-Log`, which describes the log. */
export async function sendEvents(lines: string[], log: string, signal?: AbortSignal): Promise<IngestAnswer> {
  const plain = new Blob([lines.join("\n"), "\n"]);
  const headers = { "content-type": "application/x-ndjson", "apogee-log": log };
  const options = { method: "POST", signal } as const;
  if (typeof CompressionStream === "undefined") return call("/api/ingest/events", { ...options, headers, body: plain });
  const body = await new Response(plain.stream().pipeThrough(new CompressionStream("gzip"))).blob();
  return call("/api/ingest/events", { ...options, headers: { ...headers, "content-encoding": "gzip" }, body });
}

// Which version of the server answers. Keys: `["health"]`.
import { call } from "./client";

/** The version of the running server; null when it does not answer or does not say. */
export async function fetchServerVersion(): Promise<string | null> {
  try {
    return (await call<{ version?: string }>("/api/health", { auth: false, timeoutMs: 5_000 })).version ?? null;
  } catch {
    return null;
  }
}

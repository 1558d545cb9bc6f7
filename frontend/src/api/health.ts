// The server's version.
import { call } from "./client";

/** Returns the version of the running server; null if it does not respond. */
export async function fetchServerVersion(): Promise<string | null> {
  try {
    return (await call<{ version?: string }>("/api/health", { auth: false, timeoutMs: 5_000 })).version ?? null;
  } catch {
    return null;
  }
}

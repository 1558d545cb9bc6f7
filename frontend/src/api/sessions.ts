// Sign-in, sign-out, sessions and account data. `client.ts` stores the token; `features/sessions` stores the user.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { ApiError } from "./errors";
import type { SessionView, UserView } from "./types";

const HEALTH_TIMEOUT_MS = 2_000;

/** Exchanges the OAuth code for a user and a token. */
export async function exchangeCode(body: {
  code: string;
  redirect_uri: string;
  code_verifier?: string;
}): Promise<{ user: UserView; token: string }> {
  const answer = await call<{ user?: UserView; token?: string }>("/api/auth/discord/callback", {
    method: "POST",
    body,
    auth: false,
  });
  if (!answer.user || !answer.token) {
    throw new ApiError(200, "INVALID_RESPONSE", "Invalid response from authentication server");
  }
  return { user: answer.user, token: answer.token };
}

/** Reports a sign-in to the server, with the user as Discord describes it. */
export const linkDiscord = (body: { discordUser: UserView; playerHandle: string | null; orgShort: string | null }) =>
  call<{ user: UserView }>("/api/link/discord-login", { method: "POST", body });

/** Returns the signed-in user as stored on the server. */
export const fetchUser = async (discordId: string) =>
  (await call<{ user: UserView }>(`/api/link/user/${encodeURIComponent(discordId)}`)).user;

/** The open sessions of the signed-in user, most recently used first. Keys: `["sessions"]`. */
export const sessionsQuery = () =>
  queryOptions({
    queryKey: ["sessions"],
    queryFn: async ({ signal }) => (await call<{ sessions: SessionView[] }>("/api/me/sessions", { signal })).sessions,
  });

/** Ends one session of the signed-in user. */
export const endOneSession = (id: string) =>
  call<{ success: true }>(`/api/me/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });

/** Ends all sessions of the signed-in user, including the current one. */
export const endEverySession = () => call<{ ended: number }>("/api/me/sessions", { method: "DELETE" });

/** Ends the current session on the server. */
export const endSession = () => call<{ success: true }>("/api/auth/logout", { method: "POST" });

/** Reports whether the server responds within two seconds, with any HTTP status. */
export async function isReachable(): Promise<boolean> {
  try {
    await call("/api/health", { auth: false, timeoutMs: HEALTH_TIMEOUT_MS });
    return true;
  } catch (error) {
    return error instanceof ApiError && error.status !== 0;
  }
}

/** Returns all data stored about the signed-in user. */
export const exportMyData = () => call<Record<string, unknown>>("/api/me/export");

/** Deletes the signed-in user's account and data. */
export const deleteAccount = () => call<{ success: true }>("/api/me", { method: "DELETE" });

// Signing in and out, and whether the server can be reached. What is stored in the browser is the business of
// `features/sessions`; the token alone is kept by `client.ts`.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { ApiError } from "./errors";
import type { SessionView, UserView } from "./types";

/** The health check gives up after this long. */
const HEALTH_TIMEOUT_MS = 2_000;

/** Trades the one-time code of the chat platform for a user and a token. */
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

/** Tells the server of a sign-in, as the chat platform knows the user. */
export const linkDiscord = (body: { discordUser: UserView; playerHandle: string | null; orgShort: string | null }) =>
  call<{ user: UserView }>("/api/link/discord-login", { method: "POST", body });

/** The signed-in user as the server knows them. */
export const fetchUser = async (discordId: string) =>
  (await call<{ user: UserView }>(`/api/link/user/${encodeURIComponent(discordId)}`)).user;

/** The open sessions of the signed-in user, last seen first. Key: `["sessions"]`. */
export const sessionsQuery = () =>
  queryOptions({
    queryKey: ["sessions"],
    queryFn: async ({ signal }) => (await call<{ sessions: SessionView[] }>("/api/me/sessions", { signal })).sessions,
  });

/** Ends one session of the signed-in user. */
export const endOneSession = (id: string) =>
  call<{ success: true }>(`/api/me/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });

/** Ends every session of the signed-in user, the current one included. */
export const endEverySession = () => call<{ ended: number }>("/api/me/sessions", { method: "DELETE" });

/** Ends the session on the server. */
export const endSession = () => call<{ success: true }>("/api/auth/logout", { method: "POST" });

/** Whether the server gives any HTTP answer within two seconds. */
export async function isReachable(): Promise<boolean> {
  try {
    await call("/api/health", { auth: false, timeoutMs: HEALTH_TIMEOUT_MS });
    return true;
  } catch (error) {
    return error instanceof ApiError && error.status !== 0;
  }
}

/** All that the server keeps of the signed-in user, as it sends it. */
export const exportMyData = () => call<Record<string, unknown>>("/api/me/export");

/** Removes the signed-in user and all that is theirs. */
export const deleteAccount = () => call<{ success: true }>("/api/me", { method: "DELETE" });

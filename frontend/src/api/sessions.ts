// Signing in and out, and whether the server can be reached. What is stored in the browser is the business of
// `features/sessions`; the token alone is kept by `client.ts`.
import { call } from "./client";
import { ApiError } from "./errors";
import type { UserView } from "./types";

/** The health check gives up after this long. */
const HEALTH_MS = 2_000;

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

/** Ends the session on the server. */
export const endSession = () => call<{ success: true }>("/api/auth/logout", { method: "POST" });

/** Whether the server gives any HTTP answer within two seconds. */
export async function isReachable(): Promise<boolean> {
  try {
    await call("/api/health", { auth: false, timeoutMs: HEALTH_MS });
    return true;
  } catch (error) {
    return error instanceof ApiError && error.status !== 0;
  }
}

/** All that the server keeps of the signed-in user, as it sends it. */
export const exportMyData = () => call<Record<string, unknown>>("/api/me/export");

/** Removes the signed-in user and all that is theirs. */
export const deleteAccount = () => call<{ success: true }>("/api/me", { method: "DELETE" });

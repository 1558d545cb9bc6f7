// Completes a sign-in: exchanges the OAuth code for a user.
import { ApiError } from "../../api/errors";
import { exchangeCode, linkDiscord } from "../../api/sessions";
import type { UserView } from "../../api/types";
import { changeUser, logIn, logInLocally } from "./session-store";

const LOCAL_USER: UserView = {
  discord_id: "local",
  discord_username: "local",
  discord_global_name: "Local user",
  discord_avatar: null,
  discord_discriminator: null,
  discord_email: null,
  is_admin: false,
  handle: null,
  org_short: null,
  link_provider: "local",
  is_active: true,
  linked_at: 0,
  guild_ownership: null,
};

export interface SignedIn {
  /** The user exists only in this browser, because the server is unreachable. */
  local: boolean;
  /** A problem that did not prevent the sign-in. */
  warning: string | null;
}

/** The calls in progress, by code and verifier. */
const running = new Map<string, Promise<SignedIn>>();

/**
 * Exchanges the code for a session. Throws an `Error` with the message to show. A code is valid once: a second callback with it
 * gets the outcome of the call in progress.
 */
export function signIn(code: string, redirectUri: string, verifier: string): Promise<SignedIn> {
  const key = `${code} ${verifier}`;
  const call = running.get(key) ?? exchange(code, redirectUri, verifier).finally(() => running.delete(key));
  running.set(key, call);
  return call;
}

async function exchange(code: string, redirectUri: string, verifier: string): Promise<SignedIn> {
  let session: Awaited<ReturnType<typeof exchangeCode>>;
  try {
    session = await exchangeCode({ code, redirect_uri: redirectUri, code_verifier: verifier });
  } catch (error) {
    if (isUnreachable(error)) {
      if (await signInLocally()) return { local: true, warning: null };
      throw new Error("Failed to link with Discord");
    }
    throw new Error(signInErrorText(error));
  }
  logIn(session.user, session.token);
  try {
    const { user } = await linkDiscord({
      discordUser: session.user,
      playerHandle: session.user.handle,
      orgShort: session.user.org_short,
    });
    if (user) changeUser(user);
    return { local: false, warning: null };
  } catch (error) {
    if (isUnreachable(error)) return { local: false, warning: null };
    const { status, message } = error as ApiError;
    return { local: false, warning: `Failed to link Discord account: ${status} ${message}` };
  }
}

/** Signs in the local user; false if the server is reachable. */
export const signInLocally = () => logInLocally(LOCAL_USER);

const isUnreachable = (error: unknown) => error instanceof ApiError && error.status === 0;

function signInErrorText(error: unknown): string {
  if (!(error instanceof ApiError)) return "Discord link failed";
  if (error.message === "Invalid response from authentication server") return error.message;
  // The response was not JSON.
  if (error.body === null) return `Unexpected response from server: ${error.status}`;
  return error.message || "Failed to authenticate with Discord";
}

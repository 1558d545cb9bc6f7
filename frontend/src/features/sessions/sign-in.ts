// The second half of a sign-in: the code of the chat platform becomes a user of this browser. Called by the link page.
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
  /** A user of this browser alone, because the server gives no answer at all. */
  local: boolean;
  /** What went wrong beside it, although the user is signed in. */
  warning: string | null;
}

/** Trades the code for a session. Throws an `Error` with the sentence to show. */
export async function signIn(code: string, redirectUri: string, verifier: string): Promise<SignedIn> {
  let answer: Awaited<ReturnType<typeof exchangeCode>>;
  try {
    answer = await exchangeCode({ code, redirect_uri: redirectUri, code_verifier: verifier });
  } catch (error) {
    if (isUnreachable(error)) {
      if (await signInLocally()) return { local: true, warning: null };
      throw new Error("Failed to link with Discord");
    }
    throw new Error(signInErrorText(error));
  }
  logIn(answer.user, answer.token);
  try {
    const { user } = await linkDiscord({
      discordUser: answer.user,
      playerHandle: answer.user.handle,
      orgShort: answer.user.org_short,
    });
    if (user) changeUser(user);
    return { local: false, warning: null };
  } catch (error) {
    if (isUnreachable(error)) return { local: false, warning: null };
    const { status, message } = error as ApiError;
    return { local: false, warning: `Failed to link Discord account: ${status} ${message}` };
  }
}

/** Builds the user of this browser alone; false when the server answers after all. */
export const signInLocally = () => logInLocally(LOCAL_USER);

const isUnreachable = (error: unknown) => error instanceof ApiError && error.status === 0;

function signInErrorText(error: unknown): string {
  if (!(error instanceof ApiError)) return "Discord link failed";
  if (error.message === "Invalid response from authentication server") return error.message;
  // No object came at all: it was no JSON.
  if (error.body === null) return `Unexpected response from server: ${error.status}`;
  return error.message || "Failed to authenticate with Discord";
}

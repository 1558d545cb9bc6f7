// OAuth with Discord: a one-time `state` and a PKCE verifier, stored for this tab until a callback has signed the user in. A
// callback that was not started here is rejected before any request.
import { sessionStore } from "../../lib/browser-storage";

const STORAGE_KEY = "oauth";
const SCOPES = "identify email";
const RANDOM_BYTES = 32;
const STORAGE_FORBIDDEN =
  "Signing in needs the storage of your browser, which does not store data of this site. " +
  "Allow cookies and site data for this site, or free space, then try again.";

/** The browser cannot keep a sign-in until the user returns from Discord. */
export class StorageError extends Error {}

export interface PendingSignIn {
  state: string;
  verifier: string;
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const random = () => base64url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));

/** The S256 challenge of a verifier (RFC 7636). */
export async function pkceChallenge(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

/**
 * Starts a sign-in: stores state and verifier and returns the authorization URL. Throws if the browser offers no Web Crypto,
 * which requires https or localhost, and a `StorageError` if it stores nothing.
 */
export async function beginSignIn(discord: {
  clientId: string;
  redirectUri: string;
  authorizeUrl: string;
}): Promise<string> {
  const pending: PendingSignIn = { state: random(), verifier: random() };
  const url = new URL(discord.authorizeUrl);
  url.search = new URLSearchParams({
    client_id: discord.clientId,
    redirect_uri: discord.redirectUri,
    response_type: "code",
    scope: SCOPES,
    state: pending.state,
    code_challenge: await pkceChallenge(pending.verifier),
    code_challenge_method: "S256",
  }).toString();
  if (!sessionStore.setItem(STORAGE_KEY, JSON.stringify(pending))) throw new StorageError(STORAGE_FORBIDDEN);
  return url.href;
}

/** Returns the verifier of a callback; null if the state is wrong, missing or already used. */
export function verifierOf(state: string | null): string | null {
  try {
    const pending = JSON.parse(sessionStore.getItem(STORAGE_KEY) ?? "null") as Partial<PendingSignIn> | null;
    return state && pending?.state === state && pending.verifier ? pending.verifier : null;
  } catch {
    return null;
  }
}

/** Ends a sign-in that has succeeded, so that its state cannot be used again. */
export function endSignIn(state: string | null): void {
  if (verifierOf(state) !== null) sessionStore.removeItem(STORAGE_KEY);
}

export const redirectTo = (url: string) => window.location.assign(url);

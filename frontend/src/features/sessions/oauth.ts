// OAuth with Discord: a one-time `state` and a PKCE verifier, stored for this tab and consumed by the first callback. A
// callback that was not started here is rejected before any request.
const STORAGE_KEY = "oauth";
const SCOPES = "identify email";
const RANDOM_BYTES = 32;

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
 * which requires https or localhost.
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
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(pending));
  return url.href;
}

/** Returns the verifier of a callback and removes it; null if the state is wrong, missing or already used. */
export function consumeVerifier(state: string | null): string | null {
  const stored = sessionStorage.getItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  try {
    const pending = JSON.parse(stored ?? "null") as Partial<PendingSignIn> | null;
    return state && pending?.state === state && pending.verifier ? pending.verifier : null;
  } catch {
    return null;
  }
}

export const redirectTo = (url: string) => window.location.assign(url);

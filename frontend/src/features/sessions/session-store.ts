// The signed-in user as stored in this browser: the user under `linkUser`, the token under `jwt`. It grants no rights: the
// server checks every call. Components use `use-session.ts`.
import { onReachability, onSessionExpired, readToken, storeToken } from "../../api/client";
import { asApiError } from "../../api/errors";
import { endSession, fetchUser, isReachable } from "../../api/sessions";
import type { UserView } from "../../api/types";
import { localStore } from "../../lib/browser-storage";

const USER_KEY = "linkUser";
/** Set if the user, or their handle, exists only in this browser. */
const LOCAL_KEY = "linkUserLocal";

export interface Session {
  user: UserView | null;
  /** The user, or their claim, exists only in this browser, because the server is unreachable. */
  local: boolean;
}

let session: Session = restore();
const listeners = new Set<() => void>();
const expiryListeners = new Set<(message: string) => void>();

export const currentSession = (): Session => session;

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls `listener` with the message to show when the session has expired. */
export function onExpiry(listener: (message: string) => void): () => void {
  expiryListeners.add(listener);
  return () => expiryListeners.delete(listener);
}

function restore(): Session {
  try {
    const stored: unknown = JSON.parse(localStore.getItem(USER_KEY) ?? "null");
    if (stored && typeof stored === "object" && "discord_id" in stored) {
      return { user: stored as UserView, local: readToken() === null || !!localStore.getItem(LOCAL_KEY) };
    }
  } catch {
    // The entry is invalid: nobody is signed in.
  }
  return { user: null, local: false };
}

function set(to: Session): void {
  session = to;
  if (to.user) localStore.setItem(USER_KEY, JSON.stringify(to.user));
  else localStore.removeItem(USER_KEY);
  if (to.user && to.local) localStore.setItem(LOCAL_KEY, "1");
  else localStore.removeItem(LOCAL_KEY);
  for (const listener of listeners) listener();
}

/** Stores a signed-in user and token. */
export function logIn(user: UserView, token: string): void {
  storeToken(token);
  set({ user, local: false });
}

/** Signs in a user that exists only in this browser, if the server is unreachable. Returns whether it did. */
export async function logInLocally(user: UserView): Promise<boolean> {
  if (await isReachable()) return false;
  set({ user, local: true });
  return true;
}

/** Updates the signed-in user, such as the handle after a claim. */
export function changeUser(change: Partial<UserView>): void {
  if (session.user) set({ ...session, user: { ...session.user, ...change } });
}

/** Gives the user a player that is claimed only in this browser, if the server is unreachable. Returns whether it did. */
export async function claimLocally(handle: string): Promise<boolean> {
  if (!session.user || (await isReachable())) return false;
  set({ user: { ...session.user, handle, org_short: "" }, local: true });
  return true;
}

/** Signs out in this browser and on the server; `isEnded` omits the latter. */
export async function logOut(isEnded = false): Promise<void> {
  const ending = readToken() && !session.local && !isEnded ? endSession().catch(() => undefined) : undefined;
  storeToken(null);
  set({ user: null, local: false });
  await ending;
}

/** Fetches the user. Throws an `Error` with the message to show. */
export async function refreshUser(): Promise<UserView> {
  if (!session.user) throw new Error("No user logged in");
  const user = await fetchUser(session.user.discord_id).catch((error: unknown) => {
    const { status, code } = asApiError(error);
    if (status === 404) return null;
    // An expired session is announced by its listener.
    if (status <= 0 || code === "TOKEN_EXPIRED") throw error;
    throw new Error(`Backend request failed: ${status}`);
  });
  if (!user) throw new Error("User not found");
  set({ user, local: false });
  return user;
}

/** Checks whether the server is reachable again while the user exists only in this browser. */
export async function probeServerForLocalUser(): Promise<void> {
  if (session.local) await isReachable();
}

// The server's first response ends a local user: users with a token are fetched again, others are signed out.
onReachability((reached) => {
  if (!reached || !session.local) return;
  if (readToken() && session.user) {
    session = { ...session, local: false };
    refreshUser().catch(() => set({ user: null, local: false }));
  } else set({ user: null, local: false });
});
onSessionExpired((message) => {
  set({ user: null, local: false });
  for (const listener of expiryListeners) listener(message);
});
/** Adopts a change made in another tab. */
function syncFromStorage(): void {
  session = restore();
  for (const listener of listeners) listener();
}
window.addEventListener("storage", (event) => {
  // A null key means that the storage was cleared.
  if (event.key === USER_KEY || event.key === null) syncFromStorage();
});
// A page in the back/forward cache receives no storage events.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) syncFromStorage();
});

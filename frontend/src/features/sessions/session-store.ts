// Who is signed in, as this browser knows it: the user under `linkUser`, the token under `jwt`. The server decides
// every right anew with each call; nothing here gives one. Used through `use-session.ts`.
import { onReachability, onSessionExpired, readToken, storeToken } from "../../api/client";
import { asApiError } from "../../api/errors";
import { endSession, fetchUser, isReachable } from "../../api/sessions";
import type { UserView } from "../../api/types";

const USER_KEY = "linkUser";
/** Beside the user: set when the user, or the handle they have, exists in this browser alone. */
const LOCAL_KEY = "linkUserLocal";

export interface Session {
  user: UserView | null;
  /** True for a user, or a claim of theirs, that exists in this browser only, because the server cannot be reached at all. */
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

/** Calls `listener` with the sentence to show when the session ran out. */
export function onExpiry(listener: (message: string) => void): () => void {
  expiryListeners.add(listener);
  return () => expiryListeners.delete(listener);
}

function restore(): Session {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(USER_KEY) ?? "null");
    if (stored && typeof stored === "object" && "discord_id" in stored) {
      return { user: stored as UserView, local: readToken() === null || !!localStorage.getItem(LOCAL_KEY) };
    }
  } catch {
    // What is stored is no user: nobody is signed in.
  }
  return { user: null, local: false };
}

function set(to: Session): void {
  session = to;
  if (to.user) localStorage.setItem(USER_KEY, JSON.stringify(to.user));
  else localStorage.removeItem(USER_KEY);
  if (to.user && to.local) localStorage.setItem(LOCAL_KEY, "1");
  else localStorage.removeItem(LOCAL_KEY);
  for (const listener of listeners) listener();
}

/** Signs in with what the server answered. */
export function logIn(user: UserView, token: string): void {
  storeToken(token);
  set({ user, local: false });
}

/** Builds a user of this browser alone; only when the server gives no answer at all. Gives whether it did. */
export async function logInLocally(user: UserView): Promise<boolean> {
  if (await isReachable()) return false;
  set({ user, local: true });
  return true;
}

/** Changes what is known of the signed-in user, such as the handle after a claim. */
export function changeUser(change: Partial<UserView>): void {
  if (session.user) set({ ...session, user: { ...session.user, ...change } });
}

/** Gives the user a claimed player of this browser alone; only when the server gives no answer at all. Gives whether it did. */
export async function claimLocally(handle: string): Promise<boolean> {
  if (!session.user || (await isReachable())) return false;
  set({ user: { ...session.user, handle, org_short: "" }, local: true });
  return true;
}

/** Signs out here at once and, unless the session has ended there already, on the server when it can be reached. */
export async function logOut(isEnded = false): Promise<void> {
  const ending = readToken() && !session.local && !isEnded ? endSession().catch(() => undefined) : undefined;
  storeToken(null);
  set({ user: null, local: false });
  await ending;
}

/** Reads the user again from the server. Throws an `Error` with the sentence to show. */
export async function refreshUser(): Promise<UserView> {
  if (!session.user) throw new Error("No user logged in");
  const user = await fetchUser(session.user.discord_id).catch((error: unknown) => {
    const { status, code } = asApiError(error);
    if (status === 404) return null;
    // A session that ran out is announced by whoever keeps it.
    if (status <= 0 || code === "TOKEN_EXPIRED") throw error;
    throw new Error(`Backend request failed: ${status}`);
  });
  if (!user) throw new Error("User not found");
  set({ user, local: false });
  return user;
}

/** Reads the user again when the stored one is of an earlier version, which kept the avatar as a hash. */
export async function upgradeStoredUser(): Promise<void> {
  const avatar = session.user?.discord_avatar;
  if (!avatar || avatar.startsWith("/") || session.local) return;
  // The stored user is good enough until the server answers.
  await refreshUser().catch(() => undefined);
}

/** Asks whether the server is there again when something here is of this browser alone. */
export async function probeServerForLocalUser(): Promise<void> {
  if (session.local) await isReachable();
}

// With the server's first answer what was of this browser alone ends: who has a session is read anew, anybody else is signed out.
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
/** Takes over what another tab did. */
function syncFromStorage(): void {
  session = restore();
  for (const listener of listeners) listener();
}
window.addEventListener("storage", (event) => {
  // Without a key, all was removed.
  if (event.key === USER_KEY || event.key === null) syncFromStorage();
});
// A page that comes back from the browser's memory has heard nothing meanwhile.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) syncFromStorage();
});

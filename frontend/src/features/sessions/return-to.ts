// The page to return to after a sign-in, stored for this tab. Only pages that set it are returned to.
import { sessionStore } from "../../lib/browser-storage";
import { claim, connect, upload } from "../../lib/paths";

const STORAGE_KEY = "returnTo";

/** Stores a path until the sign-in completes. */
export const saveReturnPath = (path: string) => sessionStore.setItem(STORAGE_KEY, path);

/** Returns the stored path, if it is allowed, and removes it. */
export function consumeReturnPath(): string | null {
  const stored = sessionStore.getItem(STORAGE_KEY);
  sessionStore.removeItem(STORAGE_KEY);
  const isAllowed = stored === upload || [`${connect}?`, `${claim}?`].some((start) => stored?.startsWith(start));
  return isAllowed ? stored : null;
}

// Where somebody wanted to go who had to sign in first. Only pages that name it go there, once, in the same tab; all
// others are followed by the home page.
import { connect } from "../../lib/paths";

const STORAGE_KEY = "returnTo";

/** Remembers an address of this site until the sign-in is done. */
export const saveReturnPath = (path: string) => sessionStorage.setItem(STORAGE_KEY, path);

/** The address that was remembered, if it is one that may be; it is forgotten now. */
export function consumeReturnPath(): string | null {
  const stored = sessionStorage.getItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  return stored?.startsWith(`${connect}?`) ? stored : null;
}

// Where somebody wanted to go who had to sign in first. Only pages that name it go there, once, in the same tab; all
// others are followed by the home page.
import { connect } from "../../lib/paths";

const KEPT = "returnTo";

/** Remembers an address of this site until the sign-in is done. */
export const keepReturn = (path: string) => sessionStorage.setItem(KEPT, path);

/** The address that was remembered, if it is one that may be; it is forgotten now. */
export function takeReturn(): string | null {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return kept?.startsWith(`${connect}?`) ? kept : null;
}

// Where *My Profile* leads: to the own page; without a handle the user is read again, and if there is still none, to the claim page.
import { useNavigate } from "react-router";
import { asApiError } from "../../api/errors";
import { claim, link, player } from "../../lib/paths";
import { toast } from "../../ui/toast";
import { currentSession, refreshUser } from "./session-store";
import { hasPlayer } from "./use-session";

export function useGoToProfile(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => navigate(await profileAddress());
}

/** Says why the user could not be read again. */
export function showRefreshError(error: unknown): null {
  const { status, code, message } = asApiError(error);
  if (code !== "TOKEN_EXPIRED") {
    toast({ tone: "error", title: status === 0 ? "Connection Problem" : "Something Went Wrong", text: message });
  }
  return null;
}

/** The address *My Profile* stands for, for whoever is signed in now. */
export async function profileAddress(): Promise<string> {
  const { user } = currentSession();
  if (!user) return link;
  if (hasPlayer(user)) return player(user.handle);
  const fresh = await refreshUser().catch(showRefreshError);
  return hasPlayer(fresh) ? player(fresh.handle) : claim;
}

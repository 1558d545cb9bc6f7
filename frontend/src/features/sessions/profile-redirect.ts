// The target of *My Profile*: the user's player, or the claim page. If the user has no handle, the user is fetched again first.
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

/** Shows why the user could not be fetched. */
export function showRefreshError(error: unknown): null {
  const { status, code, message } = asApiError(error);
  if (code !== "TOKEN_EXPIRED") {
    toast({ tone: "error", title: status === 0 ? "Connection Problem" : "Something Went Wrong", text: message });
  }
  return null;
}

/** Returns the path of *My Profile* for the current user. */
export async function profileAddress(): Promise<string> {
  const { user } = currentSession();
  if (!user) return link;
  if (hasPlayer(user)) return player(user.handle);
  const fresh = await refreshUser().catch(showRefreshError);
  return hasPlayer(fresh) ? player(fresh.handle) : claim;
}

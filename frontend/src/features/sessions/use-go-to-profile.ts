// Where *My Profile* leads: to the own page; without a handle the user is read again, and if there is still none, to the claim page.
import { useNavigate } from "react-router";
import { claim, link, player } from "../../lib/paths";
import { currentSession, refreshUser } from "./session-store";
import { hasPlayer } from "./use-session";

export function useGoToProfile(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    const { user } = currentSession();
    if (!user) return void navigate(link);
    if (hasPlayer(user)) return void navigate(player(user.handle));
    const fresh = await refreshUser().catch(() => null);
    navigate(hasPlayer(fresh) ? player(fresh.handle) : claim);
  };
}

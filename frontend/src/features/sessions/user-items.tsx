import { useMutation } from "@tanstack/react-query";
import { Database, Gauge, LogOut, Shield, User, UserCheck } from "lucide-react";
import { Link, useLocation, useNavigate } from "react-router";
import { admin, claim, guild, home, link, myData, profile } from "../../lib/paths";
import { Name } from "../../ui/name";
import { useGoToProfile } from "./profile-redirect";
import { logOut } from "./session-store";
import { displayName, hasPlayer, useSession } from "./use-session";
import css from "./user-menu.module.css";

/** The items of the user menu, also used by the mobile menu. */
export default function UserItems({ onDone }: { onDone?: () => void }) {
  const { user, local } = useSession();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const goToProfile = useGoToProfile();
  const { mutate: signOut } = useMutation({
    mutationFn: () => logOut(),
    onSuccess: () => {
      if (pathname === link || pathname === profile || pathname === myData) navigate(home);
    },
  });
  if (!user) return null;
  const closeAnd = (act: () => unknown) => () => {
    onDone?.();
    act();
  };
  return (
    <>
      <div className={css.user}>
        <Name>{displayName(user)}</Name>
        <span className="quiet">{local ? "Local user (server unreachable)" : "Discord"}</span>
      </div>
      <button type="button" onClick={closeAnd(goToProfile)}>
        <User size={16} aria-hidden="true" /> My Profile
      </button>
      <button type="button" disabled={!user.org_short} onClick={closeAnd(() => navigate(guild(user.org_short ?? "")))}>
        <Shield size={16} aria-hidden="true" /> My Guild
      </button>
      {!hasPlayer(user) && (
        <Link to={claim} onClick={onDone}>
          <UserCheck size={16} aria-hidden="true" /> Claim Your Game Profile
        </Link>
      )}
      <Link to={myData} onClick={onDone}>
        <Database size={16} aria-hidden="true" /> My Data
      </Link>
      {user.is_admin && (
        <Link to={admin} onClick={onDone}>
          <Gauge size={16} aria-hidden="true" /> Admin
        </Link>
      )}
      <button type="button" onClick={closeAnd(signOut)}>
        <LogOut size={16} aria-hidden="true" /> Sign Out
      </button>
    </>
  );
}

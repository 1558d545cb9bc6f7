import { Database, Gauge, LogOut, Shield, User, UserCheck } from "lucide-react";
import { Link, useLocation, useNavigate } from "react-router";
import { DEFAULT_PLAYER_IMAGE } from "../../lib/images";
import { admin, claim, guild, home, link, myData, profile } from "../../lib/paths";
import { ButtonLink } from "../../ui/button";
import { Dropdown } from "../../ui/dropdown";
import { Image } from "../../ui/image";
import { logOut } from "./session-store";
import { useGoToProfile } from "./use-go-to-profile";
import { avatarOf, displayName, hasPlayer, useSession } from "./use-session";
import css from "./user-menu.module.css";

/** The user area of the header: a Link button, or who is signed in and what they may do. */
export function UserMenu() {
  const { user } = useSession();
  if (!user) {
    return (
      <ButtonLink to={link} look="primary">
        Link
      </ButtonLink>
    );
  }
  const name = displayName(user);
  return (
    <Dropdown
      align="end"
      name={`Your menu, ${name}`}
      label={<Image src={avatarOf(user)} fallback={DEFAULT_PLAYER_IMAGE} alt="" width={28} height={28} eager />}
    >
      <UserItems />
    </Dropdown>
  );
}

/** What the menu holds; the phone menu shows the same. */
export function UserItems({ onDone }: { onDone?: () => void }) {
  const { user, local } = useSession();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const goToProfile = useGoToProfile();
  if (!user) return null;
  const leave = async () => {
    onDone?.();
    await logOut();
    if (pathname === link || pathname === profile || pathname === myData) navigate(home);
  };
  return (
    <>
      <div className={css.who}>
        <bdi>{displayName(user)}</bdi>
        <span className="quiet">{local ? "Local user, server not reachable" : "Discord"}</span>
      </div>
      <button
        type="button"
        onClick={() => {
          onDone?.();
          void goToProfile();
        }}
      >
        <User size={16} aria-hidden="true" /> My Profile
      </button>
      <button
        type="button"
        disabled={!user.org_short}
        onClick={() => {
          onDone?.();
          navigate(guild(user.org_short ?? ""));
        }}
      >
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
      <button type="button" onClick={() => void leave()}>
        <LogOut size={16} aria-hidden="true" /> Sign Out
      </button>
    </>
  );
}

import { Menu, Search, X } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { Link, NavLink, useLocation } from "react-router";
import { SearchBox } from "../features/search/search-box";
import { UserMenu } from "../features/sessions/user-menu";
import { useSite } from "../features/site/use-site";
import * as paths from "../lib/paths";
import { Button, ExternalLink } from "../ui/button";
import { Dropdown } from "../ui/dropdown";
import css from "./header.module.css";

const MobileMenu = lazy(() => import("./mobile-menu"));

const NAV_LINKS = [
  { to: paths.home, label: "Home" },
  { to: paths.players, label: "Players" },
  { to: paths.guilds, label: "Guilds" },
  { to: paths.activity, label: "Activity" },
];

/** The header: navigation, search and user menu. */
export function Header() {
  const { name } = useSite();
  const { panel, toggle, close } = usePanel();
  return (
    <header className={css.header}>
      <div className={css.bar}>
        <Link to={paths.home} className={css.logo} aria-label={`${name}, home`}>
          <Logo />
          <span>{name}</span>
        </Link>
        <MainNav />
        <div className={css.search}>
          <SearchBox placeholder="Search Players, Orgs..." shortcut />
        </div>
        <div className={css.user}>
          <UserMenu />
        </div>
        <div className={css.mobile}>
          <Button
            variant="icon"
            aria-label="Search"
            aria-expanded={panel === "search"}
            onClick={() => toggle("search")}
          >
            <Search size={20} aria-hidden="true" />
          </Button>
          <Button variant="icon" aria-label="Menu" aria-expanded={panel === "menu"} onClick={() => toggle("menu")}>
            {panel === "menu" ? <X size={20} aria-hidden="true" /> : <Menu size={20} aria-hidden="true" />}
          </Button>
        </div>
      </div>
      {panel === "search" && (
        <div className={css.drawer}>
          <SearchBox placeholder="What are you looking for?" autoFocus onDone={close} />
        </div>
      )}
      {panel === "menu" && (
        <Suspense>
          <MobileMenu links={NAV_LINKS} onDone={close} />
        </Suspense>
      )}
    </header>
  );
}

type Panel = "menu" | "search";

/** The panel below the header on narrow screens. Navigation and Escape close it. */
function usePanel() {
  const { pathname } = useLocation();
  const [panel, setPanel] = useState<Panel | null>(null);
  const close = () => setPanel(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the open panel
  useEffect(close, [pathname]);
  useEffect(() => {
    if (!panel) return;
    const keys = (event: KeyboardEvent) => event.key === "Escape" && setPanel(null);
    document.addEventListener("keydown", keys);
    return () => document.removeEventListener("keydown", keys);
  }, [panel]);
  return { panel, toggle: (one: Panel) => setPanel(panel === one ? null : one), close };
}

function MainNav() {
  const { community_url, kanban_url } = useSite();
  const { pathname } = useLocation();
  const isCurrent = (...pages: string[]) => pages.includes(pathname);
  return (
    <nav aria-label="Main" className={css.nav}>
      {NAV_LINKS.map(({ to, label }) => (
        <NavLink key={to} to={to} end={to === paths.home}>
          {label}
        </NavLink>
      ))}
      {community_url && (
        <Dropdown label="Community">
          <ExternalLink href={community_url}>Discord community</ExternalLink>
        </Dropdown>
      )}
      <Dropdown label="Updates" active={isCurrent(paths.updates)}>
        <ExternalLink href={kanban_url}>Kanban board</ExternalLink>
        <Link to={paths.updates}>Changelog</Link>
      </Dropdown>
      <Dropdown label="Information" active={isCurrent(paths.about, paths.guides)}>
        <Link to={paths.about}>Team</Link>
        <Link to={paths.guides}>Guides</Link>
      </Dropdown>
      <Dropdown label="Get the Apps" active={isCurrent(paths.discordBot, paths.connectApp, paths.upload)}>
        {paths.canReadLogs && <Link to={paths.upload}>Read my log</Link>}
        <Link to={paths.discordBot}>Discord bot</Link>
        <Link to={paths.connectApp}>Connect App</Link>
      </Dropdown>
    </nav>
  );
}

/** The site's logo: an orbit and its highest point. */
function Logo() {
  return (
    <svg width="28" height="28" viewBox="0 0 200 200" aria-hidden="true">
      <g transform="translate(97 103) rotate(-38)" fill="none">
        <path d="M64.300,-27.540A79,47.400 0 1 0 64.300,27.540" stroke="var(--text)" strokeWidth="16" />
        <circle cx="-39.500" r="15" fill="var(--text)" />
        <circle cx="79" r="20" fill="var(--signal)" />
      </g>
    </svg>
  );
}

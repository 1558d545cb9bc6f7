// The menu of narrow screens. Loaded on demand.
import { Link, NavLink } from "react-router";
import { SearchBox } from "../features/search/search-box";
import { useSession } from "../features/sessions/use-session";
import UserItems from "../features/sessions/user-items";
import { useSite } from "../features/site/use-site";
import * as paths from "../lib/paths";
import { ButtonLink, ExternalLink } from "../ui/button";
import css from "./header.module.css";

interface MobileMenuProps {
  links: readonly { to: string; label: string }[];
  onDone: () => void;
}

export default function MobileMenu({ links, onDone }: MobileMenuProps) {
  const site = useSite();
  const { user } = useSession();
  return (
    <div className={css.drawer}>
      <SearchBox placeholder="What are you looking for?" onDone={onDone} />
      <nav aria-label="Menu" className={css.links}>
        {links.map(({ to, label }) => (
          <NavLink key={to} to={to} end={to === paths.home}>
            {label}
          </NavLink>
        ))}
        <Link to={paths.about}>About</Link>
        <Link to={paths.guides}>Guides</Link>
        <Link to={paths.updates}>Changelog</Link>
        {paths.canReadLogs && <Link to={paths.upload}>Read my log</Link>}
        <Link to={paths.discordBot}>Discord bot</Link>
        <Link to={paths.connectApp}>Connect App</Link>
        <ExternalLink href={site.community_url}>Community</ExternalLink>
        <ExternalLink href={site.kanban_url}>Kanban board</ExternalLink>
      </nav>
      <div className={css.links}>
        {user ? (
          <UserItems onDone={onDone} />
        ) : (
          <ButtonLink to={paths.link} variant="primary">
            Link
          </ButtonLink>
        )}
      </div>
    </div>
  );
}

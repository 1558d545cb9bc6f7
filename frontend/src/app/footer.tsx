import { Link } from "react-router";
import { useSite } from "../features/site/use-site";
import * as paths from "../lib/paths";
import { ExternalLink } from "../ui/button";
import css from "./footer.module.css";

/** The footer: Legal, Support, API and the trademark notice. */
export function Footer({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  const site = useSite();
  return (
    <footer className={css.footer}>
      <div className={css.inner}>
        <section>
          <h2 className="label">Legal</h2>
          <Link to={paths.privacy}>Privacy Policy</Link>
          <Link to={paths.terms}>Terms of Service</Link>
        </section>
        <section>
          <h2 className="label">Support</h2>
          <Link to={paths.guides}>Guides</Link>
          <ExternalLink href={site.support_url}>Discord community</ExternalLink>
          <button type="button" onClick={onShowShortcuts}>
            Keyboard shortcuts
          </button>
        </section>
        <section>
          <h2 className="label">API</h2>
          <Link to={paths.api}>API Documentation</Link>
        </section>
        <p>{site.trademark}</p>
      </div>
    </footer>
  );
}

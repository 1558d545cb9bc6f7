import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { README_PATH, textQuery } from "../api/texts";
import { IngestKeys } from "../features/ingest/ingest-keys";
import { useSession } from "../features/sessions/use-session";
import { type AppFeature, parseReaderReadme } from "../features/site/help-file";
import { useSite } from "../features/site/use-site";
import { canReadLogs, link, upload } from "../lib/paths";
import { BackButton } from "../ui/back-button";
import { ButtonLink, ExternalLink } from "../ui/button";
import { InlineText } from "../ui/inline-text";
import { EmptyState, PageSpinner } from "../ui/states";
import { useElapsed } from "../ui/use-elapsed";
import { useTitle } from "../ui/use-title";
import { ZoomImage } from "../ui/zoom-image";
import css from "./info-page.module.css";

const READY_MS = 300;
const FACTS = [
  ["Rust", "Written in"],
  ["8", "Languages"],
  ["Windows, Linux", "Runs on"],
] as const;
const LANGUAGES = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["es", "Español"],
  ["fr", "Français"],
  ["pl", "Polski"],
  ["ru", "Русский"],
  ["uk", "Українська"],
  ["zh-Hans", "简体中文"],
] as const;

export default function ConnectApp() {
  useTitle("Connect App");
  const site = useSite();
  return (
    <div className="page">
      <BackButton />
      <header className={css.hero}>
        <h1>Connect App</h1>
        <p className="quiet">
          {site.game} writes a log file while you play. {site.name} counts the events in it, and only those of the
          player that you have claimed. Two ways read it; neither changes anything in the game or its folder.
        </p>
      </header>
      <div className={`${css.columns} ${css.ways}`}>
        {canReadLogs && (
          <section aria-labelledby="browser">
            <h2 id="browser">In your browser</h2>
            <p className="quiet">
              Nothing to install. The page reads your logs on your own computer, shows what it found, and sends nothing
              until you say so.
            </p>
            <div className={css.actions}>
              <ButtonLink variant="primary" to={upload}>
                Read my log
              </ButtonLink>
            </div>
          </section>
        )}
        <section aria-labelledby="program">
          <h2 id="program">With the program</h2>
          <p className="quiet">
            The reader follows the log while you play, and uploads each event as it happens. It reads this one file and
            changes nothing.
          </p>
          <dl className={css.stats}>
            {FACTS.map(([value, label]) => (
              <div key={label}>
                <dt className="quiet">{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          {(site.installer_url || site.source_url) && (
            <div className={css.actions}>
              <ExternalLink variant="quiet" href={site.installer_url}>
                Download
              </ExternalLink>
              <ExternalLink variant="quiet" href={site.source_url}>
                Source code
              </ExternalLink>
            </div>
          )}
        </section>
      </div>
      <Content />
    </div>
  );
}

/** The content below the header, rendered as a whole to avoid layout shifts. */
function Content() {
  const { user, local } = useSession();
  const readme = useQuery(textQuery(README_PATH));
  const isElapsed = useElapsed(READY_MS);
  if (readme.isPending || !isElapsed) return <PageSpinner label="Loading features…" />;
  return (
    <>
      <Features text={readme.data?.text ?? ""} />
      <section aria-labelledby="languages" className={css.part}>
        <h2 id="languages">Languages</h2>
        <ul role="list" className={css.languages}>
          {LANGUAGES.map(([code, name]) => (
            <li key={code} lang={code}>
              {name}
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="keys" className={css.part}>
        <h2 id="keys">Your keys</h2>
        {user && !local ? (
          <IngestKeys />
        ) : (
          <p className="quiet">
            The reader needs a key to upload events. <Link to={link}>Link your account</Link> to create one.
          </p>
        )}
      </section>
    </>
  );
}

function Features({ text }: { text: string }) {
  const { features } = parseReaderReadme(text);
  if (features.length === 0) {
    return (
      <EmptyState title="Unable to load app features. Please check that the readme file is available and try refreshing the page." />
    );
  }
  const pictures = features.flatMap((feature) => feature.media);
  return (
    <>
      <section aria-labelledby="features" className={css.part}>
        <h2 id="features">Features</h2>
        <div className={css.columns}>
          {features
            .filter((feature) => feature.description !== "" || feature.items.length > 0)
            .map((feature) => (
              <Feature key={feature.slug} feature={feature} />
            ))}
        </div>
      </section>
      {pictures.length > 0 && (
        <section aria-labelledby="screenshots" className={css.part}>
          <h2 id="screenshots">Screenshots</h2>
          <div className={css.gallery}>
            {pictures.map((one) => (
              <ZoomImage key={one.url} src={one.url} title={one.title} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

function Feature({ feature }: { feature: AppFeature }) {
  return (
    <section>
      <h3>{feature.title}</h3>
      <p className="quiet">
        <InlineText text={feature.description} />
      </p>
      {feature.items.length > 0 && (
        <ul>
          {feature.items.map((item) => (
            <li key={item}>
              <InlineText text={item} />
            </li>
          ))}
        </ul>
      )}
      {feature.content.map((paragraph) => (
        <p key={paragraph} className="quiet">
          <InlineText text={paragraph} />
        </p>
      ))}
    </section>
  );
}

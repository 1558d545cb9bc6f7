import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { HELP_PATH, helpChangedAt, textQuery } from "../api/texts";
import { FeatureCards } from "../features/site/feature-cards";
import { parseHelpFile } from "../features/site/help-file";
import { TopCommandPreview } from "../features/site/top-command-preview";
import { useSite } from "../features/site/use-site";
import { BackButton } from "../ui/back-button";
import { ExternalLink } from "../ui/button";
import { EmptyState, Spinner } from "../ui/states";
import { useElapsed } from "../ui/use-elapsed";
import { useTitle } from "../ui/use-title";
import css from "./info-page.module.css";

const POLL_MS = 30_000;
const MIN_SPINNER_MS = 300;

export default function DiscordBot() {
  useTitle("Discord bot");
  const site = useSite();
  return (
    <div className="page">
      <BackButton />
      <header className={css.split}>
        <div className={css.hero}>
          <h1>{site.name} for Discord</h1>
          <p className="quiet">
            Look up players and guilds, compare them, and follow the events of the game in a channel of your server.
          </p>
          <dl className={css.stats}>
            <div>
              <dt className="quiet">servers</dt>
              <dd>{site.bot_servers}</dd>
            </div>
            <div>
              <dt className="quiet">active users</dt>
              <dd>{site.bot_users}</dd>
            </div>
          </dl>
          {(site.bot_invite_url || site.community_url) && (
            <div className={css.actions}>
              <ExternalLink variant="primary" href={site.bot_invite_url}>
                Add to server
              </ExternalLink>
              <ExternalLink variant="quiet" href={site.community_url}>
                Community server
              </ExternalLink>
            </div>
          )}
        </div>
        <TopCommandPreview />
      </header>
      <section aria-labelledby="features" className={css.part}>
        <h2 id="features">Features</h2>
        <Features />
      </section>
    </div>
  );
}

function Features() {
  const help = useQuery(textQuery(HELP_PATH, true));
  const { refetch } = help;
  const changed = help.data?.lastModified ?? null;
  const isElapsed = useElapsed(MIN_SPINNER_MS);
  useEffect(() => {
    const poll = async () => {
      // Without a response, nothing has changed.
      const lastModified = await helpChangedAt().catch(() => null);
      if (lastModified && lastModified !== changed) void refetch();
    };
    const timer = setInterval(() => void poll(), POLL_MS);
    return () => clearInterval(timer);
  }, [changed, refetch]);
  if (help.isPending || !isElapsed) return <Spinner label="Loading features…" />;
  const cards = help.data ? parseHelpFile(help.data.text).cards : [];
  if (cards.length === 0) {
    return (
      <EmptyState title="Unable to load bot features. Please check that the help file is available and try refreshing the page." />
    );
  }
  return <FeatureCards cards={cards} />;
}

import { useQueries, useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { configQuery } from "../api/config";
import { stickersQuery } from "../api/stickers";
import { textPath, textQuery } from "../api/texts";
import type { TrustConfig } from "../api/types";
import { stickersArticle } from "../features/site/stickers-article";
import { Wiki, type WikiArticle } from "../features/site/wiki";
import { exact } from "../lib/numbers";
import { parseOutline } from "../lib/outline";
import { BackButton } from "../ui/back-button";
import { ErrorState, PageSpinner } from "../ui/states";
import { useTitle } from "../ui/use-title";

const RULES = "whose-reports-count";
const ARTICLES = ["quick-start-guide", RULES, "configuring-statsfeed-channels"] as const;

export default function Guides() {
  useTitle("Guides");
  const texts = useQueries({ queries: ARTICLES.map((name) => textQuery(textPath(name))) });
  const config = useQuery(configQuery());
  const articles: WikiArticle[] = ARTICLES.flatMap((slug, index) => {
    const text = texts[index]?.data?.text;
    if (text === undefined) return [];
    const limits = slug === RULES && config.data?.trust ? limitsList(config.data.trust) : "";
    return [{ slug, ...parseOutline(text.trimEnd() + limits) }];
  });
  const stickers = useQuery(stickersQuery());
  if (stickers.data) articles.push({ slug: "stickers", ...parseOutline(stickersArticle(stickers.data)) });
  const failed = texts.filter((text) => text.isLoadingError);
  return (
    <div className="page">
      <BackButton />
      <h1 style={{ marginTop: "var(--s4)", fontSize: "var(--size-6)" }}>Guides</h1>
      {[...texts, stickers, config].some((query) => query.isPending) ? (
        <PageSpinner label="Loading guides…" />
      ) : failed.length > 0 ? (
        <ErrorState
          title="The guides could not be loaded."
          onRetry={() => {
            for (const text of failed) void text.refetch();
          }}
        />
      ) : (
        <Suspense fallback={<PageSpinner label="Loading guides…" />}>
          <Wiki label="guides" articles={articles} />
        </Suspense>
      )}
    </div>
  );
}

/** The limits of this site as a list below the last rule. */
function limitsList({ limits, events_per_day, last_fight_patch }: TrustConfig): string {
  const lines = [...limits, "each mission completed once", `${exact(events_per_day)} events of one account in a day`];
  if (last_fight_patch !== null) lines.push(`no kills and vehicle losses of patches after ${last_fight_patch}`);
  return lines.map((line) => `\n  - ${line}`).join("");
}

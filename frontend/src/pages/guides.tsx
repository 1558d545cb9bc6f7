import { useQueries, useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { stickersQuery } from "../api/stickers";
import { textPath, textQuery } from "../api/texts";
import { stickersArticle } from "../features/site/stickers-article";
import { Wiki, type WikiArticle } from "../features/site/wiki";
import { parseOutline } from "../lib/outline";
import { BackButton } from "../ui/back-button";
import { ErrorState, PageSpinner } from "../ui/states";
import { useTitle } from "../ui/use-title";

const ARTICLES = ["quick-start-guide", "whose-reports-count", "configuring-statsfeed-channels"] as const;

export default function Guides() {
  useTitle("Guides");
  const texts = useQueries({ queries: ARTICLES.map((name) => textQuery(textPath(name))) });
  const articles: WikiArticle[] = ARTICLES.flatMap((slug, index) => {
    const text = texts[index]?.data?.text;
    return text === undefined ? [] : [{ slug, ...parseOutline(text) }];
  });
  const stickers = useQuery(stickersQuery());
  if (stickers.data) articles.push({ slug: "stickers", ...parseOutline(stickersArticle(stickers.data)) });
  const failed = texts.filter((text) => text.isLoadingError);
  return (
    <div className="page">
      <BackButton />
      <h1 style={{ marginTop: "var(--s4)", fontSize: "var(--size-6)" }}>Guides</h1>
      {texts.some((text) => text.isPending) || stickers.isPending ? (
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

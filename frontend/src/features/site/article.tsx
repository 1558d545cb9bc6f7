import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { type TextName, textPath, textQuery } from "../../api/texts";
import { BackButton } from "../../ui/back-button";
import { ErrorState, Skeleton } from "../../ui/states";
import css from "./article.module.css";
import { MarkdownBody } from "./markdown";

const SKELETON_WIDTHS = ["96%", "88%", "92%", "60%", "94%", "85%", "40%"];

/** A page with a single text. `title` is shown until the text, which has its own title, is rendered. */
export function Article({ name, title }: { name: TextName; title: string }) {
  const { data, isPending, refetch } = useQuery(textQuery(textPath(name)));
  return (
    <div className={`page ${css.column}`}>
      <BackButton />
      <article className={css.article}>
        {data ? (
          <Suspense fallback={<ArticleSkeleton title={title} />}>
            <MarkdownBody text={data.text} />
          </Suspense>
        ) : isPending ? (
          <ArticleSkeleton title={title} />
        ) : (
          <>
            <h1>{title}</h1>
            <ErrorState title="This text could not be loaded." onRetry={() => void refetch()} />
          </>
        )}
      </article>
    </div>
  );
}

function ArticleSkeleton({ title }: { title: string }) {
  return (
    <>
      <h1>{title}</h1>
      <div className={css.lines} role="status" aria-busy="true" aria-label="Loading…">
        {SKELETON_WIDTHS.map((width) => (
          <Skeleton key={width} width={width} />
        ))}
      </div>
    </>
  );
}

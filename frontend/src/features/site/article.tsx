import { useQuery } from "@tanstack/react-query";
import { type TextName, textPath, textQuery } from "../../api/texts";
import { BackButton } from "../../ui/back-button";
import { ErrorState, Skeleton } from "../../ui/states";
import css from "./article.module.css";
import { Markdown } from "./markdown";

const LINES = ["96%", "88%", "92%", "60%", "94%", "85%", "40%"];

/** A page that is one text. `title` stands there until the text, which has its own, has come. */
export function Article({ name, title }: { name: TextName; title: string }) {
  const { data, isPending, refetch } = useQuery(textQuery(textPath(name)));
  return (
    <div className={`page ${css.column}`}>
      <BackButton />
      <article className={css.article}>
        {data ? (
          <Markdown text={data.text} />
        ) : (
          <>
            <h1>{title}</h1>
            {isPending ? (
              <div className={css.lines} role="status" aria-busy="true" aria-label="Loading…">
                {LINES.map((width) => (
                  <Skeleton key={width} width={width} />
                ))}
              </div>
            ) : (
              <ErrorState title="This text could not be loaded." onRetry={() => void refetch()} />
            )}
          </>
        )}
      </article>
    </div>
  );
}

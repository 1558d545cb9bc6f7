import { failureSentence } from "../../api/errors";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import css from "./moderation.module.css";

interface ShowMoreProps {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: () => unknown;
}

/** Loads the next page of a list. The button remains in place while a page loads, so that it keeps the focus. */
export function ShowMore({ list }: { list: ShowMoreProps }) {
  if (!list.hasNextPage) return null;
  return (
    <div className={css.more}>
      {list.isFetchNextPageError && <Alert tone="error">{failureSentence(list.error)}</Alert>}
      <Button onClick={() => !list.isFetchingNextPage && list.fetchNextPage()}>
        {list.isFetchingNextPage ? "Loading…" : "Show more"}
      </Button>
    </div>
  );
}

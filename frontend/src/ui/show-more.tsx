import { Alert } from "./alert";
import { Button } from "./button";
import css from "./show-more.module.css";

interface ShowMoreProps {
  list: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  /** Why the next page could not be loaded. */
  error: string | null;
}

/** Loads the next page of a list. The button remains in place while a page loads, so that it keeps the focus. */
export function ShowMore({ list, error }: ShowMoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <div className={css.more}>
      {error !== null && <Alert tone="error">{error}</Alert>}
      <Button onClick={() => !list.isFetchingNextPage && list.fetchNextPage()}>
        {list.isFetchingNextPage ? "Loading…" : "Show more"}
      </Button>
    </div>
  );
}

import { useInfiniteQuery } from "@tanstack/react-query";
import { commitsQuery } from "../api/commits";
import { ApiError } from "../api/errors";
import { CommitItem, CommitItemSkeleton } from "../features/commits/commit-item";
import { useLive } from "../features/live/use-live";
import { exact } from "../lib/numbers";
import { uniqBy } from "../lib/uniq-by";
import { BackButton } from "../ui/back-button";
import { LoadMore } from "../ui/load-more";
import { EmptyState, ErrorState } from "../ui/states";
import { useNewSince } from "../ui/use-new-since";
import { useNow } from "../ui/use-now";
import { useTitle } from "../ui/use-title";
import css from "./updates.module.css";

const LOAD_MORE_THRESHOLD_PX = 200;
/** Enough to fill a screen, so that the footer does not move. */
const SKELETON_ROWS = Array.from({ length: 14 }, (_, index) => index);

export default function Updates() {
  useTitle("Updates & Changes");
  useLive("commits");
  return (
    <div className="page">
      <BackButton />
      <header className={css.head}>
        <h1>Updates &amp; Changes</h1>
      </header>
      <Commits />
      <p className={css.footer}>Updates are automatically synced from our source repositories</p>
    </div>
  );
}

function Commits() {
  const feed = useInfiniteQuery(commitsQuery());
  const now = useNow();
  const commits = uniqBy(feed.data?.pages.flatMap((page) => page.commits) ?? [], (commit) => commit.id);
  const total = feed.data?.pages.at(-1)?.pagination?.total ?? commits.length;
  const isNew = useNewSince(commits.map((commit) => commit.id));
  const { error } = feed;
  if (feed.isPending) {
    return (
      <div className={css.skeleton}>
        <p role="status" className={css.loading}>
          Loading latest updates...
        </p>
        <ol role="list">
          {SKELETON_ROWS.map((index) => (
            <CommitItemSkeleton key={index} />
          ))}
        </ol>
      </div>
    );
  }
  if (!feed.data) return <ErrorState title={failure(error)} onRetry={() => void feed.refetch()} />;
  if (commits.length === 0) return <EmptyState title="No updates available at the moment." />;
  return (
    <>
      <ol role="list" aria-label="Commits">
        {commits.map((commit, index) => (
          <CommitItem key={commit.id} commit={commit} now={now} isNew={isNew(index)} />
        ))}
      </ol>
      <LoadMore
        threshold={LOAD_MORE_THRESHOLD_PX}
        hasMore={feed.hasNextPage}
        loading={feed.isFetchingNextPage}
        failed={feed.isFetchNextPageError}
        onMore={() => void feed.fetchNextPage()}
        loadingText="Loading more commits..."
        endText={`All ${exact(Math.max(total, commits.length))} commits loaded`}
      />
    </>
  );
}

/** Returns the page's text for an error. */
function failure(error: unknown): string {
  if (error instanceof ApiError && error.status >= 400) return `HTTP ${error.status}: Failed to fetch commits`;
  return "Failed to connect to the API.";
}

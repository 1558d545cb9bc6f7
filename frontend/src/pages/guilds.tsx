import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../api/errors";
import { BOARD_MAX_ROWS, boardTopic, guildBoardQuery, guildScore, topGuildsQuery } from "../api/leaderboard";
import { countsQuery } from "../api/patch";
import { GuildRow, GuildRowSkeleton, GuildTableHeader } from "../features/guilds/guild-row";
import { BoardControls } from "../features/leaderboard/board-controls";
import { endOfListText } from "../features/leaderboard/end-note";
import { metricOf } from "../features/leaderboard/metrics";
import { useBoardParams } from "../features/leaderboard/use-board-params";
import { useLive } from "../features/live/use-live";
import { exact } from "../lib/numbers";
import { uniqBy } from "../lib/uniq-by";
import { Button } from "../ui/button";
import { Counter } from "../ui/counter";
import { LoadMore } from "../ui/load-more";
import { METRICS, MetricLabel } from "../ui/metric";
import { EmptyState, ErrorState, Skeleton } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./leaderboard-page.module.css";

const NEAR_END_PX = 100;
const TOP = 20;
/** As the style sheet folds the list. */
const SHOWN_ON_PHONES = 5;
const TOP_TOPIC = boardTopic("guilds", { sortBy: "overall", window: "all" });
const FIRST_ROWS = Array.from({ length: 12 }, (_, index) => index);
const TOP_ROWS = Array.from({ length: TOP }, (_, index) => index);

export default function Guilds() {
  useTitle("Guild Rating");
  const { sortBy, window, setSortBy, setWindow } = useBoardParams();
  useLive("counts", TOP_TOPIC, boardTopic("guilds", { sortBy, window }));
  const metric = metricOf(sortBy);
  return (
    <div className="page">
      <header className={css.header}>
        <div>
          <h1>Guild Rating</h1>
          <p className="quiet">Top performing guilds ranked by various statistics</p>
        </div>
        <BoardControls
          sortBy={sortBy}
          window={window}
          onSortBy={setSortBy}
          onWindow={setWindow}
          overallLabel="Overall"
        />
      </header>
      <div className={css.columns}>
        <aside aria-label="Overview" className={css.side}>
          <Total />
          <Top />
        </aside>
        <section aria-label="Leaderboard">
          <GuildTableHeader label={METRICS[metric].label} />
          <Board key={`${sortBy} ${window}`} sortBy={sortBy} window={window} />
        </section>
      </div>
    </div>
  );
}

function Total() {
  const { data, isLoadingError } = useQuery(countsQuery());
  return (
    <div className={css.total}>
      <h2 className="label">Guilds tracked</h2>
      {data || isLoadingError ? (
        <Counter value={data?.orgs ?? 0} className={css.count} />
      ) : (
        <Skeleton height={44} width={180} />
      )}
    </div>
  );
}

function Top() {
  const { data, isLoadingError, error, refetch } = useQuery(topGuildsQuery("overall", TOP));
  const [all, setAll] = useState(false);
  return (
    <div className={css.top} data-folded={!all}>
      <h2 className={css.subtitle}>
        <MetricLabel metric="overall" label="Top 20 overall" />
      </h2>
      {isLoadingError && <ErrorState title={failure(error)} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className="quiet">No guild has a score yet.</p>}
      <ol role="list">
        {data?.map((row) => (
          <GuildRow key={row.org_short} row={row} value={guildScore(row, "overall")} metric="overall" compact />
        ))}
        {!data && !isLoadingError && TOP_ROWS.map((index) => <GuildRowSkeleton key={index} compact />)}
      </ol>
      {!all && data && data.length > SHOWN_ON_PHONES && (
        <Button size="small" className={css.showAll} onClick={() => setAll(true)}>
          Show all {data.length}
        </Button>
      )}
    </div>
  );
}

function Board({ sortBy, window }: Parameters<typeof guildBoardQuery>[0]) {
  const board = useInfiniteQuery(guildBoardQuery({ sortBy, window }));
  const { error } = board;
  if (board.isPending) {
    return (
      <>
        <p role="status" className="visually-hidden">
          Loading guilds...
        </p>
        <ol role="list">
          {FIRST_ROWS.map((index) => (
            <GuildRowSkeleton key={index} />
          ))}
        </ol>
      </>
    );
  }
  if (!board.data) return <ErrorState title={failure(error)} onRetry={() => void board.refetch()} />;
  const rows = uniqBy(
    board.data.pages.flatMap((page) => page.data),
    (row) => row.org_short,
  ).slice(0, BOARD_MAX_ROWS);
  const total = board.data.pages.at(-1)?.pagination?.total ?? rows.length;
  if (rows.length === 0) {
    return (
      <EmptyState title="No guilds here yet">
        <p>No guild has scored in this period. Try a longer period or another sort order.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <ol role="list" aria-label={`Guilds, ${exact(total)} in all`}>
        {rows.map((row) => (
          <GuildRow key={row.org_short} row={row} value={guildScore(row, sortBy)} metric={metricOf(sortBy)} />
        ))}
      </ol>
      <LoadMore
        threshold={NEAR_END_PX}
        // Guild paging ends with the first call that fails.
        hasMore={board.hasNextPage && !board.isFetchNextPageError}
        loading={board.isFetchingNextPage}
        onMore={() => void board.fetchNextPage()}
        loadingText="Loading more guilds..."
        endText={endOfListText("guilds", rows.length, total)}
      />
    </>
  );
}

/** The page's own text: no answer at all, or one that says no. */
function failure(error: unknown): string {
  return error instanceof ApiError && error.status === 0
    ? "Network error loading top guilds"
    : "Failed to load top guilds";
}

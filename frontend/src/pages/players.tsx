// The model of a page: the address holds sort and window, queries hold the data, live events patch them, parts draw.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ApiError } from "../api/errors";
import { BOARD_MAX_ROWS, boardTopic, playerBoardQuery, topPlayersQuery } from "../api/leaderboard";
import { countsQuery } from "../api/patch";
import { BoardControls } from "../features/leaderboard/board-controls";
import { endOfListText } from "../features/leaderboard/end-note";
import { metricOf } from "../features/leaderboard/metrics";
import { useBoardParams } from "../features/leaderboard/use-board-params";
import { useLive } from "../features/live/use-live";
import { PlayerRow, PlayerRowSkeleton, PlayerTableHeader } from "../features/players/player-row";
import { exact } from "../lib/numbers";
import { uniqBy } from "../lib/uniq-by";
import { Counter } from "../ui/counter";
import { LoadMore } from "../ui/load-more";
import { METRICS, MetricLabel } from "../ui/metric";
import { EmptyState, ErrorState, Skeleton } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./leaderboard-page.module.css";

const NEAR_END_PX = 200;
const TOP_TOPIC = boardTopic("players", { sortBy: "overall", window: "all" });
const FIRST_ROWS = Array.from({ length: 12 }, (_, index) => index);
const TOP_ROWS = FIRST_ROWS.slice(0, 5);

export default function Players() {
  useTitle("Player rating");
  const { sortBy, window, setSortBy, setWindow } = useBoardParams();
  useLive("counts", TOP_TOPIC, boardTopic("players", { sortBy, window }));
  const metric = metricOf(sortBy);
  return (
    <div className="page">
      <header className={css.header}>
        <div>
          <h1>Player rating</h1>
          <p className="quiet">Top performing players ranked by various statistics</p>
        </div>
        <BoardControls sortBy={sortBy} window={window} onSortBy={setSortBy} onWindow={setWindow} />
      </header>
      <div className={css.columns}>
        <aside aria-label="Overview" className={css.side}>
          <Total />
          <Top />
        </aside>
        <section aria-label="Leaderboard">
          <PlayerTableHeader label={METRICS[metric].label} />
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
      <h2 className="label">Players found</h2>
      {data || isLoadingError ? (
        <Counter value={data?.players ?? 0} className={css.count} />
      ) : (
        <Skeleton height={44} width={180} />
      )}
    </div>
  );
}

function Top() {
  const { data, isLoadingError, error, refetch } = useQuery(topPlayersQuery("overall", 5));
  return (
    <div className={css.top}>
      <h2 className={css.subtitle}>
        <MetricLabel metric="overall" label="Top 5 overall" />
      </h2>
      {isLoadingError && <ErrorState title={failure(error)} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className="quiet">No player has a score yet.</p>}
      <ol role="list">
        {data?.map((row) => (
          <PlayerRow key={row.handle} row={row} sortBy="overall" metric="overall" compact />
        ))}
        {!data && !isLoadingError && TOP_ROWS.map((index) => <PlayerRowSkeleton key={index} compact />)}
      </ol>
    </div>
  );
}

function Board({ sortBy, window }: Parameters<typeof playerBoardQuery>[0]) {
  const board = useInfiniteQuery(playerBoardQuery({ sortBy, window }));
  const { error } = board;
  if (board.isPending) {
    return (
      <>
        <p role="status" className="visually-hidden">
          Loading players...
        </p>
        <ol role="list">
          {FIRST_ROWS.map((index) => (
            <PlayerRowSkeleton key={index} />
          ))}
        </ol>
      </>
    );
  }
  if (!board.data) return <ErrorState title={failure(error)} onRetry={() => void board.refetch()} />;
  const rows = uniqBy(
    board.data.pages.flatMap((page) => page.players),
    (row) => row.handle,
  ).slice(0, BOARD_MAX_ROWS);
  const total = board.data.pages.at(-1)?.pagination.total ?? rows.length;
  if (rows.length === 0) {
    return (
      <EmptyState title="No players here yet">
        <p>No player has scored in this period. Try a longer period or another sort order.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <ol role="list" aria-label={`Players, ${exact(total)} in all`}>
        {rows.map((row) => (
          <PlayerRow key={row.handle} row={row} sortBy={sortBy} metric={metricOf(sortBy)} />
        ))}
      </ol>
      <LoadMore
        threshold={NEAR_END_PX}
        hasMore={board.hasNextPage}
        loading={board.isFetchingNextPage}
        failed={board.isFetchNextPageError}
        onMore={() => void board.fetchNextPage()}
        loadingText="Loading more players..."
        endText={endOfListText("players", rows.length, total)}
      />
    </>
  );
}

/** The page's own text: no answer at all, or one that says no. */
function failure(error: unknown): string {
  return error instanceof ApiError && error.status === 0 ? "Network error loading players" : "Failed to load players";
}

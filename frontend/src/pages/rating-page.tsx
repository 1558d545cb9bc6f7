// The rating page of players or guilds: total count, top list and leaderboard. `players.tsx` and `guilds.tsx` define its two variants.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ComponentType, useState } from "react";
import { ApiError } from "../api/errors";
import { BOARD_MAX_ROWS, type Board, boardTopic } from "../api/leaderboard";
import { openingSort } from "../api/opening";
import { countsQuery } from "../api/patch";
import type { Counts, Metric } from "../api/types";
import { BoardControls } from "../features/leaderboard/board-controls";
import { endOfListText } from "../features/leaderboard/end-note";
import { metricOf } from "../features/leaderboard/metrics";
import { useBoardParams } from "../features/leaderboard/use-board-params";
import { WhyCareer } from "../features/leaderboard/why-career";
import { useLive } from "../features/live/use-live";
import { exact } from "../lib/numbers";
import { uniqBy } from "../lib/uniq-by";
import { Button } from "../ui/button";
import { Counter } from "../ui/counter";
import { LoadMore } from "../ui/load-more";
import { METRICS, MetricLabel, type MetricName } from "../ui/metric";
import { EmptyState, ErrorState, Skeleton } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./rating-page.module.css";

const SKELETON_ROWS = Array.from({ length: 12 }, (_, index) => index);
/** The top list shows this many rows on phones until it is expanded, as in the style sheet. */
const TOP_ROWS_ON_PHONES = 5;

/** A leaderboard that loads in pages. */
export interface PagedBoard<Row> {
  /** The rows of all loaded pages; undefined until the first has loaded. */
  rows: Row[] | undefined;
  total: number | undefined;
  error: Error | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
}

export interface RatingDefinition<Row> {
  noun: "players" | "guilds";
  title: string;
  subtitle: string;
  /** The subject of error messages: `Failed to load players`. */
  errorNoun: string;
  count: { title: string; of: (counts: Counts) => number };
  /** The label of the overall score, if it differs. */
  overallLabel?: string;
  top: { rows: number; emptyText: string; useRows: (sortBy: Metric) => UseQueryResult<Row[]> };
  board: {
    /** Distance from the end at which the next page loads, in pixels. */
    threshold: number;
    /** A failed page offers a retry; otherwise the list ends there. */
    retriesPages: boolean;
    emptyText: string;
    useRows: (board: Board) => PagedBoard<Row>;
  };
  keyOf: (row: Row) => string;
  Header: ComponentType<{ label: string }>;
  Row: ComponentType<{ row: Row; sortBy: Metric; metric: MetricName; compact?: boolean }>;
  RowSkeleton: ComponentType<{ compact?: boolean }>;
}

interface PartProps<Row> {
  definition: RatingDefinition<Row>;
}

export function RatingPage<Row>({ definition }: PartProps<Row>) {
  const { noun, title, subtitle, overallLabel, Header } = definition;
  useTitle(title);
  const { sortBy, window, setSortBy, setWindow } = useBoardParams();
  const topTopic = boardTopic(noun, { sortBy: openingSort(), window: "all" });
  useLive("counts", topTopic, boardTopic(noun, { sortBy, window }));
  return (
    <div className="page">
      <header className={css.header}>
        <div>
          <h1>{title}</h1>
          <p className="quiet">{subtitle}</p>
        </div>
        <BoardControls
          sortBy={sortBy}
          window={window}
          onSortBy={setSortBy}
          onWindow={setWindow}
          overallLabel={overallLabel}
        />
        <WhyCareer />
      </header>
      <div className={css.columns}>
        <aside aria-label="Overview" className={css.side}>
          <Total definition={definition} />
          <TopList definition={definition} />
        </aside>
        <section aria-label="Leaderboard">
          <Header label={METRICS[metricOf(sortBy)].label} />
          <Leaderboard key={`${sortBy} ${window}`} definition={definition} sortBy={sortBy} window={window} />
        </section>
      </div>
    </div>
  );
}

function Total<Row>({ definition: { count } }: PartProps<Row>) {
  const { data, isLoadingError } = useQuery(countsQuery());
  return (
    <div className={css.total}>
      <h2 className="label">{count.title}</h2>
      {data || isLoadingError ? (
        <Counter value={data ? count.of(data) : 0} className={css.count} />
      ) : (
        <Skeleton height={44} width={180} />
      )}
    </div>
  );
}

function TopList<Row>({ definition }: PartProps<Row>) {
  const { top, errorNoun, keyOf, Row, RowSkeleton } = definition;
  const sortBy = openingSort();
  const { data, isLoadingError, error, refetch } = top.useRows(sortBy);
  const [isExpanded, setExpanded] = useState(false);
  const skeletons = Array.from({ length: top.rows }, (_, index) => index);
  return (
    <div className={css.top} data-folded={!isExpanded}>
      <h2 className={css.subtitle}>
        <MetricLabel metric={sortBy} label={`Top ${top.rows} ${sortBy === "career" ? "by career" : "overall"}`} />
      </h2>
      {isLoadingError && <ErrorState title={errorTitle(errorNoun, error)} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className="quiet">{top.emptyText}</p>}
      <ol role="list">
        {data?.map((row) => (
          <Row key={keyOf(row)} row={row} sortBy={sortBy} metric={sortBy} compact />
        ))}
        {!data && !isLoadingError && skeletons.map((index) => <RowSkeleton key={index} compact />)}
      </ol>
      {!isExpanded && data && data.length > TOP_ROWS_ON_PHONES && (
        <Button size="small" className={css.showAll} onClick={() => setExpanded(true)}>
          Show all {data.length}
        </Button>
      )}
    </div>
  );
}

function Leaderboard<Row>({ definition, ...board }: PartProps<Row> & Board) {
  const { noun, keyOf, Row, RowSkeleton } = definition;
  const { threshold, retriesPages, emptyText, useRows } = definition.board;
  const query = useRows(board);
  if (!query.rows && query.error) {
    const title = errorTitle(definition.errorNoun, query.error);
    return <ErrorState title={title} onRetry={() => void query.refetch()} />;
  }
  if (!query.rows) {
    return (
      <>
        <p role="status" className="visually-hidden">
          Loading {noun}...
        </p>
        <ol role="list">
          {SKELETON_ROWS.map((index) => (
            <RowSkeleton key={index} />
          ))}
        </ol>
      </>
    );
  }
  const rows = uniqBy(query.rows, keyOf).slice(0, BOARD_MAX_ROWS);
  const total = query.total ?? rows.length;
  if (rows.length === 0) {
    return (
      <EmptyState title={`No ${noun} here yet`}>
        <p>{emptyText}</p>
      </EmptyState>
    );
  }
  const capitalized = noun === "players" ? "Players" : "Guilds";
  return (
    <>
      <ol role="list" aria-label={`${capitalized}, ${exact(total)} in all`}>
        {rows.map((row) => (
          <Row key={keyOf(row)} row={row} sortBy={board.sortBy} metric={metricOf(board.sortBy)} />
        ))}
      </ol>
      <LoadMore
        threshold={threshold}
        hasMore={query.hasNextPage && (retriesPages || !query.isFetchNextPageError)}
        loading={query.isFetchingNextPage}
        failed={retriesPages && query.isFetchNextPageError}
        onMore={() => void query.fetchNextPage()}
        loadingText={`Loading more ${noun}...`}
        endText={endOfListText(noun, rows.length, total)}
      />
    </>
  );
}

/** Returns the page's text for an error: no response, or an error response. */
function errorTitle(noun: string, error: unknown): string {
  return error instanceof ApiError && error.status === 0 ? `Network error loading ${noun}` : `Failed to load ${noun}`;
}

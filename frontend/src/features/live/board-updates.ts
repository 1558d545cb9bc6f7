// Applies `board` events to cached leaderboards.
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import {
  BOARD_MAX_ROWS,
  BOARD_PAGE_ROWS,
  boardTopic,
  type GuildBoardPage,
  type PlayerBoardPage,
} from "../../api/leaderboard";
import type { BoardWindow, Pagination } from "../../api/list-params";
import type { BoardChanged } from "../../api/live-types";
import type { GuildRow, Metric, PlayerRow } from "../../api/types";

type Row = { rank: number | null };
type Pages = InfiniteData<{ pagination?: Pagination }>;

/** How the caches of player and guild leaderboards differ. */
interface BoardKind<R extends Row> {
  noun: "players" | "guilds";
  top: "top-players" | "top-guilds";
  field: keyof PlayerBoardPage | keyof GuildBoardPage;
  key: (row: R) => string;
}

const PLAYERS: BoardKind<PlayerRow> = {
  noun: "players",
  top: "top-players",
  field: "players",
  key: (row) => row.handle,
};
const GUILDS: BoardKind<GuildRow> = { noun: "guilds", top: "top-guilds", field: "data", key: (row) => row.org_short };

export function applyBoardChange(cache: QueryClient, change: BoardChanged): void {
  if (change.topic.startsWith("board:players:")) applyTo(cache, PLAYERS, change as Change<PlayerRow>);
  else applyTo(cache, GUILDS, change as Change<GuildRow>);
}

type Change<R> = Omit<BoardChanged, "rows"> & { rows: R[] };

function applyTo<R extends Row>(cache: QueryClient, noun: BoardKind<R>, change: Change<R>): void {
  for (const [queryKey, rows] of cache.getQueriesData<R[]>({ queryKey: ["leaderboard", noun.top] })) {
    const { sortBy, limit } = queryKey[2] as { sortBy: Metric; limit: number };
    if (rows && boardTopic(noun.noun, { sortBy, window: "all" }) === change.topic) {
      cache.setQueryData(queryKey, mergeRows(rows, noun, change).slice(0, limit));
    }
  }
  for (const [queryKey, known] of cache.getQueriesData<Pages>({ queryKey: ["leaderboard", noun.noun] })) {
    const { sortBy, window, order } = queryKey[2] as { sortBy: Metric; window: BoardWindow; order: string };
    // The first rows of an ascending leaderboard are not part of any topic.
    if (!known || order !== "desc" || boardTopic(noun.noun, { sortBy, window }) !== change.topic) continue;
    cache.setQueryData(queryKey, { ...known, pages: mergePages(known.pages, noun, change) });
  }
}

/** Returns the loaded pages with the updated rows. */
function mergePages<R extends Row>(known: Pages["pages"], noun: BoardKind<R>, change: Change<R>): Pages["pages"] {
  const rows = mergeRows(
    known.flatMap((page) => rowsOf(page, noun)),
    noun,
    change,
  ).slice(0, BOARD_MAX_ROWS);
  const { total } = change;
  return known.map((page, index) => {
    const { pagination } = page;
    return {
      ...page,
      [noun.field]: rows.slice(index * BOARD_PAGE_ROWS, (index + 1) * BOARD_PAGE_ROWS),
      pagination: pagination && { ...pagination, total, hasNextPage: (index + 1) * BOARD_PAGE_ROWS < total },
    };
  });
}

const rowsOf = <R extends Row>(page: object, { field }: BoardKind<R>) => (page as Record<string, R[]>)[field] ?? [];

/** Returns the rows by rank, then by name ignoring case. */
function mergeRows<R extends Row>(known: readonly R[], { key }: BoardKind<R>, change: Change<R>): R[] {
  if (change.is_snapshot) return change.rows;
  const rows = new Map(known.map((row) => [key(row), row]));
  for (const key of change.removed) rows.delete(key);
  for (const row of change.rows) rows.set(key(row), row);
  const fold = (row: R) => key(row).toLowerCase();
  return [...rows.values()].sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || (fold(a) < fold(b) ? -1 : 1));
}

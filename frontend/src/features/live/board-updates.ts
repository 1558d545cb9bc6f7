// How a board's live rows come into the boards that were read: the rows that changed take their places, in the order of the
// server. Called by `live-updates.ts`; it never asks the server.
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

/** What tells the boards of players from those of guilds. */
interface Noun<R extends Row> {
  noun: "players" | "guilds";
  top: "top-players" | "top-guilds";
  field: keyof PlayerBoardPage | keyof GuildBoardPage;
  key: (row: R) => string;
}

const PLAYERS: Noun<PlayerRow> = { noun: "players", top: "top-players", field: "players", key: (row) => row.handle };
const GUILDS: Noun<GuildRow> = { noun: "guilds", top: "top-guilds", field: "data", key: (row) => row.org_short };

export function changeBoard(cache: QueryClient, change: BoardChanged): void {
  if (change.topic.startsWith("board:players:")) apply(cache, PLAYERS, change as Change<PlayerRow>);
  else apply(cache, GUILDS, change as Change<GuildRow>);
}

type Change<R> = Omit<BoardChanged, "rows"> & { rows: R[] };

function apply<R extends Row>(cache: QueryClient, noun: Noun<R>, change: Change<R>): void {
  for (const [queryKey, rows] of cache.getQueriesData<R[]>({ queryKey: ["leaderboard", noun.top] })) {
    const { sortBy, limit } = queryKey[2] as { sortBy: Metric; limit: number };
    if (rows && boardTopic(noun.noun, { sortBy, window: "all" }) === change.topic) {
      cache.setQueryData(queryKey, merged(rows, noun, change).slice(0, limit));
    }
  }
  for (const [queryKey, known] of cache.getQueriesData<Pages>({ queryKey: ["leaderboard", noun.noun] })) {
    const { sortBy, window, order } = queryKey[2] as { sortBy: Metric; window: BoardWindow; order: string };
    // Turned round, a board begins with rows that no topic carries.
    if (!known || order !== "desc" || boardTopic(noun.noun, { sortBy, window }) !== change.topic) continue;
    cache.setQueryData(queryKey, { ...known, pages: paged(known.pages, noun, change) });
  }
}

/** As many pages as were loaded, with the rows that are now theirs. */
function paged<R extends Row>(known: Pages["pages"], noun: Noun<R>, change: Change<R>): Pages["pages"] {
  const rows = merged(
    known.flatMap((page) => rowsOf(page, noun)),
    noun,
    change,
  ).slice(0, BOARD_MAX_ROWS);
  const { total } = change;
  return known.map((page, at) => {
    const { pagination } = page;
    return {
      ...page,
      [noun.field]: rows.slice(at * BOARD_PAGE_ROWS, (at + 1) * BOARD_PAGE_ROWS),
      pagination: pagination && { ...pagination, total, hasNextPage: (at + 1) * BOARD_PAGE_ROWS < total },
    };
  });
}

const rowsOf = <R extends Row>(page: object, { field }: Noun<R>) => (page as Record<string, R[]>)[field] ?? [];

/** The rows in order: by rank, those that share one by name without case. */
function merged<R extends Row>(known: readonly R[], { key }: Noun<R>, change: Change<R>): R[] {
  if (change.is_snapshot) return change.rows;
  const rows = new Map(known.map((row) => [key(row), row]));
  for (const gone of change.removed) rows.delete(gone);
  for (const row of change.rows) rows.set(key(row), row);
  const fold = (row: R) => key(row).toLowerCase();
  return [...rows.values()].sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || (fold(a) < fold(b) ? -1 : 1));
}

// Leaderboards of players and guilds. Keys: `["leaderboard", "players" | "guilds" | "top-…", …]`.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import type { BoardWindow, Pagination, SortOrder } from "./list-params";
import type { GuildRow, Metric, PlayerRow } from "./types";

export const BOARD_PAGE_ROWS = 30;
export const BOARD_MAX_ROWS = 100;

export const METRICS: readonly Metric[] = [
  "overall",
  "pu_player_kills",
  "pve_kills",
  "vehicle_destructions",
  "missions_completed",
  "playtime",
  "career",
  "ships_flown",
];

export interface Board {
  sortBy: Metric;
  window: BoardWindow;
  order?: SortOrder;
}

/** Returns the live topic of a board's top 100. */
export const boardTopic = (noun: "players" | "guilds", { sortBy, window }: Board) =>
  `board:${noun}:${sortBy}${window === "all" ? "" : `:${window}`}`;

export const topPlayersQuery = (sortBy: Metric = "overall", limit = 5) =>
  queryOptions({
    queryKey: ["leaderboard", "top-players", { sortBy, limit }],
    queryFn: async ({ signal }) =>
      (await call<{ players: PlayerRow[] }>("/api/players/top", { query: { sortBy, limit }, signal })).players,
  });

export const topGuildsQuery = (sortBy: Metric = "overall", limit = 5) =>
  queryOptions({
    queryKey: ["leaderboard", "top-guilds", { sortBy, limit }],
    queryFn: async ({ signal }) =>
      (
        await call<{ data: GuildRow[] }>("/api/guilds/leaderboard", {
          query: { limit, offset: 0, sortBy, sortOrder: "desc" },
          signal,
        })
      ).data,
  });

export interface PlayerBoardPage {
  players: PlayerRow[];
  pagination: Pagination;
}

export const playerBoardQuery = ({ sortBy, window, order = "desc" }: Board) =>
  infiniteQueryOptions({
    queryKey: ["leaderboard", "players", { sortBy, window, order }],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      call<PlayerBoardPage>("/api/players/leaderboard", {
        query: { sortBy, order, page: pageParam, limit: BOARD_PAGE_ROWS, window },
        signal,
      }),
    getNextPageParam: (last, pages) =>
      last.pagination.hasNextPage && pages.length * BOARD_PAGE_ROWS < BOARD_MAX_ROWS ? pages.length + 1 : undefined,
  });

export interface GuildBoardPage {
  data: GuildRow[];
  pagination?: Pagination;
}

export const guildBoardQuery = ({ sortBy, window, order = "desc" }: Board) =>
  infiniteQueryOptions({
    queryKey: ["leaderboard", "guilds", { sortBy, window, order }],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      call<GuildBoardPage>("/api/guilds/leaderboard", {
        query: { limit: BOARD_PAGE_ROWS, offset: pageParam, sortBy, sortOrder: order, window },
        signal,
      }),
    getNextPageParam: (last, pages) =>
      last.data.length < BOARD_PAGE_ROWS || pages.length * BOARD_PAGE_ROWS >= BOARD_MAX_ROWS
        ? undefined
        : pages.length * BOARD_PAGE_ROWS,
  });

/** Returns the value of a guild's row that a sort key refers to. */
export function guildScore(row: GuildRow, sortBy: Metric): number {
  if (sortBy === "pve_kills") return row.pu_npc_kills;
  if (sortBy === "vehicle_destructions") return row.pu_vehicle_destruction_caused;
  return row[sortBy] ?? 0;
}

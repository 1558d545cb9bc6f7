import { type QueryClient, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type Board, playerBoardQuery, topPlayersQuery } from "../api/leaderboard";
import { openingSort } from "../api/opening";
import { countsQuery } from "../api/patch";
import { stickersQuery } from "../api/stickers";
import type { PlayerRow as Player } from "../api/types";
import { boardOf } from "../features/leaderboard/use-board-params";
import { PlayerRow, PlayerRowSkeleton, PlayerTableHeader } from "../features/players/player-row";
import { type PagedBoard, type RatingDefinition, RatingPage } from "./rating-page";

const TOP_ROWS = 5;

const PLAYERS: RatingDefinition<Player> = {
  noun: "players",
  title: "Player rating",
  subtitle: "Top performing players ranked by various statistics",
  errorNoun: "players",
  count: { title: "Players found", of: (counts) => counts.players },
  top: {
    rows: TOP_ROWS,
    emptyText: "No player has a score yet.",
    useRows: (sortBy) => useQuery(topPlayersQuery(sortBy, TOP_ROWS)),
  },
  board: {
    threshold: 200,
    retriesPages: true,
    emptyText: "No player has scored in this period. Try a longer period or another sort order.",
    useRows: usePlayerBoard,
  },
  keyOf: (row) => row.handle,
  Header: PlayerTableHeader,
  Row: PlayerRow,
  RowSkeleton: PlayerRowSkeleton,
};

function usePlayerBoard(board: Board): PagedBoard<Player> {
  const query = useInfiniteQuery(playerBoardQuery(board));
  const pages = query.data?.pages;
  return { ...query, rows: pages?.flatMap((page) => page.players), total: pages?.at(-1)?.pagination.total };
}

export function prefetch(cache: QueryClient) {
  void cache.prefetchInfiniteQuery(playerBoardQuery(boardOf(new URLSearchParams(window.location.search))));
  void cache.prefetchQuery(topPlayersQuery(openingSort(), TOP_ROWS));
  void cache.prefetchQuery(countsQuery());
  void cache.prefetchQuery(stickersQuery());
}

export default function Players() {
  return <RatingPage definition={PLAYERS} />;
}

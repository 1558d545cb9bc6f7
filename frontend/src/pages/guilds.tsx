import { type QueryClient, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type Board, guildBoardQuery, guildScore, topGuildsQuery } from "../api/leaderboard";
import { openingSort } from "../api/opening";
import { countsQuery } from "../api/patch";
import type { GuildRow as Guild } from "../api/types";
import { GuildRow, GuildRowSkeleton, GuildTableHeader } from "../features/guilds/guild-row";
import { boardOf } from "../features/leaderboard/use-board-params";
import { type PagedBoard, type RatingDefinition, RatingPage } from "./rating-page";

const TOP_ROWS = 20;

const GUILDS: RatingDefinition<Guild> = {
  noun: "guilds",
  title: "Guild Rating",
  subtitle: "Top performing guilds ranked by various statistics",
  errorNoun: "top guilds",
  count: { title: "Guilds tracked", of: (counts) => counts.orgs },
  overallLabel: "Overall",
  top: {
    rows: TOP_ROWS,
    emptyText: "No guild has a score yet.",
    useRows: (sortBy) => useQuery(topGuildsQuery(sortBy, TOP_ROWS)),
  },
  board: {
    threshold: 100,
    retriesPages: false,
    emptyText: "No guild has scored in this period. Try a longer period or another sort order.",
    useRows: useGuildBoard,
  },
  keyOf: (row) => row.org_short,
  Header: GuildTableHeader,
  Row: ({ row, sortBy, ...rest }) => <GuildRow row={row} value={guildScore(row, sortBy)} {...rest} />,
  RowSkeleton: GuildRowSkeleton,
};

function useGuildBoard(board: Board): PagedBoard<Guild> {
  const query = useInfiniteQuery(guildBoardQuery(board));
  const pages = query.data?.pages;
  return { ...query, rows: pages?.flatMap((page) => page.data), total: pages?.at(-1)?.pagination?.total };
}

export function prefetch(cache: QueryClient) {
  void cache.prefetchInfiniteQuery(guildBoardQuery(boardOf(new URLSearchParams(window.location.search))));
  void cache.prefetchQuery(topGuildsQuery(openingSort(), TOP_ROWS));
  void cache.prefetchQuery(countsQuery());
}

export default function Guilds() {
  return <RatingPage definition={GUILDS} />;
}

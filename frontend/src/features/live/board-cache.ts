// How live figures come into boards: a row whose figure changed is put in its new place among the rows that are there.
// Who is not on a board only the server knows, so what scores also has boards read again, seldom. Called by `patch-cache.ts`.
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { type GuildBoardPage, guildScore, type PlayerBoardPage } from "../../api/leaderboard";
import type { ActivityRow, GuildRow, Metric, PlayerRow } from "../../api/types";
import type { GuildChanged, PlayerChanged } from "../../api/undescribed";

/** Boards are read again this long after something scored, and not more often than this. */
const READ_AGAIN_MS = 10_000;

const timers = new WeakMap<QueryClient, ReturnType<typeof setTimeout>>();

/** Has the boards on screen read again soon, if any of the rows scores. */
export function scored(cache: QueryClient, rows: readonly ActivityRow[]): void {
  if (timers.has(cache) || !rows.some(scores)) return;
  // Not all readers at once.
  const wait = READ_AGAIN_MS * (0.5 + Math.random() / 2);
  timers.set(
    cache,
    setTimeout(() => {
      timers.delete(cache);
      if (!document.hidden) void cache.invalidateQueries({ queryKey: ["leaderboard"] });
      else void cache.invalidateQueries({ queryKey: ["leaderboard"], refetchType: "none" });
    }, wait),
  );
}

const scores = (row: ActivityRow) => /kill|destruction|^mission_complete|^log(in|out)$/.test(row.identifier ?? "");

/** Writes what changed of a player into every board that has the row. */
export function changePlayerRows(cache: QueryClient, change: PlayerChanged): void {
  const handle = change.handle.toLowerCase();
  const is = (row: PlayerRow) => row.handle.toLowerCase() === handle;
  const figures = figuresOf(change);
  const value = (row: PlayerRow, sortBy: Metric) => row[sortBy];
  const name = (row: PlayerRow) => row.handle;
  changeTop<PlayerRow>(cache, "top-players", { is, figures, value, name });
  changeBoard<PlayerRow, PlayerBoardPage>(cache, "players", "players", { is, figures, value, name });
}

/** The same for a guild. */
export function changeGuildRows(cache: QueryClient, change: GuildChanged): void {
  const tag = change.short.toUpperCase();
  const is = (row: GuildRow) => row.org_short.toUpperCase() === tag;
  const { short, ...figures } = change;
  const name = (row: GuildRow) => row.org_short;
  changeTop<GuildRow>(cache, "top-guilds", { is, figures, value: guildScore, name });
  changeBoard<GuildRow, GuildBoardPage>(cache, "guilds", "data", { is, figures, value: guildScore, name });
}

interface Change<Row> {
  is: (row: Row) => boolean;
  figures: Partial<Row>;
  value: (row: Row, sortBy: Metric) => number;
  name: (row: Row) => string;
}

function changeTop<Row extends { rank: number | null }>(cache: QueryClient, verb: string, change: Change<Row>): void {
  for (const [key, rows] of cache.getQueriesData<Row[]>({ queryKey: ["leaderboard", verb] })) {
    const { sortBy } = key[2] as { sortBy: Metric };
    if (rows?.some(change.is)) cache.setQueryData(key, ordered(rows, sortBy, "desc", change));
  }
}

function changeBoard<Row extends { rank: number | null }, Page extends object>(
  cache: QueryClient,
  verb: string,
  field: keyof Page,
  change: Change<Row>,
): void {
  for (const [key, known] of cache.getQueriesData<InfiniteData<Page>>({ queryKey: ["leaderboard", verb] })) {
    const { sortBy, window, order } = key[2] as { sortBy: Metric; window: string; order: string };
    // Windows count something else than the totals an event carries.
    if (!known || window !== "all") continue;
    const all = known.pages.flatMap((page) => page[field] as Row[]);
    if (!all.some(change.is)) continue;
    const rows = ordered(all, sortBy, order, change);
    let from = 0;
    const pages = known.pages.map((page) => {
      const count = (page[field] as Row[]).length;
      from += count;
      return { ...page, [field]: rows.slice(from - count, from) };
    });
    cache.setQueryData(key, { ...known, pages });
  }
}

/** The rows with the change, in order, ranked anew: equal scores share a rank, ties stand by name without case. */
function ordered<Row extends { rank: number | null }>(
  rows: readonly Row[],
  sortBy: Metric,
  order: string,
  { is, figures, value, name }: Change<Row>,
): Row[] {
  const sign = order === "asc" ? 1 : -1;
  const fold = (row: Row) => name(row).toLowerCase();
  const sorted = rows
    .map((row) => (is(row) ? { ...row, ...figures } : row))
    .sort((a, b) => sign * (value(a, sortBy) - value(b, sortBy)) || (fold(a) < fold(b) ? -1 : 1));
  // Turned round, the ranks of a board depend on what is not loaded.
  if (order === "asc") return sorted;
  let rank = 0;
  return sorted.map((row, at) => {
    const before = sorted[at - 1];
    if (!before || value(before, sortBy) !== value(row, sortBy)) rank = at + 1;
    return row.rank === rank ? row : { ...row, rank };
  });
}

/** The figures that a board row shares with a profile. */
function figuresOf(change: PlayerChanged): Partial<PlayerRow> {
  const { overall, pu_player_kills, pve_kills, vehicle_destructions, missions_completed, playtime, last_active } =
    change;
  return { overall, pu_player_kills, pve_kills, vehicle_destructions, missions_completed, playtime, last_active };
}

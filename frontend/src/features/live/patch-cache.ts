// How live events change what the query cache holds; the one place where they do. Called by `use-live.ts`. It writes
// to the cache alone and never asks the server, but for `reset` and for boards, whose order only the server knows.
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { ActivityPage } from "../../api/activity";
import { filterOf } from "../../api/activity-filter";
import type { CommitPage } from "../../api/commits";
import type { LiveEvent } from "../../api/live";
import type {
  ActivityFilter,
  ActivityRow,
  CommitRow,
  Counts,
  GuildView,
  PatchView,
  PlayerRow,
  PlayerView,
} from "../../api/types";

/** A feed on screen keeps no more rows in its first page than this. */
const FIRST_PAGE_MAX = 200;

export function patchCache(cache: QueryClient, events: readonly LiveEvent[]): void {
  if (events.some((event) => event.name === "reset")) {
    void cache.invalidateQueries();
    return;
  }
  // A thousand events in a frame are one write per query: the last figure wins, rows are added together.
  const last = (name: LiveEvent["name"]) => events.findLast((event) => event.name === name)?.data;
  const counts = last("counts") as Counts | undefined;
  if (counts) cache.setQueryData(["patch", "counts"], { players: counts.players, orgs: counts.orgs });
  const patch = last("patch") as PatchView | undefined;
  if (patch) cache.setQueryData(["patch", "current"], patch);
  const commits = events.filter((event) => event.name === "commit").map((event) => event.data as CommitRow);
  if (commits.length > 0) addCommits(cache, commits);
  const rows = events.filter((event) => event.name === "activity").map((event) => event.data as ActivityRow);
  if (rows.length > 0) addActivity(cache, rows);
  for (const event of events) {
    if (event.name === "player") changePlayer(cache, event.data as Partial<PlayerView> & { handle: string });
    if (event.name === "guild") changeGuild(cache, event.data as Partial<GuildView> & { short: string });
  }
}

function addCommits(cache: QueryClient, commits: CommitRow[]): void {
  cache.setQueryData<InfiniteData<CommitPage>>(["commits", "list"], (known) => {
    const [first, ...rest] = known?.pages ?? [];
    if (!known || !first) return known;
    const ids = new Set(known.pages.flatMap((page) => page.commits.map((commit) => commit.id)));
    const fresh = commits.filter((commit) => !ids.has(commit.id)).reverse();
    if (fresh.length === 0) return known;
    const pagination = { ...first.pagination, total: first.pagination.total + fresh.length };
    return { ...known, pages: [{ commits: [...fresh, ...first.commits], pagination }, ...rest] };
  });
}

function addActivity(cache: QueryClient, rows: ActivityRow[]): void {
  for (const [key, known] of cache.getQueriesData<InfiniteData<ActivityPage>>({ queryKey: ["activity"] })) {
    const [, kind, whose, filter] = key as [string, string, string, ActivityFilter | null];
    const [first, ...rest] = known?.pages ?? [];
    if (!known || !first || kind === "event") continue;
    const ids = new Set(first.data.map((row) => row.id));
    const fresh = rows
      .filter((row) => !ids.has(row.id) && belongs(row, kind, whose) && (filter === null || filterOf(row) === filter))
      .reverse();
    if (fresh.length === 0) continue;
    cache.setQueryData(key, {
      ...known,
      pages: [{ ...first, data: [...fresh, ...first.data].slice(0, FIRST_PAGE_MAX) }, ...rest],
    });
  }
}

/** Whether a row belongs to a feed. A guild's rows name their guilds in `orgs`. */
function belongs(row: ActivityRow & { orgs?: string[] }, kind: string, whose: string): boolean {
  if (kind === "all") return true;
  if (kind === "guild") return row.orgs?.includes(whose) ?? false;
  return [row.killer, row.victim, row.player_name].some((name) => name?.toLowerCase() === whose);
}

function changePlayer(cache: QueryClient, change: Partial<PlayerView> & { handle: string }): void {
  const handle = change.handle.toLowerCase();
  cache.setQueryData<PlayerView>(
    ["players", "profile", handle],
    (known) => known && { ...known, ...change, game_stats: { ...known.game_stats, ...change.game_stats } },
  );
  const patched = (rows: PlayerRow[]) =>
    rows.map((row) => (row.handle.toLowerCase() === handle ? { ...row, ...pick(change) } : row));
  for (const [key, rows] of cache.getQueriesData<PlayerRow[]>({ queryKey: ["leaderboard", "top-players"] })) {
    if (rows?.some((row) => row.handle.toLowerCase() === handle)) cache.setQueryData(key, patched(rows));
  }
  for (const [key, known] of cache.getQueriesData<InfiniteData<{ players: PlayerRow[] }>>({
    queryKey: ["leaderboard", "players"],
  })) {
    const { window } = key[2] as { window: string };
    // Windows count something else than the totals an event carries.
    if (!known || window !== "all") continue;
    if (!known.pages.some((page) => page.players.some((row) => row.handle.toLowerCase() === handle))) continue;
    cache.setQueryData(key, {
      ...known,
      pages: known.pages.map((page) => ({ ...page, players: patched(page.players) })),
    });
  }
}

/** The figures that a board row shares with a profile. */
function pick(change: Partial<PlayerView>): Partial<PlayerRow> {
  const { overall, pve_kills, vehicle_destructions, missions_completed, playtime, last_active, game_stats } = change;
  const all = {
    overall,
    pve_kills,
    vehicle_destructions,
    missions_completed,
    playtime,
    last_active,
    pu_player_kills: game_stats?.pu_player_kills,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function changeGuild(cache: QueryClient, change: Partial<GuildView> & { short: string }): void {
  cache.setQueryData<GuildView>(
    ["guilds", "profile", change.short.toUpperCase()],
    (known) => known && { ...known, ...change },
  );
}

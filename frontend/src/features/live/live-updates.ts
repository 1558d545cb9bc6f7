// How live events change what the query cache holds; with its two neighbours the one place where they do. Called by
// `use-live.ts`. It writes to the cache and has queries read again only where an event cannot say what is true now.
import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import type { CommitPage } from "../../api/commits";
import type { GuildMembersPage } from "../../api/guilds";
import type { LiveEvent } from "../../api/live";
import type { BoardChanged, GuildChanged, PlayerChanged } from "../../api/live-types";
import type {
  ActivityRow,
  CommitRow,
  Counts,
  GuildMember,
  GuildStats,
  GuildView,
  Metric,
  PatchView,
  PlayerView,
} from "../../api/types";
import { uniqBy } from "../../lib/uniq-by";
import { applyBoardChange } from "./board-updates";
import { applyActivity } from "./feed-updates";

export function applyLiveEvents(cache: QueryClient, events: readonly LiveEvent[]): void {
  if (events.some((event) => event.name === "reset")) {
    void cache.invalidateQueries();
    return;
  }
  recordRecent(cache, events);
  const rows = events.filter((event) => event.name === "activity").map((event) => event.data as ActivityRow);
  if (rows.length > 0) applyActivity(cache, rows);
  applyState(cache, events);
  for (const event of events) {
    if (event.name === "opened") refetchTopics(cache, event.data as string[], false);
    if (event.name === "joined") refetchTopics(cache, event.data as string[], true);
  }
}

/** Writes figures and lists as they are now. To do so again changes nothing. */
function applyState(cache: QueryClient, events: readonly LiveEvent[]): void {
  // A thousand events in a frame are one write per query: the last figure wins, rows are added together.
  const last = (name: LiveEvent["name"]) => events.findLast((event) => event.name === name)?.data;
  const counts = last("counts") as Counts | undefined;
  if (counts) cache.setQueryData(["patch", "counts"], { players: counts.players, orgs: counts.orgs });
  const patch = last("patch") as PatchView | undefined;
  if (patch) cache.setQueryData(["patch", "current"], patch);
  const commits = events.filter((event) => event.name === "commit").map((event) => event.data as CommitRow);
  if (commits.length > 0) applyCommits(cache, commits);
  for (const event of events) {
    if (event.name === "board") applyBoardChange(cache, event.data as BoardChanged);
    if (event.name === "player") applyPlayerChange(cache, event.data as PlayerChanged);
    if (event.name === "guild") applyGuildChange(cache, event.data as GuildChanged);
  }
}

/** An answer that was asked for longer ago than this is given up elsewhere. */
const MAX_RESPONSE_AGE_MS = 30_000;
const MAX_RECENT_EVENTS = 500;

interface RecentEvents {
  events: { event: LiveEvent; at: number }[];
  /** When each query was last asked. */
  fetchedAt: Map<string, number>;
}
const recentByCache = new WeakMap<QueryClient, RecentEvents>();

/** Keeps what came lately: an answer that was asked for before an event may be older than it, and would take it back. */
function recordRecent(cache: QueryClient, events: readonly LiveEvent[]): void {
  const known = recentByCache.get(cache) ?? replayAfterFetches(cache);
  const at = Date.now();
  const kept = known.events.filter((one) => one.at >= at - MAX_RESPONSE_AGE_MS);
  const fresh = events.filter(({ name }) => name !== "activity" && name !== "opened" && name !== "joined");
  known.events = [...kept, ...fresh.map((event) => ({ event, at }))].slice(-MAX_RECENT_EVENTS);
}

function replayAfterFetches(cache: QueryClient): RecentEvents {
  const known: RecentEvents = { events: [], fetchedAt: new Map() };
  recentByCache.set(cache, known);
  cache.getQueryCache().subscribe((event) => {
    const { queryHash } = event.query;
    if (event.type === "removed") known.fetchedAt.delete(queryHash);
    if (event.type !== "updated") return;
    if (event.action.type === "fetch") known.fetchedAt.set(queryHash, Date.now());
    if (event.action.type !== "success" || event.action.manual) return;
    const since = known.fetchedAt.get(queryHash) ?? 0;
    const missed = known.events.filter((one) => one.at >= since).map((one) => one.event);
    if (missed.length > 0) applyState(cache, missed);
  });
  return known;
}

/** What was read before its topic was heard may lack what happened between. Boards, counts and the patch come with a stream
 * that opens; not with one that another tab had opened before. */
function refetchTopics(cache: QueryClient, topics: readonly string[], areStatesMissing: boolean): void {
  const read = (queryKey: QueryKey) => void cache.invalidateQueries({ queryKey });
  for (const topic of topics) {
    const [kind, whose = ""] = topic.split(":");
    if (kind === "activity") read(["activity", "all"]);
    if (kind === "commits") read(["commits"]);
    if (kind === "player") {
      read(["activity", "player", whose.toLowerCase()]);
      invalidateSubject(cache, "players", whose.toLowerCase());
    }
    if (kind === "guild") {
      read(["activity", "guild", whose.toUpperCase()]);
      invalidateSubject(cache, "guilds", whose.toUpperCase());
    }
    if (areStatesMissing && kind === "board") read(["leaderboard"]);
    if (areStatesMissing && (kind === "counts" || kind === "patch")) read(["patch"]);
  }
}

function invalidateSubject(cache: QueryClient, noun: "players" | "guilds", whose: string): void {
  void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === noun && queryKey[2] === whose });
}

function applyCommits(cache: QueryClient, commits: CommitRow[]): void {
  cache.setQueryData<InfiniteData<CommitPage>>(["commits", "list"], (known) => {
    const [first] = known?.pages ?? [];
    if (!known || !first) return known;
    const ids = new Set(known.pages.flatMap((page) => page.commits.map((commit) => commit.id)));
    const fresh = uniqBy(commits, (commit) => commit.id)
      .filter((commit) => !ids.has(commit.id))
      .reverse();
    if (fresh.length === 0) return known;
    // Every page says the total, and the last one is asked for it.
    const pages = known.pages.map(({ commits, pagination }, index) => ({
      commits: index === 0 ? [...fresh, ...commits] : commits,
      pagination: { ...pagination, total: pagination.total + fresh.length },
    }));
    return { ...known, pages };
  });
}

function applyPlayerChange(cache: QueryClient, changed: PlayerChanged): void {
  const handle = changed.handle.toLowerCase();
  const figures = Object.entries(changed).filter(([name]) => name !== "handle");
  const isCounter = ([name]: [string, unknown]) => /^(pu|ac)_/.test(name);
  const counters = Object.fromEntries(figures.filter(isCounter));
  const scores = Object.fromEntries(figures.filter((figure) => !isCounter(figure)));
  const { pu_player_kills, pve_kills: pu_npc_kills, unknown_deaths } = changed;
  cache.setQueryData<PlayerView>(["players", "profile", handle], (known) => {
    // A hidden profile shows no figures.
    if (!known?.game_stats) return known;
    const game_stats = { ...known.game_stats, pu_npc_kills, ...counters, unknown_deaths };
    return { ...known, ...scores, pu_player_kills, game_stats };
  });
  scheduleRefetch(cache, handle);
}

function applyGuildChange(cache: QueryClient, changed: GuildChanged): void {
  const tag = changed.short.toUpperCase();
  const { short, members, members_changed, rank_overall, rank_pvp, rank_pve, rank_vehicle, ...sums } = changed;
  cache.setQueryData<GuildView>(["guilds", "profile", tag], (known) => {
    if (!known) return known;
    const { overall, missions_completed, playtime } = sums;
    const top_members = mergeMembers(known.top_members, members, "overall", TOP_MEMBERS);
    const ranks = { rank_overall, rank_pvp, rank_pve, rank_vehicle };
    return { ...known, overall, missions_completed, playtime, ...ranks, top_members };
  });
  cache.setQueryData<GuildStats>(["guilds", "stats", tag], (known) => known && { ...known, ...sums });
  const lists = cache.getQueriesData<InfiniteData<GuildMembersPage>>({ queryKey: ["guilds", "members", tag] });
  for (const [queryKey, known] of lists) {
    if (!known) continue;
    const { sortBy } = queryKey[3] as { sortBy: Metric };
    const all = known.pages.flatMap((page) => page.members);
    const rows = mergeMembers(all, members, sortBy, all.length);
    let from = 0;
    const pages = known.pages.map((page) => {
      from += page.members.length;
      return { ...page, members: rows.slice(from - page.members.length, from) };
    });
    cache.setQueryData(queryKey, { ...known, pages });
  }
  if (members_changed) invalidateSubject(cache, "guilds", tag);
}

/** How many members a guild's profile names. */
const TOP_MEMBERS = 5;

/** The best of those that were there and those that changed, ties by handle without case. */
function mergeMembers(
  known: readonly GuildMember[],
  changed: readonly GuildMember[],
  sortBy: Metric,
  count: number,
): GuildMember[] {
  const rows = new Map([...known, ...changed].map((row) => [row.handle, row]));
  const fold = (row: GuildMember) => row.handle.toLowerCase();
  return [...rows.values()]
    .sort((a, b) => memberScore(b, sortBy) - memberScore(a, sortBy) || (fold(a) < fold(b) ? -1 : 1))
    .slice(0, count);
}

function memberScore(row: GuildMember, sortBy: Metric): number {
  if (sortBy === "pve_kills") return row.pu_npc_kills;
  if (sortBy === "vehicle_destructions") return row.pu_vehicle_destruction_caused;
  return row[sortBy];
}

/** An event carries figures: weapons, vehicles, missions and plots behind them are read again this much later. */
const REFETCH_DELAY_MS = 4_000;
const scheduledRefetches = new WeakMap<QueryClient, Set<string>>();

function scheduleRefetch(cache: QueryClient, handle: string): void {
  const waiting = scheduledRefetches.get(cache) ?? new Set();
  scheduledRefetches.set(cache, waiting);
  const predicate = ({ queryKey: [noun, , whose] }: { queryKey: QueryKey }) => noun === "players" && whose === handle;
  if (waiting.has(handle) || cache.getQueryCache().findAll({ predicate }).length === 0) return;
  waiting.add(handle);
  // Not all readers of a page at once.
  const wait = REFETCH_DELAY_MS * (0.5 + Math.random() / 2);
  setTimeout(() => {
    waiting.delete(handle);
    void cache.invalidateQueries({ predicate });
  }, wait);
}

// Applies live events to the query cache. Queries are refetched only if an event does not contain the new state.
import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import type { CommitPage } from "../../api/commits";
import type { GuildMembersPage } from "../../api/guilds";
import type { LiveEvent } from "../../api/live";
import type { BoardChanged, GuildChanged, PlayerChanged } from "../../api/live-types";
import { openingSort } from "../../api/opening";
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

/** Applies events that contain the current state. Idempotent. */
function applyState(cache: QueryClient, events: readonly LiveEvent[]): void {
  // One write per query: of repeated states the last one counts, rows are merged.
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

/** Responses to older requests have timed out. */
const MAX_RESPONSE_AGE_MS = 30_000;
const MAX_RECENT_EVENTS = 500;

interface RecentEvents {
  events: { event: LiveEvent; at: number }[];
  /** When each query was last fetched. */
  fetchedAt: Map<string, number>;
}
const recentByCache = new WeakMap<QueryClient, RecentEvents>();

/**
 * Records recent events. A response requested before an event may be older than the event, so events are applied again after
 * it.
 */
function recordRecent(cache: QueryClient, events: readonly LiveEvent[]): void {
  const known = recentByCache.get(cache) ?? replayAfterFetches(cache);
  const at = Date.now();
  const current = known.events.filter((one) => one.at >= at - MAX_RESPONSE_AGE_MS);
  const relevant = events.filter(({ name }) => name !== "activity" && name !== "opened" && name !== "joined");
  known.events = [...current, ...relevant.map((event) => ({ event, at }))].slice(-MAX_RECENT_EVENTS);
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

/**
 * Refetches data of newly received topics, which may lack earlier events. A new stream sends the state of leaderboards, counts
 * and patch; a stream that was already open does not (`areStatesMissing`).
 */
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
    // The total is part of every page.
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
    // A hidden profile has no statistics.
    if (!known?.game_stats) return known;
    const game_stats = { ...known.game_stats, pu_npc_kills, ...counters, unknown_deaths };
    return { ...known, ...scores, pu_player_kills, game_stats };
  });
  scheduleRefetch(cache, handle);
}

function applyGuildChange(cache: QueryClient, changed: GuildChanged): void {
  const tag = changed.short.toUpperCase();
  const { short, members, members_changed, rank_overall, rank_pvp, rank_pve, rank_vehicle, rank_career, ...sums } =
    changed;
  cache.setQueryData<GuildView>(["guilds", "profile", tag], (known) => {
    if (!known) return known;
    const { overall, missions_completed, playtime, career, ships_flown, universe_time } = sums;
    const top_members = mergeMembers(known.top_members, members, openingSort(), TOP_MEMBERS);
    const ranks = { rank_overall, rank_pvp, rank_pve, rank_vehicle, rank_career };
    const figures = { overall, missions_completed, playtime, career, ships_flown, universe_time };
    return { ...known, ...figures, ...ranks, top_members };
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

const TOP_MEMBERS = 5;

/** Returns the top members after a change, with ties in order of handle ignoring case. */
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

/** Weapons, vehicles, missions and plots are not part of a `player` event; they are refetched after this delay. */
const REFETCH_DELAY_MS = 4_000;
const scheduledRefetches = new WeakMap<QueryClient, Set<string>>();

function scheduleRefetch(cache: QueryClient, handle: string): void {
  const waiting = scheduledRefetches.get(cache) ?? new Set();
  scheduledRefetches.set(cache, waiting);
  const predicate = ({ queryKey: [noun, , whose] }: { queryKey: QueryKey }) => noun === "players" && whose === handle;
  if (waiting.has(handle) || cache.getQueryCache().findAll({ predicate }).length === 0) return;
  waiting.add(handle);
  // Random, so that not all clients refetch together.
  const wait = REFETCH_DELAY_MS * (0.5 + Math.random() / 2);
  setTimeout(() => {
    waiting.delete(handle);
    void cache.invalidateQueries({ predicate });
  }, wait);
}

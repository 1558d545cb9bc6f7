// How live events change what the query cache holds; with its two neighbours the one place where they do. Called by
// `use-live.ts`. It writes to the cache and has queries read again only where an event cannot say what is true now.
import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import type { CommitPage } from "../../api/commits";
import type { LiveEvent } from "../../api/live";
import type { ActivityRow, CommitRow, Counts, GuildStats, GuildView, PatchView, PlayerView } from "../../api/types";
import type { GuildChanged, PlayerChanged } from "../../api/undescribed";
import { once } from "../../lib/lists";
import { changeGuildRows, changePlayerRows, scored } from "./board-cache";
import { addActivity } from "./feed-cache";

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
  if (rows.length > 0) {
    addActivity(cache, rows);
    scored(cache, rows);
  }
  for (const event of events) {
    if (event.name === "player") changePlayer(cache, event.data as PlayerChanged);
    if (event.name === "guild") changeGuild(cache, event.data as GuildChanged);
    if (event.name === "opened") readAgain(cache, event.data as string[]);
  }
}

/** Feeds that were read before their topic was heard may lack the rows between; figures come right with their next event. */
function readAgain(cache: QueryClient, topics: readonly string[]): void {
  for (const topic of topics) {
    const [kind, whose = ""] = topic.split(":");
    if (kind === "activity") void cache.invalidateQueries({ queryKey: ["activity", "all"] });
    if (kind === "player") void cache.invalidateQueries({ queryKey: ["activity", "player", whose.toLowerCase()] });
    if (kind === "guild") void cache.invalidateQueries({ queryKey: ["activity", "guild", whose.toUpperCase()] });
  }
}

function addCommits(cache: QueryClient, commits: CommitRow[]): void {
  cache.setQueryData<InfiniteData<CommitPage>>(["commits", "list"], (known) => {
    const [first] = known?.pages ?? [];
    if (!known || !first) return known;
    const ids = new Set(known.pages.flatMap((page) => page.commits.map((commit) => commit.id)));
    const fresh = once(commits, (commit) => commit.id)
      .filter((commit) => !ids.has(commit.id))
      .reverse();
    if (fresh.length === 0) return known;
    // Every page says the total, and the last one is asked for it.
    const pages = known.pages.map(({ commits, pagination }, at) => ({
      commits: at === 0 ? [...fresh, ...commits] : commits,
      pagination: { ...pagination, total: pagination.total + fresh.length },
    }));
    return { ...known, pages };
  });
}

function changePlayer(cache: QueryClient, change: PlayerChanged): void {
  const handle = change.handle.toLowerCase();
  const { pu_player_kills, pve_kills } = change;
  cache.setQueryData<PlayerView>(["players", "profile", handle], (known) => {
    // A hidden profile shows no figures.
    if (!known?.game_stats) return known;
    const game_stats = { ...known.game_stats, pu_player_kills, pu_npc_kills: pve_kills };
    return { ...known, ...change, handle: known.handle, game_stats };
  });
  changePlayerRows(cache, change);
  readSoon(cache, ["players", handle], ({ queryKey: [noun, , whose] }) => noun === "players" && whose === handle);
}

function changeGuild(cache: QueryClient, change: GuildChanged): void {
  const tag = change.short.toUpperCase();
  const { short, ...sums } = change;
  cache.setQueryData<GuildView>(["guilds", "profile", tag], (known) => known && { ...known, overall: sums.overall });
  cache.setQueryData<GuildStats>(["guilds", "stats", tag], (known) => known && { ...known, ...sums });
  changeGuildRows(cache, change);
  readSoon(cache, ["guilds", tag], ({ queryKey: [noun, , whose] }) => noun === "guilds" && whose === tag);
}

/** An event tells scores alone: counters, weapons, plots and members behind them are read again this much later. */
const READ_SOON_MS = 4_000;
const soon = new WeakMap<QueryClient, Set<string>>();

function readSoon(cache: QueryClient, about: string[], predicate: (query: { queryKey: QueryKey }) => boolean): void {
  const waiting = soon.get(cache) ?? new Set();
  soon.set(cache, waiting);
  const key = about.join(" ");
  if (waiting.has(key) || cache.getQueryCache().findAll({ predicate }).length === 0) return;
  waiting.add(key);
  // Not all readers of a page at once.
  const wait = READ_SOON_MS * (0.5 + Math.random() / 2);
  setTimeout(() => {
    waiting.delete(key);
    void cache.invalidateQueries({ predicate });
  }, wait);
}

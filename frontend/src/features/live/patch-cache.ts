// How live events change what the query cache holds; with its two neighbours the one place where they do. Called by
// `use-live.ts`. It writes to the cache and has queries read again only where an event cannot say what is true now.
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { CommitPage } from "../../api/commits";
import type { LiveEvent } from "../../api/live";
import type { ActivityRow, CommitRow, Counts, GuildView, PatchView, PlayerView } from "../../api/types";
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
    if (event.name === "player") changePlayer(cache, event.data as Partial<PlayerView> & { handle: string });
    if (event.name === "guild") changeGuild(cache, event.data as Partial<GuildView> & { short: string });
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

function changePlayer(cache: QueryClient, change: Partial<PlayerView> & { handle: string }): void {
  cache.setQueryData<PlayerView>(
    ["players", "profile", change.handle.toLowerCase()],
    (known) => known && { ...known, ...change, game_stats: { ...known.game_stats, ...change.game_stats } },
  );
  changePlayerRows(cache, change);
}

function changeGuild(cache: QueryClient, change: Partial<GuildView> & { short: string }): void {
  cache.setQueryData<GuildView>(
    ["guilds", "profile", change.short.toUpperCase()],
    (known) => known && { ...known, ...change },
  );
  changeGuildRows(cache, change);
}

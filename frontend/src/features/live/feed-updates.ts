// Inserts `activity` rows into cached feeds: each once, in order, and again after a response that was requested before the row
// arrived.
import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import type { ActivityPage } from "../../api/activity";
import { filterOf } from "../../api/activity-filter";
import { compareActivity } from "../../api/compare-activity";
import { remainingCapacity } from "../../api/feed-freeze";
import type { ActivityFilter } from "../../api/list-params";
import type { ActivityRow } from "../../api/types";

type Feed = InfiniteData<ActivityPage>;

/** A feed longer than `MAX_FEED_ROWS` is trimmed to `TRIMMED_FEED_ROWS`. Frozen feeds are not trimmed. */
const TRIMMED_FEED_ROWS = 1_000;
const MAX_FEED_ROWS = 2_000;
/** A response that arrives later than this after a row already contains the row. */
const MAX_RESPONSE_AGE_MS = 30_000;

/** Recent rows per cache. A response requested before a row arrived may lack it. */
const recentRows = new WeakMap<QueryClient, { row: ActivityRow; at: number }[]>();

/** Adds rows to all feeds they belong to. */
export function applyActivity(cache: QueryClient, rows: readonly ActivityRow[]): void {
  recordRecent(cache, rows);
  for (const { queryKey } of cache.getQueryCache().findAll({ queryKey: ["activity"] }))
    addToFeed(cache, queryKey, rows);
}

function recordRecent(cache: QueryClient, rows: readonly ActivityRow[]): void {
  const at = Date.now();
  let list = recentRows.get(cache);
  if (!list) {
    list = [];
    recentRows.set(cache, list);
    cache.getQueryCache().subscribe((event) => {
      if (event.type !== "updated" || event.action.type !== "success" || event.action.manual) return;
      if (event.query.queryKey[0] !== "activity") return;
      const since = Date.now() - MAX_RESPONSE_AGE_MS;
      const missed = recentRows.get(cache)?.filter((one) => one.at >= since) ?? [];
      addToFeed(
        cache,
        event.query.queryKey,
        missed.map((one) => one.row),
      );
    });
  }
  list.push(...rows.map((row) => ({ row, at })));
  const old = list.findIndex((one) => one.at >= at - MAX_RESPONSE_AGE_MS);
  list.splice(0, Math.max(old, list.length - MAX_FEED_ROWS));
}

function addToFeed(cache: QueryClient, key: QueryKey, rows: readonly ActivityRow[]): void {
  const [, kind, whose, filter, args] = key as [string, string, string, ActivityFilter | null, { limit: number }];
  if (kind === "event" || rows.length === 0) return;
  cache.setQueryData<Feed>(key, (known) => {
    if (!known) return known;
    const all = known.pages.flatMap((page) => page.data);
    const ids = new Set(all.map((row) => row.id));
    const fresh: ActivityRow[] = [];
    for (const row of rows) {
      if (ids.has(row.id) || !belongsTo(row, kind, whose) || (filter !== null && filterOf(row) !== filter)) continue;
      ids.add(row.id);
      fresh.push(row);
    }
    const capacity = remainingCapacity(cache, key, all);
    const accepted = fresh.slice(0, capacity);
    return accepted.length === 0
      ? known
      : mergeRows(known, accepted, args.limit, capacity !== Number.POSITIVE_INFINITY);
  });
}

function mergeRows(known: Feed, fresh: readonly ActivityRow[], limit: number, isHeld: boolean): Feed {
  const pages = known.pages.map((page) => ({ ...page, data: [...page.data] }));
  const last = pages.at(-1);
  if (!last) return known;
  const complete = last.data.length < limit;
  for (const row of fresh) {
    const page = pages.find(({ data }) => data.some((other) => compareActivity(row, other) < 0));
    if (page) page.data.push(row);
    // Older than all loaded rows: it is part of a later page, unless the feed is complete.
    else if (complete) last.data.push(row);
  }
  for (const page of pages) page.data.sort(compareActivity);
  const total = pages.reduce((sum, page) => sum + page.data.length, 0);
  if (isHeld || total <= MAX_FEED_ROWS) return { ...known, pages };
  // The feed becomes one page; trimmed rows load again when the user scrolls to them.
  const trimmed = pages.flatMap((page) => page.data).slice(0, TRIMMED_FEED_ROWS);
  return { pages: [{ ...pages[0], data: trimmed }], pageParams: known.pageParams.slice(0, 1) };
}

function belongsTo(row: ActivityRow, kind: string, whose: string): boolean {
  if (kind === "all") return true;
  if (kind === "guild") return row.orgs.some((tag) => tag.toUpperCase() === whose);
  // A player's feed shows what the player's own log or the operator reported.
  const isReported = (side: string) => row.reported_by.includes(side) || row.reported_by.includes("operator");
  const sides = { killer: row.killer, victim: row.victim, player: row.player_name };
  return Object.entries(sides).some(([side, name]) => name?.toLowerCase() === whose && isReported(side));
}

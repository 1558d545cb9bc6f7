// How rows of the live stream come into feeds: each once, in its place by time, and none lost to an answer that was on
// its way meanwhile. Called by `live-updates.ts`; it writes to the query cache alone and never asks the server.
import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import type { ActivityPage } from "../../api/activity";
import { filterOf } from "../../api/activity-filter";
import { compareActivity } from "../../api/compare-activity";
import { remainingCapacity } from "../../api/feed-freeze";
import type { ActivityFilter } from "../../api/list-params";
import type { ActivityRow } from "../../api/types";

type Feed = InfiniteData<ActivityPage>;

/** A feed whose reader is at its top is cut to `ROWS_KEPT` once it has more than `ROWS_MAX` rows. Held feeds are never cut. */
const TRIMMED_FEED_ROWS = 1_000;
const MAX_FEED_ROWS = 2_000;
/** An answer that comes later than this after a row was taken from a database that had the row. */
const MAX_RESPONSE_AGE_MS = 30_000;

/** What came lately, per cache: an answer that was asked for before a row came may not have it. */
const recentRows = new WeakMap<QueryClient, { row: ActivityRow; at: number }[]>();

/** Puts rows into all the feeds they belong to. */
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
    const room = remainingCapacity(cache, key, all);
    const taken = fresh.slice(0, room);
    return taken.length === 0 ? known : mergeRows(known, taken, args.limit, room !== Number.POSITIVE_INFINITY);
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
    // Older than all that is loaded: it comes with its own page, if there is one.
    else if (complete) last.data.push(row);
  }
  for (const page of pages) page.data.sort(compareActivity);
  const total = pages.reduce((sum, page) => sum + page.data.length, 0);
  if (isHeld || total <= MAX_FEED_ROWS) return { ...known, pages };
  // One page again: rows that are cut are asked for again when the reader scrolls there.
  const kept = pages.flatMap((page) => page.data).slice(0, TRIMMED_FEED_ROWS);
  return { pages: [{ ...pages[0], data: kept }], pageParams: known.pageParams.slice(0, 1) };
}

function belongsTo(row: ActivityRow, kind: string, whose: string): boolean {
  if (kind === "all") return true;
  if (kind === "guild") return row.orgs.some((tag) => tag.toUpperCase() === whose);
  return [row.killer, row.victim, row.player_name].some((name) => name?.toLowerCase() === whose);
}

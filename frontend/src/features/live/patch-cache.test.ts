import { type InfiniteData, QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { type ActivityPage, activityFeedQuery } from "../../api/activity";
import { commitsQuery } from "../../api/commits";
import { guildStatsQuery } from "../../api/guilds";
import { topPlayersQuery } from "../../api/leaderboard";
import type { LiveEvent } from "../../api/live";
import { playerProfileQuery } from "../../api/players";
import type { ActivityRow, PlayerRow } from "../../api/types";
import type { PlayerChanged } from "../../api/undescribed";
import { answer } from "../../test/render-page";
import { patchCache } from "./patch-cache";

const row = (id: number, more: Partial<ActivityRow> = {}) =>
  ({ id: String(id), identifier: "login", event_time: 1_000 + id, player_name: "Vexa", ...more }) as ActivityRow;
const live = (name: LiveEvent["name"], data: unknown, id = "1"): LiveEvent => ({ id, name, data });
const all = activityFeedQuery({ kind: "all" });

function feedOf(cache: QueryClient, query = all): string[] {
  const feed = cache.getQueryData<InfiniteData<ActivityPage>>(query.queryKey);
  return feed?.pages.flatMap((page) => page.data.map((one) => one.id)) ?? [];
}

function withFeed(ids: number[][], query = all): QueryClient {
  const cache = new QueryClient();
  cache.setQueryData(query.queryKey, {
    pages: ids.map((page) => ({ data: page.map((id) => row(id)) })),
    pageParams: ids.map(() => undefined),
  } as never);
  return cache;
}

test("a row comes once, in its place by time", () => {
  const cache = withFeed([[9, 7, 5]]);
  patchCache(cache, [live("activity", row(10)), live("activity", row(8)), live("activity", row(9))]);
  patchCache(cache, [live("activity", row(10))]);
  expect(feedOf(cache)).toEqual(["10", "9", "8", "7", "5"]);
});

test("a row that is in a later page is not shown again above", () => {
  const cache = withFeed([
    [9, 8],
    [7, 6],
  ]);
  patchCache(cache, [live("activity", row(6)), live("activity", row(10))]);
  expect(feedOf(cache)).toEqual(["10", "9", "8", "7", "6"]);
});

test("a feed that nobody scrolls stays short, and its end is where it is asked on", () => {
  const cache = withFeed([Array.from({ length: 100 }, (_, at) => 500 - at)]);
  patchCache(
    cache,
    Array.from({ length: 150 }, (_, at) => live("activity", row(501 + at))),
  );
  const ids = feedOf(cache);
  expect(ids).toHaveLength(200);
  expect([ids[0], ids.at(-1)]).toEqual(["650", "451"]);
});

test("a filtered feed and a player's feed take what is theirs", () => {
  const missions = activityFeedQuery({ kind: "all" }, "missions");
  const ofVexa = activityFeedQuery({ kind: "player", handle: "VEXA" });
  const cache = withFeed([[1]], missions);
  cache.setQueryData(ofVexa.queryKey, { pages: [{ data: [row(1)] }], pageParams: [undefined] } as never);
  patchCache(cache, [
    live("activity", row(2, { identifier: "mission_complete", player_name: "Other" })),
    live("activity", row(3)),
  ]);
  expect(feedOf(cache, missions)).toEqual(["2", "1"]);
  expect(feedOf(cache, ofVexa)).toEqual(["3", "1"]);
});

test("a row that comes while the first answer is on its way is not lost", async () => {
  const cache = new QueryClient();
  let reply: (value: object) => void = () => {};
  vi.stubGlobal(
    "fetch",
    () =>
      new Promise((resolve) => {
        reply = (body) => resolve(new Response(JSON.stringify(body)));
      }),
  );
  const asked = cache.fetchInfiniteQuery(all);
  patchCache(cache, [live("activity", row(5))]);
  reply({ success: true, data: [row(4), row(3)] });
  await asked;
  await vi.waitFor(() => expect(feedOf(cache)).toEqual(["5", "4", "3"]));
  vi.unstubAllGlobals();
});

test.each([
  [live("opened", ["activity"]), true],
  [live("opened", ["player:other"]), false],
  [live("reset", null), true],
])("a stream that begins or has a gap has the feed read again: %o", (event, read) => {
  const cache = withFeed([[1]]);
  patchCache(cache, [event]);
  expect(cache.getQueryState(all.queryKey)?.isInvalidated).toBe(read);
});

const changed: PlayerChanged = {
  handle: "Vexa",
  overall: 12,
  pu_player_kills: 8,
  pve_kills: 3,
  vehicle_destructions: 1,
  missions_completed: 0,
  playtime: 60,
  last_active: 1_000,
  rank_overall: 4,
  rank_pvp: 5,
  rank_pve: null,
  rank_vehicle: 7,
};

test("a player's page takes the scores and ranks of an event at once and reads the rest soon after", async () => {
  vi.useFakeTimers();
  const cache = new QueryClient();
  const { queryKey } = playerProfileQuery("Vexa");
  const game_stats = { pu_player_kills: 7, pu_npc_kills: 3, ac_player_kills: 2 };
  cache.setQueryData(queryKey, { handle: "Vexa", overall: 11, rank_overall: 9, game_stats } as never);
  patchCache(cache, [live("player", changed)]);
  expect(cache.getQueryData(queryKey)).toMatchObject({
    overall: 12,
    rank_overall: 4,
    game_stats: { pu_player_kills: 8, pu_npc_kills: 3, ac_player_kills: 2 },
  });
  expect(cache.getQueryState(queryKey)?.isInvalidated).toBe(false);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(cache.getQueryState(queryKey)?.isInvalidated).toBe(true);
  vi.useRealTimers();
});

test("a guild's page takes the sums of an event", () => {
  const cache = new QueryClient();
  const { queryKey } = guildStatsQuery("NOVA");
  const stats = { pu_player_kills: 1, pu_npc_kills: 1, pu_vehicle_destruction_caused: 1, overall: 3 };
  cache.setQueryData(queryKey, { ...stats, missions_completed: 5, playtime: 60 });
  patchCache(cache, [live("guild", { ...stats, short: "NOVA", pu_player_kills: 2, overall: 4 })]);
  expect(cache.getQueryData(queryKey)).toEqual({
    ...stats,
    pu_player_kills: 2,
    overall: 4,
    missions_completed: 5,
    playtime: 60,
  });
});

test("a figure that changes puts a board in order; equal scores share a rank", () => {
  const cache = new QueryClient();
  const { queryKey } = topPlayersQuery();
  const player = (handle: string, overall: number, rank: number) => ({ handle, overall, rank }) as PlayerRow;
  cache.setQueryData(queryKey, [player("a", 50, 1), player("b", 40, 2), player("c", 40, 2), player("d", 10, 4)]);
  patchCache(cache, [live("player", { ...changed, handle: "D", overall: 50 })]);
  const rows = cache.getQueryData(queryKey) ?? [];
  expect(rows.map((one) => [one.handle, one.rank])).toEqual([
    ["a", 1],
    ["d", 1],
    ["b", 3],
    ["c", 3],
  ]);
});

test("what scores has boards read again, once for many rows", async () => {
  vi.useFakeTimers();
  let asked = 0;
  answer(() => {
    asked += 1;
    return { players: [] };
  });
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  cache.setQueryData(topPlayersQuery().queryKey, []);
  const stop = new QueryObserver(cache, topPlayersQuery()).subscribe(() => {});
  patchCache(cache, [
    live("activity", row(1, { identifier: "kill" })),
    live("activity", row(2, { identifier: "kill" })),
  ]);
  patchCache(cache, [live("activity", row(3, { identifier: "kill" }))]);
  expect(asked).toBe(0);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toBe(1);
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("counts and patch take the last figure of a frame", () => {
  const cache = new QueryClient();
  patchCache(cache, [live("counts", { players: 1, orgs: 1 }), live("counts", { players: 2, orgs: 1 })]);
  expect(cache.getQueryData(["patch", "counts"])).toEqual({ players: 2, orgs: 1 });
});

test("a live commit stands on top, once, and raises the total", () => {
  const cache = new QueryClient();
  const { queryKey } = commitsQuery();
  const commit = (id: string) => ({ id }) as never;
  const pagination = { limit: 20, total: 2 };
  cache.setQueryData(queryKey, { pages: [{ commits: [commit("b"), commit("a")], pagination }], pageParams: [0] });
  patchCache(cache, [live("commit", { id: "c" }), live("commit", { id: "b" }), live("commit", { id: "c" })]);
  const page = cache.getQueryData(queryKey)?.pages[0];
  expect(page?.commits.map((one) => one.id)).toEqual(["c", "b", "a"]);
  expect(page?.pagination.total).toBe(3);
});

import { type InfiniteData, type QueryClient, QueryObserver } from "@tanstack/react-query";
import { waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { type ActivityPage, activityFeedQuery } from "../../api/activity";
import { commitsQuery } from "../../api/commits";
import { freezeFeed } from "../../api/feed-freeze";
import { guildMembersQuery, guildProfileQuery, guildStatsQuery } from "../../api/guilds";
import { playerBoardQuery, topPlayersQuery } from "../../api/leaderboard";
import type { LiveEvent } from "../../api/live";
import type { BoardChanged, GuildChanged, PlayerChanged } from "../../api/live-types";
import { playerProfileQuery } from "../../api/players";
import type { ActivityRow, GuildMember, PlayerRow } from "../../api/types";
import { mockApi, newTestClient } from "../../test/render-page";
import { applyLiveEvents } from "./live-updates";

const row = (id: number, more: Partial<ActivityRow> = {}) =>
  ({
    id: String(id),
    identifier: "login",
    event_time: 1_000 + id,
    player_name: "Vexa",
    reported_by: ["player"],
    ...more,
  }) as ActivityRow;
const live = (name: LiveEvent["name"], data: unknown, id = "1"): LiveEvent => ({ id, name, data });
const all = activityFeedQuery({ kind: "all" });

function feedOf(cache: QueryClient, query = all): string[] {
  const feed = cache.getQueryData<InfiniteData<ActivityPage>>(query.queryKey);
  return feed?.pages.flatMap((page) => page.data.map((one) => one.id)) ?? [];
}

function withFeed(ids: number[][], query = all): QueryClient {
  const cache = newTestClient();
  cache.setQueryData(query.queryKey, {
    pages: ids.map((page) => ({ data: page.map((id) => row(id)) })),
    pageParams: ids.map(() => undefined),
  } as never);
  return cache;
}

test("a row is inserted once, in order of time", () => {
  const cache = withFeed([[9, 7, 5]]);
  applyLiveEvents(cache, [live("activity", row(10)), live("activity", row(8)), live("activity", row(9))]);
  applyLiveEvents(cache, [live("activity", row(10))]);
  expect(feedOf(cache)).toEqual(["10", "9", "8", "7", "5"]);
});

test("a row of a later page is not shown twice", () => {
  const cache = withFeed([
    [9, 8],
    [7, 6],
  ]);
  applyLiveEvents(cache, [live("activity", row(6)), live("activity", row(10))]);
  expect(feedOf(cache)).toEqual(["10", "9", "8", "7", "6"]);
});

test("a feed that is not scrolled is trimmed, and loading continues at its end", () => {
  const cache = withFeed([Array.from({ length: 100 }, (_, index) => 500 - index)]);
  applyLiveEvents(
    cache,
    Array.from({ length: 2_000 }, (_, index) => live("activity", row(501 + index))),
  );
  const ids = feedOf(cache);
  expect(ids).toHaveLength(1_000);
  expect([ids[0], ids.at(-1)]).toEqual(["2500", "1501"]);
});

test("a frozen feed keeps the loaded rows and accepts a thousand rows above them", () => {
  const pages = Array.from({ length: 30 }, (_, page) =>
    Array.from({ length: 100 }, (_, index) => 3_000 - page * 100 - index),
  );
  const cache = withFeed(pages);
  const release = freezeFeed(cache, all.queryKey, row(3_000));
  applyLiveEvents(
    cache,
    Array.from({ length: 1_500 }, (_, index) => live("activity", row(3_001 + index))),
  );
  expect(feedOf(cache)).toHaveLength(4_000);
  expect(feedOf(cache).at(-1)).toBe("1");
  release();
  applyLiveEvents(cache, [live("activity", row(9_000))]);
  expect(feedOf(cache)).toHaveLength(1_000);
});

test("a filtered feed and a player's feed receive their own rows", () => {
  const missions = activityFeedQuery({ kind: "all" }, "missions");
  const ofVexa = activityFeedQuery({ kind: "player", handle: "VEXA" });
  const cache = withFeed([[1]], missions);
  cache.setQueryData(ofVexa.queryKey, { pages: [{ data: [row(1)] }], pageParams: [undefined] } as never);
  applyLiveEvents(cache, [
    live("activity", row(2, { identifier: "mission_complete", player_name: "Other" })),
    live("activity", row(3)),
  ]);
  expect(feedOf(cache, missions)).toEqual(["2", "1"]);
  expect(feedOf(cache, ofVexa)).toEqual(["3", "1"]);
});

test("a player's feed receives fights that the player's own log or the operator reported", () => {
  const ofVexa = activityFeedQuery({ kind: "player", handle: "VEXA" });
  const cache = withFeed([[1]], ofVexa);
  const loss = { identifier: "kill", killer: "Foe", victim: "Vexa", player_name: null } as const;
  applyLiveEvents(cache, [
    live("activity", row(2, { ...loss, reported_by: ["killer"] })),
    live("activity", row(3, { ...loss, reported_by: ["victim"] })),
    live("activity", row(4, { ...loss, reported_by: ["operator"] })),
  ]);
  expect(feedOf(cache, ofVexa)).toEqual(["4", "3", "1"]);
});

test("a row that arrives during the first request is not lost", async () => {
  const cache = newTestClient();
  let reply: (value: object) => void = () => {};
  vi.stubGlobal(
    "fetch",
    () =>
      new Promise((resolve) => {
        reply = (body) => resolve(new Response(JSON.stringify(body)));
      }),
  );
  const response = cache.fetchInfiniteQuery(all);
  applyLiveEvents(cache, [live("activity", row(5))]);
  reply({ success: true, data: [row(4), row(3)] });
  await response;
  await waitFor(() => expect(feedOf(cache)).toEqual(["5", "4", "3"]));
  vi.unstubAllGlobals();
});

test.each([
  [live("opened", ["activity"]), true],
  [live("opened", ["player:other"]), false],
  [live("reset", null), true],
])("a stream that begins or has a gap refetches the feed: %o", (event, read) => {
  const cache = withFeed([[1]]);
  applyLiveEvents(cache, [event]);
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
  career: 10,
  ships_flown: 1,
  universe_time: 60,
  unknown_deaths: 1,
  last_active: 1_000,
  rank_overall: 4,
  rank_pvp: 5,
  rank_pve: null,
  rank_vehicle: 7,
  rank_missions: null,
  rank_playtime: 9,
  rank_career: 4,
  rank_ships_flown: 5,
  pu_player_deaths: 6,
  ac_player_deaths: 3,
};

test("a player's page applies scores and ranks of an event and refetches the rest", async () => {
  vi.useFakeTimers();
  const cache = newTestClient();
  const { queryKey } = playerProfileQuery("Vexa");
  const game_stats = { pu_player_kills: 7, pu_player_deaths: 5, pu_npc_kills: 3, ac_player_kills: 2 };
  cache.setQueryData(queryKey, { handle: "Vexa", overall: 11, rank_overall: 9, game_stats } as never);
  applyLiveEvents(cache, [live("player", changed)]);
  expect(cache.getQueryData(queryKey)).toMatchObject({
    overall: 12,
    rank_overall: 4,
    unknown_deaths: 1,
    game_stats: { pu_player_kills: 8, pu_player_deaths: 6, pu_npc_kills: 3, ac_player_kills: 2, ac_player_deaths: 3 },
  });
  expect(cache.getQueryState(queryKey)?.isInvalidated).toBe(false);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(cache.getQueryState(queryKey)?.isInvalidated).toBe(true);
  vi.useRealTimers();
});

const sums = {
  pu_player_kills: 1,
  pu_npc_kills: 1,
  pu_vehicle_destruction_caused: 1,
  overall: 3,
  missions_completed: 5,
  playtime: 60,
  career: 10,
  ships_flown: 1,
  universe_time: 60,
};
const guild: GuildChanged = {
  ...sums,
  short: "NOVA",
  rank_overall: 2,
  rank_pvp: 3,
  rank_pve: null,
  rank_vehicle: 4,
  rank_career: 5,
  members: [],
  members_changed: false,
};

test("a guild's page applies the totals, ranks and members of an event", () => {
  const cache = newTestClient();
  const [stats, profile] = [guildStatsQuery("NOVA").queryKey, guildProfileQuery("NOVA").queryKey];
  const list = guildMembersQuery("NOVA", "pve_kills").queryKey;
  const member = (handle: string, overall: number, pu_npc_kills: number) =>
    ({ handle, overall, pu_npc_kills }) as GuildMember;
  const members = [member("Ann", 9, 1), member("bob", 5, 0), member("Cyd", 1, 0)];
  cache.setQueryData(stats, sums);
  cache.setQueryData(profile, { short: "NOVA", overall: 3, rank_overall: 9, top_members: members } as never);
  cache.setQueryData(list, { pages: [{ members, pagination: { limit: 100, total: 3 } }], pageParams: [0] });
  applyLiveEvents(cache, [live("guild", { ...guild, pu_player_kills: 2, overall: 4, members: [member("Cyd", 9, 3)] })]);
  expect(cache.getQueryData(stats)).toEqual({ ...sums, pu_player_kills: 2, overall: 4 });
  expect(cache.getQueryData(profile)).toMatchObject({ overall: 4, rank_overall: 2, missions_completed: 5 });
  expect(cache.getQueryData(profile)?.top_members.map((one) => one.handle)).toEqual(["Ann", "Cyd", "bob"]);
  const rows = cache.getQueryData(list)?.pages[0]?.members;
  expect(rows?.map((one) => [one.handle, one.pu_npc_kills])).toEqual([
    ["Cyd", 3],
    ["Ann", 1],
    ["bob", 0],
  ]);
  expect(cache.getQueryState(list)?.isInvalidated).toBe(false);
  applyLiveEvents(cache, [live("guild", { ...guild, members_changed: true })]);
  expect(cache.getQueryState(list)?.isInvalidated).toBe(true);
});

const onBoard = (handle: string, overall: number, rank: number) => ({ handle, overall, rank }) as PlayerRow;
const board = (rows: PlayerRow[], more: Partial<BoardChanged> = {}) =>
  live("board", { topic: "board:players:overall", is_snapshot: false, rows, removed: [], total: 4, ...more });
const shown = (cache: QueryClient) =>
  (cache.getQueryData(topPlayersQuery().queryKey) ?? []).map((one) => [one.handle, one.rank]);

test("changed rows move to their rank, and removed rows disappear", () => {
  const cache = newTestClient();
  const rows = [onBoard("a", 50, 1), onBoard("b", 40, 2), onBoard("c", 40, 2), onBoard("d", 10, 4)];
  cache.setQueryData(topPlayersQuery().queryKey, rows);
  applyLiveEvents(cache, [board([onBoard("D", 50, 1), onBoard("b", 40, 3), onBoard("c", 40, 3)], { removed: ["d"] })]);
  expect(shown(cache)).toEqual([
    ["a", 1],
    ["D", 1],
    ["b", 3],
    ["c", 3],
  ]);
  // Another metric has another leaderboard.
  applyLiveEvents(cache, [board([onBoard("e", 90, 1)], { topic: "board:players:playtime" })]);
  applyLiveEvents(cache, [board([onBoard("f", 90, 1)], { topic: "board:players:overall:7d" })]);
  expect(shown(cache)).toHaveLength(4);
});

test("a board keeps as many rows as were loaded, from a complete or a partial event", () => {
  const cache = newTestClient();
  const { queryKey } = playerBoardQuery({ sortBy: "overall", window: "all" });
  const all = Array.from({ length: 100 }, (_, index) =>
    onBoard(`p${String(index).padStart(3, "0")}`, 1_000 - index, index + 1),
  );
  const page = (from: number) => ({
    players: all.slice(from, from + 30),
    pagination: { page: 1 + from / 30, limit: 30, total: 120, hasNextPage: true },
  });
  cache.setQueryData(queryKey, { pages: [page(0), page(30)], pageParams: [1, 2] });
  const handles = () => cache.getQueryData(queryKey)?.pages.map((one) => one.players.map((row) => row.handle));
  // Rank 10 falls to 65: the rows in between move up, and the 61st becomes visible.
  const dropped = onBoard("p009", 936, 65);
  const moved = all.slice(10, 65).map((row, index) => ({ ...row, rank: index + 10 }));
  applyLiveEvents(cache, [board([...moved, dropped], { total: 121 })]);
  expect(handles()?.map((one) => one.length)).toEqual([30, 30]);
  expect(handles()?.flat().includes("p009")).toBe(false);
  expect([handles()?.[0]?.[9], handles()?.[1]?.[29]]).toEqual(["p010", "p060"]);
  expect(cache.getQueryData(queryKey)?.pages[1]?.pagination.total).toBe(121);
  applyLiveEvents(cache, [board(all, { is_snapshot: true })]);
  expect(handles()?.flat()).toEqual(all.slice(0, 60).map((row) => row.handle));
});

test("events cause no requests while leaderboards and guilds are open", async () => {
  vi.useFakeTimers();
  const requests: string[] = [];
  mockApi((url) => {
    requests.push(url.pathname);
    return {};
  });
  const cache = newTestClient();
  cache.setQueryData(topPlayersQuery().queryKey, [onBoard("Vexa", 1, 1)]);
  cache.setQueryData(guildStatsQuery("NOVA").queryKey, sums);
  cache.setQueryData(["patch", "current"], {});
  const unsubscribers = [
    new QueryObserver(cache, topPlayersQuery()).subscribe(() => {}),
    new QueryObserver(cache, guildStatsQuery("NOVA")).subscribe(() => {}),
  ];
  for (let at = 0; at < 100; at += 1) {
    applyLiveEvents(cache, [
      live("activity", row(at, { identifier: "kill" })),
      live("guild", { ...guild, overall: at }),
      board([onBoard("Vexa", at, 1)]),
      live("patch", {}),
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(requests).toEqual([]);
  expect(cache.getQueryData(topPlayersQuery().queryKey)?.[0]?.overall).toBe(99);
  for (const unsubscribe of unsubscribers) unsubscribe();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a live value is not overwritten by an older response", async () => {
  const cache = newTestClient();
  let reply: (value: object) => void = () => {};
  vi.stubGlobal(
    "fetch",
    () =>
      new Promise((resolve) => {
        reply = (body) => resolve(new Response(JSON.stringify(body)));
      }),
  );
  applyLiveEvents(cache, []);
  const response = cache.fetchQuery(topPlayersQuery());
  applyLiveEvents(cache, [board([onBoard("b", 9, 1), onBoard("a", 8, 2)])]);
  reply({ success: true, players: [onBoard("a", 8, 1), onBoard("b", 7, 2)] });
  await response;
  await waitFor(() =>
    expect(shown(cache)).toEqual([
      ["b", 1],
      ["a", 2],
    ]),
  );
  vi.unstubAllGlobals();
});

test.each([
  ["opened", "players", true],
  ["opened", "leaderboard", false],
  ["joined", "players", true],
  ["joined", "leaderboard", true],
] as const)("topics that are %s have %s read again: %s", (name, noun, isRead) => {
  const cache = newTestClient();
  const key = noun === "players" ? playerProfileQuery("Vexa").queryKey : topPlayersQuery().queryKey;
  cache.setQueryData<unknown>(key, {});
  applyLiveEvents(cache, [live(name, ["player:Vexa", "board:players:overall"], "")]);
  expect(cache.getQueryState(key)?.isInvalidated).toBe(isRead);
});

test("counts and patch take the last value of a frame", () => {
  const cache = newTestClient();
  applyLiveEvents(cache, [live("counts", { players: 1, orgs: 1 }), live("counts", { players: 2, orgs: 1 })]);
  expect(cache.getQueryData(["patch", "counts"])).toEqual({ players: 2, orgs: 1 });
});

test("a live commit appears once, at the top, and increases the total", () => {
  const cache = newTestClient();
  const { queryKey } = commitsQuery();
  const commit = (id: string) => ({ id }) as never;
  const pagination = { limit: 20, total: 2 };
  cache.setQueryData(queryKey, { pages: [{ commits: [commit("b"), commit("a")], pagination }], pageParams: [0] });
  applyLiveEvents(cache, [live("commit", { id: "c" }), live("commit", { id: "b" }), live("commit", { id: "c" })]);
  const page = cache.getQueryData(queryKey)?.pages[0];
  expect(page?.commits.map((one) => one.id)).toEqual(["c", "b", "a"]);
  expect(page?.pagination.total).toBe(3);
});

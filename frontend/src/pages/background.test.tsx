// On every page, data remains visible when a background refresh fails.
import { act, screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { activityRow, commitRow, guildRow, playerRow, STICKERS } from "../test/fixtures";
import { mockApi, renderPage } from "../test/render-page";

const list = { total: 1, limit: 30, offset: 0, page: 1, hasNextPage: false };
const scores = { overall: 12, pu_player_kills: 3, pve_kills: 4, vehicle_destructions: 5, missions_completed: 6 };
const history = [
  { day: "2025-06-01", value: 3 },
  { day: "2025-06-02", value: 5 },
];
const PLAYER = {
  ...scores,
  handle: "Kestrel",
  player_name: "Kestrel",
  org_short: "NOVA",
  rank: 12,
  rank_overall: 12,
  percentile_overall: null,
  playtime: 4_000,
  profile_views: 41,
  is_claimed: true,
  stickers: [],
  game_stats: { pu_player_kills: 3 },
  lifetime: { playtimeHours: 5, totalMatches: 6 },
  progress: { level: 2, currentXP: 1, nextLevelXP: 3 },
  last_active: null,
};
const GUILD = { name: "Nova", short: "NOVA", member_count: 1, top_members: [], rank_overall: 7 };
const GUILD_STATS = { ...scores, pu_npc_kills: 4, pu_vehicle_destruction_caused: 5, playtime: 4_000 };

const ANSWERS: readonly [RegExp, object][] = [
  [/^\/api\/config$/, { discord: null }],
  [/^\/api\/stickers$/, { stickers: STICKERS }],
  [/^\/api\/players\/(top|leaderboard)$/, { players: [playerRow(1)], pagination: list }],
  [/^\/api\/guilds\/leaderboard$/, { data: [guildRow(1)], pagination: list }],
  [/^\/api\/stats\/counts$/, { players: 42, orgs: 7 }],
  [
    /^\/api\/patch$/,
    { data: { patch: "ALPHA 4.9", stats: { npc_kills: 1, player_kills: 2, vehicle_destructions: 3 } } },
  ],
  [/^\/api\/commits$/, { commits: [commitRow("a1")], pagination: list }],
  [/activity$/, { data: [activityRow(1)], pagination: list }],
  [/^\/api\/player\/[^/]+\/history$/, { data: history }],
  [/^\/api\/player\/[^/]+\/(weapons|vehicles)$/, { data: [{ id: "1", name: "Arrow", kills: 4, usage_count: 4 }] }],
  [/^\/api\/player\/[^/]+\/missions$/, { data: [] }],
  [/^\/api\/player\/[^/]+$/, { player: PLAYER }],
  [/^\/api\/guild\/settings\//, { settings: { guild_image: null, banner_image: null, discord_link: null } }],
  [/^\/api\/guild\/stats\//, { data: GUILD_STATS }],
  [/^\/api\/guild\/[^/]+\/members$/, { members: [{ ...GUILD_STATS, handle: "Kestrel" }], pagination: list }],
  [/^\/api\/guild\/[^/]+\/career$/, { data: { givers: [] } }],
  [/^\/api\/guild\/[^/]+$/, { guild: GUILD }],
  [/\.md$/, { raw: "# Title\n\n## Section\n\nText." }],
];

test.each([
  ["/", "Pilot_1"],
  ["/players", "Pilot_1"],
  ["/guilds", "ORG1"],
  ["/activity", "Pilot_1"],
  ["/updates", "Fly further"],
  ["/player/Kestrel", "Arrow"],
  ["/player/Kestrel/weapons", "Arrow"],
  ["/player/Kestrel/recent-activity", "Pilot_1"],
  ["/guild/NOVA", "Pilot_1"],
  ["/guild/NOVA/players", "Kestrel"],
  ["/guides", "Section"],
])("%s keeps its data if a background refresh fails", async (at, text) => {
  mockApi((url) => ANSWERS.find(([path]) => path.test(url.pathname))?.[1]);
  const { client } = await renderPage(at);
  const main = screen.getByRole("main");
  expect((await within(main).findAllByText(text, { exact: false }))[0]).toBeInTheDocument();
  // Parts of a page load on demand and fetch their own data.
  let queryCount = -1;
  while (client.isFetching() > 0 || queryCount !== client.getQueryCache().getAll().length) {
    queryCount = client.getQueryCache().getAll().length;
    await act(async () => {
      await vi.dynamicImportSettled();
      await new Promise((done) => setTimeout(done, 20));
    });
  }
  const before = main.textContent;
  mockApi(() => ({ status: 503, error: "Busy.", code: "OVERLOADED" }));
  await act(() => client.invalidateQueries());
  expect(within(main).queryByRole("alert")).toBeNull();
  expect(main.textContent).toBe(before);
  expect(screen.getByRole("region", { name: "Notifications" })).toHaveTextContent("Server Error");
});

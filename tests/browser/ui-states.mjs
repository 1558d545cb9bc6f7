// UI states that no URL shows directly: failed, invalid and pending requests, and views for owners. Shared by the tests of
// UI states and by the screenshots. `mocks` are those of `openPage`; `act` performs user actions; the page must then contain
// each of `expectedTexts`.
import { exampleRows } from "./routes.mjs";
import { accountStates } from "./ui-states-account.mjs";
import { claimStates } from "./ui-states-claim.mjs";
import { eventStates } from "./ui-states-event.mjs";
import { moderationStates } from "./ui-states-moderation.mjs";
import { openPage, site } from "./support.mjs";

/** Live updates would change what a mocked response shows. */
const NO_STREAM = [/^GET \/api\/live/, "never"];

export const failure = (status, error, code = "INTERNAL", headers) => ({ status, error, code, headers });
const BROKEN = failure(500, "The database is asleep.");

/** The states by test file, for an example player (handle) and guild (tag). */
export function stateGroups(example) {
  return {
    public: publicStates(example),
    claim: claimStates(example),
    account: accountStates(example),
    moderation: [...moderationStates(), ...eventStates()],
  };
}

/** All states. */
export const uiStates = (example) => Object.values(stateGroups(example)).flat();

/** States of pages that need no account. */
function publicStates({ player, guild }) {
  const profile = new RegExp(`^GET /api/player/${player}$`);
  const tagged = new RegExp(`^GET /api/guild/${guild}$`);
  const board = /^GET \/api\/players\/leaderboard/;
  const boards = (reply) => [[board, reply]];
  const playersState = (name, reply, ...expectedTexts) => ({ name, path: "/players", mocks: boards(reply), expectedTexts });
  return [
    {
      name: "home, server unreachable",
      path: "/",
      mocks: [[/^GET \/api\/(players|guilds|stats|patch|live)/, "none"]],
      expectedTexts: ["Network error loading top players", "Network error loading top guilds", "Loading...", "Try again"],
    },
    {
      name: "home, server error",
      path: "/",
      mocks: [[/^GET \/api\/(players|guilds)/, BROKEN]],
      expectedTexts: ["Failed to load top players", "Failed to load top guilds", "The database is asleep."],
    },
    { name: "home, loading", path: "/", mocks: [[/^GET \/api\/patch/, "never"]], expectedTexts: ["Loading Apogee..."] },
    playersState("players, server error", BROKEN, "Failed to load players", "Server Error", "The database is asleep."),
    playersState("players, server unreachable", "none", "Network error loading players", "Connection Problem"),
    playersState(
      "players, rate limited",
      failure(429, "Slow down.", "RATE_LIMIT_EXCEEDED", { "retry-after": "30" }),
      "Too Many Requests",
      "You're making requests too quickly. Please wait 30 seconds before trying again.",
    ),
    playersState(
      "players, rate limited without Retry-After",
      failure(429, "Slow down.", "RATE_LIMIT_EXCEEDED"),
      "You're making requests too quickly. Please wait a few minutes before trying again.",
    ),
    playersState("players, signed out", failure(401, "Who are you?", "UNAUTHORIZED"), "Sign In Required", "Sign In"),
    playersState("players, forbidden", failure(403, "Not for you.", "FORBIDDEN"), "Access Denied"),
    playersState("players, blocked", failure(403, "Looks odd.", "SUSPICIOUS_ACCESS_BLOCKED"), "Access Restricted"),
    playersState("players, invalid request", failure(400, "No such board.", "VALIDATION"), "Something Went Wrong", "No such board."),
    playersState("players, empty", { players: [], pagination: { page: 1, limit: 30, total: 0, hasNextPage: false } }, "No players here yet"),
    { name: "players, loading", path: "/players", mocks: boards("never"), expectedTexts: ["Loading players..."] },
    {
      name: "players, second page loading",
      path: "/players",
      mocks: [[/leaderboard.*page=2/, "never"]],
      act: scrollToEnd,
      expectedTexts: ["Loading more players..."],
    },
    {
      name: "players, few",
      path: "/players",
      mocks: [[board, (body) => ({ ...body, players: body.players.slice(0, 3), pagination: { ...body.pagination, total: 3, hasNextPage: false } })]],
      expectedTexts: ["Player rating"],
    },
    {
      name: "guilds, second page loading",
      path: "/guilds",
      mocks: [[/leaderboard.*offset=30/, "never"]],
      act: scrollToEnd,
      expectedTexts: ["Loading more guilds..."],
    },
    {
      name: "search with suggestions",
      path: "/about",
      mocks: [],
      act: async (page) => {
        await page.getByRole("banner").waitFor();
        const opener = page.locator("header").getByRole("button", { name: "Search", expanded: false });
        if (await opener.isVisible()) await opener.click();
        await page.locator("header").getByRole("combobox", { name: "Search" }).last().fill(player.slice(0, 5));
        await page.getByRole("listbox").getByRole("option").first().waitFor();
      },
      expectedTexts: [player],
    },
    {
      name: "menu",
      path: "/about",
      mocks: [],
      act: async (page) => {
        await page.getByRole("banner").waitFor();
        const opener = page.getByRole("button", { name: "Menu", exact: true });
        if (await opener.isVisible()) await opener.click();
        else await page.getByRole("button", { name: "Updates" }).click();
      },
      expectedTexts: ["Changelog"],
    },
    {
      name: "updates, server error",
      path: "/updates",
      mocks: [[/^GET \/api\/commits/, BROKEN]],
      expectedTexts: ["HTTP 500: Failed to fetch commits"],
    },
    { name: "updates, server unreachable", path: "/updates", mocks: [[/^GET \/api\/commits/, "none"]], expectedTexts: ["Failed to connect to the API."] },
    {
      name: "updates, empty",
      path: "/updates",
      mocks: [[/^GET \/api\/commits/, { commits: [], pagination: { limit: 20, offset: 0, total: 0 } }]],
      expectedTexts: ["No updates available at the moment.", "Updates are automatically synced from our source repositories"],
    },
    {
      name: "updates, commit without fields",
      path: "/updates",
      mocks: [
        [
          /^GET \/api\/commits/,
          { commits: [{ id: "0123456789abcdef", timestamp: 1, author_name: null }], pagination: { limit: 20, offset: 0, total: 1 } },
        ],
      ],
      expectedTexts: ["No commit message", "Unknown", "0123456", "main", "All 1 commits loaded"],
    },
    { name: "updates, loading", path: "/updates", mocks: [[/^GET \/api\/commits/, "never"]], expectedTexts: ["Loading latest updates..."] },
    { name: "player, not found", path: "/player/Nobody_Here", mocks: [], expects404: true, expectedTexts: ['Player "Nobody_Here" not found', "Please try again or check if the player name is correct.", "Try again"] },
    { name: "player, server error", path: `/player/${player}`, mocks: [[profile, BROKEN]], expectedTexts: ["Failed to load player data", "API_UNAVAILABLE"] },
    { name: "player, response is not JSON", path: `/player/${player}`, mocks: [[profile, { text: "<html>" }]], expectedTexts: ["Invalid response format from server"] },
    { name: "player, response is not an object", path: `/player/${player}`, mocks: [[profile, { text: "null" }]], expectedTexts: ["Invalid response from server"] },
    {
      name: "player, error with a message",
      path: `/player/${player}`,
      mocks: [[profile, { text: JSON.stringify({ success: false, error: "This player is being moved." }) }]],
      expectedTexts: ["This player is being moved."],
    },
    { name: "player, loading", path: `/player/${player}`, mocks: [[profile, "never"]], expectedTexts: ["Loading Player Profile", "Fetching the latest data..."] },
    {
      name: "player, hidden",
      path: `/player/${player}`,
      mocks: [[profile, { player: { handle: player, is_hidden: true } }]],
      expectedTexts: ["Profile hidden", "This profile has been hidden from public view by owner.", "Back to Players"],
    },
    {
      name: "player, not claimed",
      path: `/player/${player}`,
      mocks: [[profile, (body) => ({ ...body, player: { ...empty(body.player), is_claimed: false } })]],
      expectedTexts: ["Profile not claimed yet", "Player has not yet claimed their profile", "Back to Players"],
    },
    {
      name: "player, without a guild",
      path: `/player/${player}`,
      mocks: [[profile, (body) => ({ ...body, player: { ...body.player, org_short: "NONE", stickers: ["1"] } })]],
      expectedTexts: ["No Organization"],
    },
    {
      name: "player, link copied",
      path: `/player/${player}`,
      mocks: [],
      act: (page) => page.getByRole("button", { name: "Share" }).click(),
      expectedTexts: ["Copied!"],
    },
    {
      name: "player, filter without matches",
      path: `/player/${player}/recent-activity?filter=pvp`,
      mocks: [[/\/activity\?/, { data: [], pagination: { limit: 100, offset: 0, total: 0 } }]],
      expectedTexts: ["No PVP activities found for this player"],
    },
    {
      name: "player, all activity",
      path: `/player/${player}/recent-activity?filter=missions`,
      mocks: [[/\/activity\?/, (body) => ({ ...body, data: body.data.slice(0, 3), pagination: { ...body.pagination, total: 3, hasNextPage: false } })]],
      expectedTexts: ["Showing all 3 mission activities"],
    },
    {
      name: "guild, not found",
      path: "/guild/NOSUCH",
      mocks: [],
      expects404: true,
      expectedTexts: ["Guild not found", "Please try again or check if the guild name is correct.", "Try again"],
    },
    { name: "guild, server error", path: `/guild/${guild}`, mocks: [[tagged, BROKEN]], expectedTexts: ["Failed to load guild data", "Server Error"] },
    { name: "guild, loading", path: `/guild/${guild}`, mocks: [[tagged, "never"]], expectedTexts: ["Loading Guild Profile", "Fetching the latest data..."] },
    {
      name: "guild, without kills",
      path: `/guild/${guild}`,
      mocks: [
        [tagged, (body) => ({ ...body, guild: { ...body.guild, top_members: [], rank_overall: null, rank_pvp: null, rank_pve: null, rank_vehicle: null } })],
        [/^GET \/api\/guild\/stats\//, { data: { pu_player_kills: 0, pu_npc_kills: 0, pu_vehicle_destruction_caused: 0 } }],
        [/^GET \/api\/guild\/[^/]+\/activity/, { data: [], pagination: { limit: 5, offset: 0, total: 0 } }],
      ],
      expectedTexts: ["Unranked", "No Recent Activity"],
    },
    {
      name: "guild, unknown rank",
      path: `/guild/${guild}`,
      mocks: [[/^GET \/api\/guild\/stats\//, BROKEN]],
      expectedTexts: ["Ranked"],
    },
    { name: "guild, server error of its players", path: `/guild/${guild}/players`, mocks: [[/\/members\?/, BROKEN]], expectedTexts: ["Failed to load guild players"] },
    {
      name: "guild, without players",
      path: `/guild/${guild}/players`,
      mocks: [[/\/members\?/, { members: [], pagination: { limit: 100, offset: 0, total: 0 } }]],
      expectedTexts: ["No players found for this guild."],
    },
    {
      name: "guild, filter without matches",
      path: `/guild/${guild}/recent-activity?filter=vehicles`,
      mocks: [[/\/activity\?/, { data: [], pagination: { limit: 100, offset: 0, total: 0 } }]],
      expectedTexts: ["No Vehicles Activity"],
    },
    {
      name: "bot page, file missing",
      path: "/discord-bot",
      mocks: [[/\/help_en\.md/, failure(500, "gone")]],
      expectedTexts: ["Unable to load bot features. Please check that the help file is available and try refreshing the page."],
    },
    {
      name: "app page, file missing",
      path: "/connect-app",
      mocks: [[/\/app_readme\.md/, failure(500, "gone")]],
      expectedTexts: ["Unable to load app features. Please check that the readme file is available and try refreshing the page."],
    },
    { name: "activity, server error", path: "/activity", mocks: [[/^GET \/api\/activity/, BROKEN]], expectedTexts: ["Failed to load activity", "Try again"] },
  ];
}

/** Scrolls to row 30, the end of the first page of a leaderboard. */
const scrollToEnd = (page) => page.locator("main li a").filter({ hasNotText: "#" }).nth(30).scrollIntoViewIfNeeded().then(() => page.mouse.wheel(0, 20_000));

/** A player whose statistics are zero. */
export const empty = (player) => ({
  ...player,
  missions_completed: 0,
  playtime: 0,
  universe_time: 0,
  ships_flown: 0,
  career: 0,
  game_stats: Object.fromEntries(Object.entries(player.game_stats).map(([name, value]) => [name, typeof value === "number" ? 0 : value])),
});

/** Handle and tag of the example player and guild. */
export async function exampleNames(base) {
  const { player, guild } = await exampleRows(base);
  return { player: player.handle, guild: guild.org_short };
}

/** Opens a page in a UI state and waits for its expected texts. */
export async function openState({ path, mocks, act, expectedTexts, ...more }, size) {
  const opened = await openPage({ ...size, mocks: [...mocks, NO_STREAM], expectsFailures: mocks.length > 0, ...more });
  await opened.page.goto(site().base + path, { waitUntil: "domcontentloaded" });
  await act?.(opened.page);
  for (const text of expectedTexts) await opened.page.getByText(text).first().waitFor({ state: "attached" });
  // A menu can be shown before the page behind it.
  await opened.page.locator("h1").first().waitFor({ state: "attached" });
  return opened;
}

// The states of the site that no address shows by itself: what failing, odd and late answers make of it, and what is
// drawn for owners. Used by the tests of states and by the screenshots. `answers` are those of `openPage`; `act` does what
// a visitor would do; `sees` must stand on the page afterwards, letter for letter.
import { names } from "./routes.mjs";
import { accountScenes } from "./scenes-account.mjs";
import { claimScenes } from "./scenes-claim.mjs";
import { openPage, site } from "./support.mjs";

/** What a scene may take to stand. Milliseconds. */
const STAND_MS = 15_000;

export const failure = (status, error, code = "INTERNAL", headers) => ({ status, error, code, headers });
const BROKEN = failure(500, "The database is asleep.");

/** All states, of this handle and this tag. */
export function scenes({ player, guild }) {
  const profile = new RegExp(`^GET /api/player/${player}$`);
  const tagged = new RegExp(`^GET /api/guild/${guild}$`);
  const board = /^GET \/api\/players\/leaderboard/;
  const boards = (reply) => [[board, reply]];
  const told = (name, reply, ...sees) => ({ name, path: "/players", answers: boards(reply), sees });
  return [
    {
      name: "home without the server",
      path: "/",
      answers: [[/^GET \/api\/(players|guilds|stats|patch|live)/, "none"]],
      sees: ["Network error loading top players", "Network error loading top guilds", "Loading...", "Try again"],
    },
    {
      name: "home, refused",
      path: "/",
      answers: [[/^GET \/api\/(players|guilds)/, BROKEN]],
      sees: ["Failed to load top players", "Failed to load top guilds", "The database is asleep."],
    },
    { name: "home on its way", path: "/", answers: [[/^GET \/api\/patch/, "never"]], sees: ["Loading Apogee..."] },
    told("players, refused", BROKEN, "Failed to load players", "Server Error", "The database is asleep."),
    told("players without the server", "none", "Network error loading players", "Connection Problem"),
    told(
      "players, too often",
      failure(429, "Slow down.", "RATE_LIMIT_EXCEEDED", { "retry-after": "30" }),
      "Too Many Requests",
      "You're making requests too quickly. Please wait 30 seconds before trying again.",
    ),
    told(
      "players, too often, without a time",
      failure(429, "Slow down.", "RATE_LIMIT_EXCEEDED"),
      "You're making requests too quickly. Please wait a few minutes before trying again.",
    ),
    told("players, signed out", failure(401, "Who are you?", "UNAUTHORIZED"), "Sign In Required", "Sign In"),
    told("players, denied", failure(403, "Not for you.", "FORBIDDEN"), "Access Denied"),
    told("players, blocked", failure(403, "Looks odd.", "SUSPICIOUS_ACCESS_BLOCKED"), "Access Restricted"),
    told("players, wrong", failure(400, "No such board.", "VALIDATION"), "Something Went Wrong", "No such board."),
    told("players, nobody", { players: [], pagination: { page: 1, limit: 30, total: 0, hasNextPage: false } }, "No players here yet"),
    { name: "players on their way", path: "/players", answers: boards("never"), sees: ["Loading players..."] },
    {
      name: "players, the second page on its way",
      path: "/players",
      answers: [[/leaderboard.*page=2/, "never"]],
      act: toTheEnd,
      sees: ["Loading more players..."],
    },
    {
      name: "players, few",
      path: "/players",
      answers: [[board, (body) => ({ ...body, players: body.players.slice(0, 3), pagination: { ...body.pagination, total: 3, hasNextPage: false } })]],
      sees: ["Player rating"],

    },
    {
      name: "guilds, the second page on its way",
      path: "/guilds",
      answers: [[/leaderboard.*offset=30/, "never"]],
      act: toTheEnd,
      sees: ["Loading more guilds..."],
    },
    {
      name: "search with suggestions",
      path: "/about",
      answers: [],
      act: async (page) => {
        await page.getByRole("banner").waitFor();
        const opener = page.locator("header").getByRole("button", { name: "Search", expanded: false });
        if (await opener.isVisible()) await opener.click();
        await page.locator("header").getByRole("combobox", { name: "Search" }).last().fill(player.slice(0, 5));
        await page.getByRole("listbox").getByRole("option").first().waitFor();
      },
      sees: [player],
    },
    {
      name: "menu",
      path: "/about",
      answers: [],
      act: async (page) => {
        await page.getByRole("banner").waitFor();
        const opener = page.getByRole("button", { name: "Menu", exact: true });
        if (await opener.isVisible()) await opener.click();
        else await page.getByRole("button", { name: "Community" }).click();
      },
      sees: ["Discord community"],
    },
    {
      name: "updates, refused",
      path: "/updates",
      answers: [[/^GET \/api\/commits/, BROKEN]],
      sees: ["HTTP 500: Failed to fetch commits"],
    },
    { name: "updates without the server", path: "/updates", answers: [[/^GET \/api\/commits/, "none"]], sees: ["Failed to connect to the API."] },
    {
      name: "updates, none",
      path: "/updates",
      answers: [[/^GET \/api\/commits/, { commits: [], pagination: { limit: 20, offset: 0, total: 0 } }]],
      sees: ["No updates available at the moment.", "Updates are automatically synced from our source repositories"],
    },
    {
      name: "updates, one without anything",
      path: "/updates",
      answers: [
        [
          /^GET \/api\/commits/,
          { commits: [{ id: "0123456789abcdef", timestamp: 1, author_name: null }], pagination: { limit: 20, offset: 0, total: 1 } },
        ],
      ],
      sees: ["No commit message", "Unknown", "0123456", "main", "All 1 commits loaded"],
    },
    { name: "updates on their way", path: "/updates", answers: [[/^GET \/api\/commits/, "never"]], sees: ["Loading latest updates..."] },
    { name: "player not there", path: "/player/Nobody_Here", answers: [], isMissing: true, sees: ['Player "Nobody_Here" not found', "Please try again or check if the player name is correct.", "Try again"] },
    { name: "player, refused", path: `/player/${player}`, answers: [[profile, BROKEN]], sees: ["Failed to load player data", "API_UNAVAILABLE"] },
    { name: "player, no JSON", path: `/player/${player}`, answers: [[profile, { text: "<html>" }]], sees: ["Invalid response format from server"] },
    { name: "player, no object", path: `/player/${player}`, answers: [[profile, { text: "null" }]], sees: ["Invalid response from server"] },
    {
      name: "player, a no with a reason",
      path: `/player/${player}`,
      answers: [[profile, { text: JSON.stringify({ success: false, error: "This player is being moved." }) }]],
      sees: ["This player is being moved."],
    },
    { name: "player on the way", path: `/player/${player}`, answers: [[profile, "never"]], sees: ["Loading Player Profile", "Fetching the latest data..."] },
    {
      name: "player, hidden",
      path: `/player/${player}`,
      answers: [[profile, { player: { handle: player, is_hidden: true } }]],
      sees: ["Profile hidden", "This profile has been hidden from public view by owner.", "Back to Players"],
    },
    {
      name: "player, not claimed",
      path: `/player/${player}`,
      answers: [[profile, (body) => ({ ...body, player: { ...empty(body.player), is_claimed: false } })]],
      sees: ["Profile not claimed yet", "Player has not yet claimed their profile", "Back to Players"],
    },
    {
      name: "player without a guild",
      path: `/player/${player}`,
      answers: [[profile, (body) => ({ ...body, player: { ...body.player, org_short: "NONE", stickers: ["1"] } })]],
      sees: ["No Organization"],
    },
    {
      name: "player, link copied",
      path: `/player/${player}`,
      answers: [],
      act: (page) => page.getByRole("button", { name: "Share" }).click(),
      sees: ["Copied!"],
    },
    {
      name: "player, no such activity",
      path: `/player/${player}/recent-activity?filter=pvp`,
      answers: [[/\/activity\?/, { data: [], pagination: { limit: 100, offset: 0, total: 0 } }]],
      sees: ["No PVP activities found for this player"],
    },
    {
      name: "player, all activity",
      path: `/player/${player}/recent-activity?filter=missions`,
      answers: [[/\/activity\?/, (body) => ({ ...body, data: body.data.slice(0, 3), pagination: { ...body.pagination, total: 3, hasNextPage: false } })]],
      sees: ["Showing all 3 mission activities"],
    },
    {
      name: "guild not there",
      path: "/guild/NOSUCH",
      answers: [],
      isMissing: true,
      sees: ["Guild not found", "Please try again or check if the guild name is correct.", "Try again"],
    },
    { name: "guild, refused", path: `/guild/${guild}`, answers: [[tagged, BROKEN]], sees: ["Failed to load guild data", "Server Error"] },
    { name: "guild on the way", path: `/guild/${guild}`, answers: [[tagged, "never"]], sees: ["Loading Guild Profile", "Fetching the latest data..."] },
    {
      name: "guild without kills",
      path: `/guild/${guild}`,
      answers: [
        [tagged, (body) => ({ ...body, guild: { ...body.guild, top_members: [], rank_overall: null, rank_pvp: null, rank_pve: null, rank_vehicle: null } })],
        [/^GET \/api\/guild\/stats\//, { data: { pu_player_kills: 0, pu_npc_kills: 0, pu_vehicle_destruction_caused: 0 } }],
        [/^GET \/api\/guild\/[^/]+\/activity/, { data: [], pagination: { limit: 5, offset: 0, total: 0 } }],
      ],
      sees: ["Unranked", "No Recent Activity"],
    },
    {
      name: "guild, rank not known",
      path: `/guild/${guild}`,
      answers: [[/^GET \/api\/guild\/stats\//, BROKEN]],
      sees: ["Ranked"],
    },
    { name: "guild, players refused", path: `/guild/${guild}/players`, answers: [[/\/members\?/, BROKEN]], sees: ["Failed to load guild players"] },
    {
      name: "guild, no players",
      path: `/guild/${guild}/players`,
      answers: [[/\/members\?/, { members: [], pagination: { limit: 100, offset: 0, total: 0 } }]],
      sees: ["No players found for this guild."],
    },
    {
      name: "guild, no such activity",
      path: `/guild/${guild}/recent-activity?filter=vehicles`,
      answers: [[/\/activity\?/, { data: [], pagination: { limit: 100, offset: 0, total: 0 } }]],
      sees: ["No Vehicles Activity"],
    },
    {
      name: "bot page without its file",
      path: "/discord-bot",
      answers: [[/\/help_en\.md/, failure(500, "gone")]],
      sees: ["Unable to load bot features. Please check that the help file is available and try refreshing the page."],
    },
    {
      name: "app page without its file",
      path: "/connect-app",
      answers: [[/\/app_readme\.md/, failure(500, "gone")]],
      sees: ["Unable to load app features. Please check that the readme file is available and try refreshing the page."],
    },
    { name: "activity, refused", path: "/activity", answers: [[/^GET \/api\/activity/, BROKEN]], sees: ["Failed to load activity", "Try again"] },
    ...claimScenes({ player, guild }),
    ...accountScenes({ player, guild }),
  ];
}

/** To the thirtieth row, where the first page of a board ends. */
const toTheEnd = (page) => page.locator("main li a").filter({ hasNotText: "#" }).nth(30).scrollIntoViewIfNeeded().then(() => page.mouse.wheel(0, 20_000));

/** A player of whom nothing is recorded. */
export const empty = (player) => ({
  ...player,
  missions_completed: 0,
  game_stats: Object.fromEntries(Object.entries(player.game_stats).map(([name, value]) => [name, typeof value === "number" ? 0 : value])),
});

/** The names the scenes are about. */
export async function subjects(base) {
  const { player, guild } = await names(base);
  return { player: player.handle, guild: guild.org_short };
}

/** Opens a scene, acts it, and waits for its words. */
export async function playScene({ path, answers, act, sees, ...more }, size) {
  const opened = await openPage({ ...size, answers, isFailing: answers.length > 0, ...more });
  await opened.page.goto(site().base + path, { waitUntil: "domcontentloaded" });
  await act?.(opened.page);
  for (const text of sees) await opened.page.getByText(text).first().waitFor({ state: "attached", timeout: STAND_MS });
  // A menu is there before the page behind it.
  await opened.page.locator("h1").first().waitFor({ state: "attached", timeout: STAND_MS });
  return opened;
}

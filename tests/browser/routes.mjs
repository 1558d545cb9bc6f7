// All paths of the site with their expected titles, and the three viewport sizes. Shared by the browser tests and the
// screenshots.

export const WIDTHS = [
  { name: "wide", width: 1440, height: 900 },
  { name: "tablet", width: 768, height: 1024 },
  { name: "phone", width: 390, height: 844 },
];

/** Paths that do not depend on the database: `[path, title]`. */
const FIXED = [
  ["/", "Apogee"],
  ["/players", "Player rating - Apogee"],
  ["/guilds", "Guild Rating - Apogee"],
  ["/activity", "Live activity - Apogee"],
  ["/updates", "Updates & Changes - Apogee"],
  ["/about", "About - Apogee"],
  ["/guides", "Guides - Apogee"],
  ["/api", "API Documentation - Apogee"],
  ["/privacy", "Privacy Policy - Apogee"],
  ["/terms", "Terms of Service - Apogee"],
  ["/discord-bot", "Discord bot - Apogee"],
  ["/connect-app", "Connect App - Apogee"],
  ["/upload", "Read my log - Apogee"],
  ["/connect", "Connect a log reader - Apogee"],
  ["/link", "Link your account - Apogee"],
  ["/player/claim", "Claim your profile - Apogee"],
  ["/image-editor-test", "Image editor - Apogee"],
  ["/profile/data", "My data - Apogee"],
  ["/admin", "Admin - Apogee"],
];

const PLAYER_TABS = ["", "/career", "/weapons", "/vehicles", "/missions", "/recent-activity"];
const GUILD_TABS = ["", "/players", "/recent-activity"];

/** Rank of the example player and guild. Tests of live updates change the leaders, so these are not the first. */
const EXAMPLE_RANK = 7;

/** Reads an example player and guild from the server at `base`. */
export async function exampleRows(base) {
  const read = async (path) => (await fetch(base + path)).json();
  const { players } = await read(`/api/players/top?limit=${EXAMPLE_RANK}`);
  const { data } = await read(`/api/guilds/leaderboard?limit=${EXAMPLE_RANK}`);
  return { player: players.at(-1), guild: data.at(-1) };
}

/** The id of an event of the server at `base`: one of the oldest in the newest page, since tests of live updates report new ones. */
export async function exampleEvent(base) {
  const { data } = await (await fetch(`${base}/api/activity?filter=pvp`)).json();
  return data.at(-1).id;
}

/** All paths, including those of an example player and guild of the server at `base`. */
export async function routes(base) {
  const { player, guild } = await exampleRows(base);
  const event = await exampleEvent(base);
  const missing = { title: "Not found - Apogee", expects404: true };
  return [
    ...FIXED.map(([path, title]) => ({ path, title })),
    ...PLAYER_TABS.map((tab) => ({ path: `/player/${player.handle}${tab}`, title: `${player.handle} - Apogee` })),
    ...GUILD_TABS.map((tab) => ({
      path: `/guild/${guild.org_short}${tab}`,
      title: `${guild.org_name} [${guild.org_short}] - Apogee`,
    })),
    { path: `/event/${event}`, title: `Event ${event} - Apogee` },
    { path: "/404", ...missing },
    { path: "/event/0", ...missing, title: "Event 0 - Apogee" },
    { path: "/player/Nobody_Of_This_Name", ...missing, title: "Nobody_Of_This_Name - Apogee" },
  ];
}

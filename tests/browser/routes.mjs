// Every address of the site with the title it must have, and the three widths it is looked at in. Used by the browser
// tests and by the screenshots, so that a new page is in both or in neither.

export const WIDTHS = [
  { name: "wide", width: 1440, height: 900 },
  { name: "tablet", width: 768, height: 1024 },
  { name: "phone", width: 390, height: 844 },
];

/** Addresses that do not depend on what is in the database: `[path, title]`. */
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
  ["/connect", "Connect a log reader - Apogee"],
  ["/link", "Link your account - Apogee"],
  ["/player/claim", "Claim your profile - Apogee"],
  ["/image-editor-test", "Image editor - Apogee"],
];

const PLAYER_TABS = ["", "/weapons", "/vehicles", "/missions", "/recent-activity"];
const GUILD_TABS = ["", "/players", "/recent-activity"];

/** All addresses, with the leading player and the leading guild of the database behind `base`. */
export async function routes(base) {
  const read = async (path) => (await fetch(base + path)).json();
  const { players } = await read("/api/players/top?limit=1");
  const { data } = await read("/api/guilds/leaderboard?limit=1");
  const [player] = players;
  const [guild] = data;
  const missing = { title: "Not found - Apogee", isMissing: true };
  return [
    ...FIXED.map(([path, title]) => ({ path, title })),
    ...PLAYER_TABS.map((tab) => ({ path: `/player/${player.handle}${tab}`, title: `${player.handle} - Apogee` })),
    ...GUILD_TABS.map((tab) => ({
      path: `/guild/${guild.org_short}${tab}`,
      title: `${guild.org_name} [${guild.org_short}] - Apogee`,
    })),
    { path: "/404", ...missing },
    { path: "/player/Nobody_Of_This_Name", ...missing, title: "Nobody_Of_This_Name - Apogee" },
  ];
}

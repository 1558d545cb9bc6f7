// Names of players, guilds, weapons, vehicles and contracts are kept by browsers that translate the page: an element around each
// has translate="no".
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { exampleEvent, exampleRows } from "./routes.mjs";
import { closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);
const { base } = site();
const read = async (path) => (await fetch(base + path)).json();

const { player, guild } = await exampleRows(base);
const UNKNOWN = "Nobody_Of_This_Name";

/** Names that the demo's pages show. */
async function knownNames() {
  const { players } = await read("/api/players/leaderboard?limit=100");
  const { data: guilds } = await read("/api/guilds/leaderboard?limit=50");
  const { data: events } = await read("/api/activity");
  const names = [
    UNKNOWN,
    ...players.flatMap((row) => [row.handle, row.player_name, row.org_short, row.org_name]),
    ...guilds.flatMap((row) => [row.org_short, row.org_name]),
    ...events.flatMap((row) => [row.killer, row.victim, row.player_name, row.weapon_friendly_name, row.vehicle_friendly_name, row.contract_name]),
  ];
  // Modes are named AC and PU, as a guild may be.
  return [...new Set(names)].filter((name) => name && !/^(none|unknown|hidden|redacted|ac|pu)$/i.test(name));
}

/** The texts of the page that contain a name which may be translated. */
const translated = (page, names) =>
  page.evaluate((known) => {
    const escaped = known.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const anyName = new RegExp(`(?<![\\p{L}\\p{N}_-])(${escaped.join("|")})(?![\\p{L}\\p{N}_-])`, "u");
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
      const { textContent, parentElement } = texts.currentNode;
      if (parentElement.closest("[translate=no], script, style")) continue;
      if (anyName.test(textContent)) found.push(`${parentElement.closest("[class]")?.className}: ${textContent}`);
    }
    return found;
  }, names);

test("no page offers names of players, guilds or equipment to a translating browser", async () => {
  const names = await knownNames();
  assert.ok(names.length > 100, String(names.length));
  const { page, go, close } = await openPage({ expects404: true });
  const profile = `/player/${encodeURIComponent(player.handle)}`;
  const paths = [
    ...["/", "/players", "/guilds", "/activity", "/discord-bot", `/event/${await exampleEvent(base)}`, `/player/${UNKNOWN}`, `/guild/${UNKNOWN}`],
    ...["", "/weapons", "/vehicles", "/missions", "/recent-activity"].map((tab) => profile + tab),
    ...["", "/players", "/recent-activity"].map((tab) => `/guild/${guild.org_short}${tab}`),
  ];
  for (const path of paths) {
    await go(path);
    assert.deepEqual(await translated(page, names), [], path);
  }
  await close();
});

// Preload links in the HTML of a page. A link to a missing file would waste a request on every visit; a missing link would cost
// a round trip.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { exampleNames } from "./ui-states.mjs";
import { closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);

const { player, guild } = await exampleNames(site().base);

/** The paths of the files that the HTML of a page preloads or runs. */
async function preloadsOf(path) {
  const html = await (await fetch(site().base + path)).text();
  const links = [...html.matchAll(/<link rel="(?:modulepreload|preload|stylesheet)"[^>]*>/g)].map(([link]) => /href="([^"]+)"/.exec(link)[1]);
  return [...links, /src="(\/assets\/[^"]+)"/.exec(html)[1]];
}

/** The paths of the scripts that a built script imports statically. */
const importsOf = (script) => [...script.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)].map(([, name]) => `/assets/${name}`);

const MODULES = [
  ["/", "home"],
  ["/players", "players"],
  ["/guilds", "guilds"],
  ["/activity", "activity"],
  [`/player/${player}`, "player"],
  [`/guild/${guild}`, "guild"],
  ["/link", "link"],
  ["/updates", "updates"],
];

for (const [path, module] of MODULES) {
  test(`the HTML of ${path} preloads its module and all that this imports, and no missing file`, async () => {
    const preloads = await preloadsOf(path);
    assert.ok(preloads.some((name) => new RegExp(`^/assets/${module}-[\\w-]{8}\\.js$`).test(name)), `${module} is not in ${preloads}`);
    for (const name of preloads) {
      const response = await fetch(site().base + name);
      assert.equal(response.status, 200, name);
      // A body that is not read keeps its connection and so the test's process for a minute.
      const text = await response.text();
      if (!name.endsWith(".js")) continue;
      for (const needed of importsOf(text)) assert.ok(preloads.includes(needed), `${name} imports ${needed}`);
    }
  });
}

test("a tab of a player preloads the page without its overview", async () => {
  const overview = /href="\/assets\/player-overview-/;
  assert.match(await (await fetch(`${site().base}/player/${player}`)).text(), overview);
  assert.doesNotMatch(await (await fetch(`${site().base}/player/${player}/weapons`)).text(), overview);
});

test("the home page preloads the background image that it shows, on wide screens and phones", async () => {
  for (const size of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    const { page, go, close } = await openPage({ ...size, isOwn: true });
    try {
      const requested = [];
      page.on("request", (request) => {
        if (/\/static\/images\/home-/.test(request.url())) requested.push(new URL(request.url()).pathname);
      });
      await go("/");
      const shown = await page.locator("img").first().evaluate((image) => new URL(image.currentSrc).pathname);
      assert.match(shown, size.width === 390 ? /home-\d-tall\.webp$/ : /home-\d\.webp$/);
      assert.equal(requested[0], shown);
      // The second image belongs to the patch card.
      assert.ok(new Set(requested).size <= 2, requested.join(" "));
    } finally {
      await close();
    }
  }
});

test("the HTML of a profile and of a leaderboard begins with the banner and the heading that the page shows", async () => {
  const htmlOf = async (path) => (await fetch(site().base + path)).text();
  const { page, go, close } = await openPage({ width: 1440, height: 900 });
  try {
    const [, banner] = /class="first-banner"><img [^>]*src="([^"]+)"/.exec(await htmlOf(`/player/${player}`));
    await go(`/player/${player}`);
    assert.equal(await page.locator("main header img").first().getAttribute("src"), banner);
    assert.doesNotMatch(await htmlOf(`/overlay/player/${player}`), /first-paint/);
    const [, heading] = /class="first-paint">.*<h1>([^<]+)<\/h1>/.exec(await htmlOf("/players"));
    await go("/players");
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), heading);
  } finally {
    await close();
  }
});

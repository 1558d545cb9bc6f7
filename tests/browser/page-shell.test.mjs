// Preload links in the HTML of a page. A link to a missing file would waste a request on every visit; a missing link would cost
// a round trip.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { exampleNames } from "./ui-states.mjs";
import { closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);

const { player, guild } = await exampleNames(site().base);

for (const path of ["/", "/players", "/guilds", "/activity", `/player/${player}`, `/guild/${guild}`, "/link", "/updates"]) {
  test(`the HTML of ${path} preloads the scripts that the first paint needs`, async () => {
    const html = await (await fetch(site().base + path)).text();
    const links = [...html.matchAll(/<link rel="(?:modulepreload|preload|stylesheet)"[^>]*>/g)].map(([link]) => link);
    const named = links.map((link) => /href="([^"]+)"/.exec(link)[1]);
    for (const href of named) assert.equal((await fetch(site().base + href)).status, 200, href);
    const { page, go, close } = await openPage();
    try {
      await go(path);
      const before = await page.evaluate(() => {
        const drawn = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
        const isEarly = ({ name, responseEnd }) => /\/assets\/.*\.js$/.test(name) && responseEnd < drawn;
        return performance.getEntriesByType("resource").filter(isEarly).map(({ name }) => new URL(name).pathname);
      });
      assert.ok(before.length > 2, "the first paint needs scripts");
      const preloaded = [...named, /src="(\/assets\/[^"]+)"/.exec(html)[1]];
      for (const script of before) assert.ok(preloaded.includes(script), `${script} was needed but not preloaded`);
    } finally {
      await close();
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
    const { page, go, close } = await openPage(size);
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

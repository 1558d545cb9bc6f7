// What the server writes into the head of a page beyond its title: the files that the page will ask for first. A name without a
// file behind it would be a wasted request on every visit, a file without its name a turn more to wait for.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { subjects } from "./scenes.mjs";
import { closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);

const { player, guild } = await subjects(site().base);

for (const path of ["/", "/players", "/guilds", "/activity", `/player/${player}`, `/guild/${guild}`, "/link", "/updates"]) {
  test(`the shell of ${path} names what its page needs, and nothing that is not there`, async () => {
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
      assert.ok(before.length > 2, "the shell is drawn from scripts");
      const preloaded = [...named, /src="(\/assets\/[^"]+)"/.exec(html)[1]];
      for (const script of before) assert.ok(preloaded.includes(script), `${script} was needed and not named`);
    } finally {
      await close();
    }
  });
}

test("the first page announces the one picture that it then shows, on a wide screen and on a phone", async () => {
  for (const size of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    const { page, go, close } = await openPage(size);
    try {
      const asked = [];
      page.on("request", (request) => {
        if (/\/static\/images\/home-/.test(request.url())) asked.push(new URL(request.url()).pathname);
      });
      await go("/");
      const shown = await page.locator("img").first().evaluate((image) => new URL(image.currentSrc).pathname);
      assert.match(shown, size.width === 390 ? /home-\d-tall\.webp$/ : /home-\d\.webp$/);
      assert.equal(asked[0], shown);
      // The other one belongs to the patch; no third is ever fetched.
      assert.ok(new Set(asked).size <= 2, asked.join(" "));
    } finally {
      await close();
    }
  }
});

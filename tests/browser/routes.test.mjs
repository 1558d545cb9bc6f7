// Every address at three widths: quiet, at home, in its width, still while it loads, readable for everybody, and rightly
// named.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { routes, WIDTHS } from "./routes.mjs";
import { closeBrowser, openPage, site, violations } from "./support.mjs";

after(closeBrowser);
const MAX_SHIFT = 0.02;
/** The live feed moves as rows come, as it should. */
const MOVES = "/activity";
const all = await routes(site().base);

for (const { name, width, height } of WIDTHS) {
  for (const { path, title, isMissing } of all) {
    test(`${path} is in order on a ${name} screen`, async () => {
      const { page, problems, shifted, go, close } = await openPage({ width, height, isMissing });
      const response = await go(path);
      assert.equal(response.status(), isMissing ? 404 : 200);
      assert.equal(await page.title(), title);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} px wider than the screen`);
      const { shift, moved } = await shifted();
      if (path !== MOVES) assert.ok(shift <= MAX_SHIFT, `the page moves by ${shift.toFixed(3)}: ${moved}`);
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(problems, []);
      await close();
    });
  }
}

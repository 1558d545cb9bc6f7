// Every path at three widths: status, title, layout shift, width, accessibility, console messages and requests.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { routes, WIDTHS } from "./routes.mjs";
import { closeBrowser, openPage, site, accessibilityViolations } from "./support.mjs";

after(closeBrowser);
const MAX_SHIFT = 0.02;
/** New rows move the live feed. */
const LIVE_FEED = "/activity";
const all = await routes(site().base);

for (const { name, width, height } of WIDTHS) {
  for (const { path, title, expects404 } of all) {
    test(`${path} has no problems on a ${name} screen`, async () => {
      const { page, problems, layoutShift, go, close } = await openPage({ width, height, expects404 });
      const response = await go(path);
      assert.equal(response.status(), expects404 ? 404 : 200);
      assert.equal(await page.title(), title);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} px wider than the screen`);
      const { shift, moved } = await layoutShift();
      if (path !== LIVE_FEED) assert.ok(shift <= MAX_SHIFT, `the page moves by ${shift.toFixed(3)}: ${moved}`);
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(problems, []);
      await close();
    });
  }
}

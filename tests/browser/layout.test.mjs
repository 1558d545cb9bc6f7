// Pages stand still while they load: the browser's own measure of layout shift stays below 0.02. The live feed is left out:
// there the rows that come move the others, as they should.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { routes } from "./routes.mjs";
import { closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);
const MAX_SHIFT = 0.02;
const MEASURED = /^\/$|^\/(players|guilds)$|^\/(player|guild)\/[^/]+$/;
const measured = (await routes(site().base)).filter(({ path, isMissing }) => MEASURED.test(path) && !isMissing);

for (const [name, width, height] of [
  ["wide", 1440, 900],
  ["phone", 390, 844],
]) {
  for (const { path } of measured) {
    test(`${path} stands still while it loads on a ${name} screen`, async () => {
      const { page, context, go, close } = await openPage({ width, height });
      await context.addInitScript(() => {
        window.shift = 0;
        window.moved = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            if (entry.hadRecentInput) continue;
            window.shift += entry.value;
            for (const { node } of entry.sources) window.moved.push(node?.className || node?.nodeName);
          }
        }).observe({ type: "layout-shift", buffered: true });
      });
      await go(path);
      await page.waitForTimeout(500);
      const { shift, moved } = await page.evaluate(() => ({ shift: window.shift, moved: window.moved.join(", ") }));
      assert.ok(shift <= MAX_SHIFT, `${shift.toFixed(3)}: ${moved}`);
      await close();
    });
  }
}

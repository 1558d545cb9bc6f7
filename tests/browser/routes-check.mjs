// The test of every path at one width: status, title, width, accessibility, console messages and requests. It reports layout
// shift, but does not judge it: new events of the demo data move some pages. Each width has its own test file, so that widths run
// in parallel.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { routes, WIDTHS } from "./routes.mjs";
import { closeBrowser, openPage, site, accessibilityViolations } from "./support.mjs";

/** A report names the nodes of larger shifts. */
const LARGE_SHIFT = 0.02;

/** Adds a test of each path at the width of this name. */
export async function testRoutes(widthName) {
  after(closeBrowser);
  const { name, width, height } = WIDTHS.find((one) => one.name === widthName);
  for (const { path, title, expects404 } of await routes(site().base)) {
    test(`${path} has no problems on a ${name} screen`, async (t) => {
      const { page, problems, layoutShift, go, close } = await openPage({ width, height, expects404 });
      const response = await go(path);
      assert.equal(response.status(), expects404 ? 404 : 200);
      assert.equal(await page.title(), title);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} px wider than the screen`);
      const { shift, moved } = await layoutShift();
      if (shift > LARGE_SHIFT) t.diagnostic(`${path} moves by ${shift.toFixed(3)} on a ${name} screen: ${moved}`);
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(problems, []);
      await close();
    });
  }
}

// The test of every path at one width: status, title, width, console messages and requests; on wide screens accessibility, too. It
// reports layout shift and the size of scripts, but does not judge them: new events of the demo data move some pages. Each width has
// its own test file, so that widths run in parallel.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { routes, WIDTHS } from "./routes.mjs";
import { accessibilityViolations, checksEveryPage, closeBrowser, openPage, site } from "./support.mjs";

/** A report names the nodes of larger shifts. */
const LARGE_SHIFT = 0.02;
const SCRIPT_BUDGET_KB = 120;
const SCRIPT_QUIET_MS = 800;

/** Adds a test of each path at the width of this name. */
export async function testRoutes(widthName) {
  after(closeBrowser);
  const { name, width, height } = WIDTHS.find((one) => one.name === widthName);
  for (const { path, title, expects404 } of await routes(site().base)) {
    test(`${path} has no problems on a ${name} screen`, async (t) => {
      const { page, problems, layoutShift, go, close } = await openPage({ width, height, expects404, isShared: true });
      const response = await go(path);
      assert.equal(response.status(), expects404 ? 404 : 200);
      assert.equal(await page.title(), title);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} px wider than the screen`);
      const { shift, moved } = await layoutShift();
      if (shift > LARGE_SHIFT) t.diagnostic(`${path} moves by ${shift.toFixed(3)} on a ${name} screen: ${moved}`);
      if (name === "wide") await reportScripts(page, path, t);
      if (name === "wide" || checksEveryPage) assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(problems, []);
      await close();
    });
  }
}

/** Reports the compressed size of all scripts that a first load requests until no script has arrived for a while. */
async function reportScripts(page, path, t) {
  await page.evaluate(
    (quietMs) =>
      new Promise((done) => {
        let timer = setTimeout(done, quietMs);
        new PerformanceObserver((list) => {
          if (!list.getEntries().some((entry) => new URL(entry.name).pathname.endsWith(".js"))) return;
          clearTimeout(timer);
          timer = setTimeout(done, quietMs);
        }).observe({ type: "resource" });
      }),
    SCRIPT_QUIET_MS,
  );
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name, encodedBodySize: bytes }) => ({ name: new URL(name).pathname, bytes }))
      .filter(({ name }) => name.endsWith(".js")),
  );
  const sizes = [...new Map(scripts.map((script) => [script.name, script])).values()];
  const kb = sizes.reduce((sum, { bytes }) => sum + bytes, 0) / 1024;
  t.diagnostic(`${path} ${kb.toFixed(1)} KB of scripts in ${sizes.length} files; budget ${SCRIPT_BUDGET_KB} KB`);
  if (kb <= SCRIPT_BUDGET_KB) return;
  const largest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 6);
  t.diagnostic(`${path} is over budget: ${largest.map(({ name, bytes }) => `${name} ${bytes}`).join(", ")}`);
}

// Reports the compressed size of all scripts that the first load of each path requests until no script has arrived for 800 ms,
// beside the budget. `npm run size` runs only this file.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { routes } from "./routes.mjs";
import { closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);
const BUDGET_KB = 120;
const QUIET_MS = 800;

/** Waits until no script has arrived for `QUIET_MS`. */
const scriptsLoaded = (page) =>
  page.evaluate(
    (quietMs) =>
      new Promise((done) => {
        let timer = setTimeout(done, quietMs);
        new PerformanceObserver((list) => {
          if (!list.getEntries().some((entry) => new URL(entry.name).pathname.endsWith(".js"))) return;
          clearTimeout(timer);
          timer = setTimeout(done, quietMs);
        }).observe({ type: "resource" });
      }),
    QUIET_MS,
  );

for (const { path, expects404 } of await routes(site().base)) {
  test(`the scripts of ${path} are weighed`, async (t) => {
    const { page, go, close } = await openPage({ expects404 });
    await go(path);
    await scriptsLoaded(page);
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name, encodedBodySize: bytes }) => ({ name: new URL(name).pathname, bytes }))
        .filter(({ name }) => name.endsWith(".js")),
    );
    await close();
    const sizes = [...new Map(scripts.map((script) => [script.name, script])).values()];
    assert.ok(sizes.length > 0, "no script was loaded");
    const kb = sizes.reduce((sum, { bytes }) => sum + bytes, 0) / 1024;
    t.diagnostic(`${path} ${kb.toFixed(1)} KB of scripts in ${sizes.length} files; budget ${BUDGET_KB} KB`);
    if (kb <= BUDGET_KB) return;
    const largest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 6);
    t.diagnostic(`${path} is over budget: ${largest.map(({ name, bytes }) => `${name} ${bytes}`).join(", ")}`);
  });
}

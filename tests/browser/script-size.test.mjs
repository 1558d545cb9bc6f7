// Compressed size of all scripts that the first load of each path requests until no script has arrived for 800 ms.
// `npm run size` runs only this file and prints the sizes.
import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { routes } from "./routes.mjs";
import { closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);
const MAX_BYTES = 120 * 1024;
const QUIET_MS = 800;
const dist = fileURLToPath(new URL("../../frontend/dist", import.meta.url));

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
  test(`${path} loads at most 120 KB of scripts`, async (t) => {
    const { page, go, close } = await openPage({ expects404 });
    await go(path);
    await scriptsLoaded(page);
    const scripts = await page.evaluate(() =>
      performance.getEntriesByType("resource").map((entry) => new URL(entry.name).pathname).filter((name) => name.endsWith(".js")),
    );
    const sizes = [...new Set(scripts)].map((name) => {
      const file = dist + name;
      return { name, bytes: statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size };
    });
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    const parts = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 6);
    t.diagnostic(`${path} ${(total / 1024).toFixed(1)} KB in ${sizes.length} files`);
    assert.ok(sizes.length > 0, "no script was loaded");
    assert.ok(total <= MAX_BYTES, parts.map(({ name, bytes }) => `${name} ${bytes}`).join(", "));
    await close();
  });
}

// What the first look at each address costs in script: all files that come before the page is at rest, compressed as
// the build left them. A plot's drawing library comes when a plot is seen and is told apart; all else counts.
// `npm run size` runs this file alone and shows the figures.
import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { routes } from "./routes.mjs";
import { closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);
const MAX_BYTES = 120 * 1024;
const ON_DEMAND = /\/uPlot/;
const dist = fileURLToPath(new URL("../../frontend/dist", import.meta.url));

for (const { path, isMissing } of await routes(site().base)) {
  test(`${path} needs at most 120 KB of script`, async (t) => {
    const { page, go, close } = await openPage({ isMissing });
    await go(path);
    const scripts = await page.evaluate(() =>
      performance.getEntriesByType("resource").map((entry) => new URL(entry.name).pathname).filter((name) => name.endsWith(".js")),
    );
    const sizes = [...new Set(scripts)].map((name) => {
      const file = dist + name;
      return { name, bytes: statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size };
    });
    const sum = (parts) => parts.reduce((total, { bytes }) => total + bytes, 0);
    const total = sum(sizes.filter(({ name }) => !ON_DEMAND.test(name)));
    const later = sum(sizes) - total;
    const parts = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 6);
    t.diagnostic(`${path} ${(total / 1024).toFixed(1)} KB in ${sizes.length} files, ${(later / 1024).toFixed(1)} KB on demand`);
    assert.ok(sizes.length > 0, "no script was loaded");
    assert.ok(total <= MAX_BYTES, parts.map(({ name, bytes }) => `${name} ${bytes}`).join(", "));
    await close();
  });
}

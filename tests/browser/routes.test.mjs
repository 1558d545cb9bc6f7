// Every path: status, title, console messages, requests and accessibility, and its width at each size of the screen; with
// APOGEE_AXE=all, accessibility at each size. Layout shift and the size of scripts are reported, but not judged: events that other
// tests add move some pages.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { routes, WIDTHS } from "./routes.mjs";
import { accessibilityViolations, checksEveryPage, closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);

/** A report names the nodes of larger shifts. */
const LARGE_SHIFT = 0.02;
const SCRIPT_BUDGET_KB = 120;

for (const { path, title, expects404 } of await routes(site().base)) {
  test(`${path} has no problems on any screen`, async (t) => {
    const [{ width, height }] = WIDTHS;
    const { page, problems, layoutShift, go, close } = await openPage({ width, height, expects404 });
    const response = await go(path);
    assert.equal(response.status(), expects404 ? 404 : 200);
    assert.equal(await page.title(), title);
    const { shift, moved } = await layoutShift();
    if (shift > LARGE_SHIFT) t.diagnostic(`${path} moves by ${shift.toFixed(3)}: ${moved}`);
    for (const { name, width, height } of WIDTHS) {
      await page.setViewportSize({ width, height });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.offsetWidth);
      assert.ok(wide <= 0, `the page is ${wide} px wider than a ${name} screen`);
      if (name === "wide" || checksEveryPage) assert.deepEqual(await accessibilityViolations(page), []);
      if (name === "wide") await reportScripts(page, path, t);
    }
    assert.deepEqual(problems, []);
    await close();
  });
}

/** Reports the compressed size of all scripts that a first load has requested. */
async function reportScripts(page, path, t) {
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

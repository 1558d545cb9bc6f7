// Hostile texts run no script, cause no requests to other origins, and violate no content security policy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DATA_PAGES, TEXT_PAGES, startHostileSite } from "./hostile-site.mjs";
import { closeBrowser, openPage } from "./support.mjs";

let site;
before(async () => {
  site = await startHostileSite();
});
after(async () => {
  await site?.stop();
  await closeBrowser();
});

/** Clicks every link and button that a hostile text could have created. */
async function clickAll(page) {
  for (const link of await page.locator("main a, main button").filter({ hasText: "click" }).all()) {
    await link.evaluate((one) => one.click());
  }
}

async function expectInert(path, act) {
  const { page, problems, go, close } = await openPage({ base: site.base });
  await go(path);
  const before = page.url();
  await act(page);
  const links = await page.locator("main a").evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  for (const link of links) assert.doesNotMatch(link, /^\s*(javascript|data|vbscript)/i);
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.equal(page.url(), before);
  assert.equal(await page.locator("main script, main iframe, main style, main base, main form[action]").count(), 0);
  assert.match(await page.locator("main").innerText(), /window\.hit|evil\.test/, "the hostile text is shown as text");
  assert.deepEqual(problems, []);
  await close();
}

for (const path of Object.keys(TEXT_PAGES)) test(`t50: hostile page texts are inert at ${path}`, () => expectInert(path, clickAll));
for (const path of DATA_PAGES) test(`t50: hostile names are inert at ${path}`, () => expectInert(path, async () => {}));

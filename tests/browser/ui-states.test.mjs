// Every UI state on a phone: expected texts, accessibility, width, and no console messages except those about failed requests.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { exampleNames, openState, uiStates } from "./ui-states.mjs";
import { closeBrowser, site, accessibilityViolations } from "./support.mjs";

after(closeBrowser);

for (const state of uiStates(await exampleNames(site().base))) {
  test(`state: ${state.name}`, async () => {
    const { page, problems, close } = await openState(state, { width: 390, height: 844 });
    try {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} px wider than the screen`);
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  });
}

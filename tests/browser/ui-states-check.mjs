// The test of a group of UI states, on a phone: expected texts, width, and no console messages except those about failed requests;
// with APOGEE_AXE=all accessibility, too. Each group has its own test file, so that groups run in parallel.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { exampleNames, openState, stateGroups } from "./ui-states.mjs";
import { accessibilityViolations, checksEveryPage, closeBrowser, site } from "./support.mjs";

/** Adds a test of each state in a group. */
export async function testStates(group) {
  after(closeBrowser);
  for (const state of stateGroups(await exampleNames(site().base))[group]) {
    test(`state: ${state.name}`, async () => {
      const { page, problems, close } = await openState(state, { width: 390, height: 844 });
      try {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.offsetWidth);
        assert.ok(wide <= 0, `the page is ${wide} px wider than the screen`);
        if (checksEveryPage) assert.deepEqual(await accessibilityViolations(page), []);
        assert.deepEqual(problems, []);
      } finally {
        await close();
      }
    });
  }
}

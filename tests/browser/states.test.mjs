// Every state that no address shows by itself, each with its words letter for letter, on a phone: readable for everybody,
// in its width, and without a word on the console but the browser's own about the failing call.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { subjects, playScene, scenes } from "./scenes.mjs";
import { closeBrowser, site, violations } from "./support.mjs";

after(closeBrowser);

for (const scene of scenes(await subjects(site().base))) {
  test(`state: ${scene.name}`, async () => {
    const { page, problems, close } = await playScene(scene, { width: 390, height: 844 });
    try {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} px wider than the screen`);
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  });
}

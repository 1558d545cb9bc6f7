// The two breakpoints of the specification: the menu button at 768 px and below, one column at 1,024 px and below.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, openPage } from "./support.mjs";

after(closeBrowser);

test("the links are behind the menu button at 768 px and below, else in the header, beside the search", async () => {
  const { page, problems, go, close } = await openPage();
  await go("/about");
  const header = page.getByRole("banner");
  for (const [width, hasMenu] of [[1440, false], [1040, false], [900, false], [769, false], [768, true], [390, true]]) {
    await page.setViewportSize({ width, height: 900 });
    await header.getByRole("button", { name: "Menu", exact: true }).waitFor({ state: hasMenu ? "visible" : "hidden" });
    for (const name of ["Home", "Players", "Guilds", "Activity"]) {
      const link = header.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
      assert.equal(await link.isVisible(), !hasMenu, `${name} at ${width} px`);
    }
    assert.equal(await header.getByPlaceholder("Search Players, Orgs...").isVisible(), !hasMenu, `${width} px`);
    const { scrolls, cut } = await page.evaluate(() => ({
      scrolls: document.documentElement.scrollWidth > document.documentElement.offsetWidth,
      cut: [...document.querySelectorAll("header a, header button")].some(
        (one) => one.getBoundingClientRect().right > window.innerWidth,
      ),
    }));
    assert.deepEqual({ scrolls, cut }, { scrolls: false, cut: false }, `${width} px`);
  }
  assert.deepEqual(problems, []);
  await close();
});

for (const width of [1440, 1024, 768, 390]) {
  test(`at ${width} px the rating pages show their top lists`, async () => {
    const { page, problems, go, close } = await openPage({ width });
    for (const [path, shown] of [["/players", 5], ["/guilds", width > 768 ? 20 : 5]]) {
      await go(path);
      const rows = page.getByRole("complementary", { name: "Overview" }).getByRole("listitem");
      const visible = await rows.evaluateAll((all) => all.filter((one) => one.offsetParent !== null).length);
      assert.equal(visible, shown, path);
    }
    if (width <= 768) {
      await page.getByRole("button", { name: "Show all 20" }).click();
      assert.equal(await page.getByRole("complementary", { name: "Overview" }).getByRole("listitem").count(), 20);
    }
    assert.deepEqual(problems, []);
    await close();
  });
}

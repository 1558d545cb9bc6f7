// Navigation: endless lists, search by keyboard, tabs, missing pages, the header at any width.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, eventually, openPage, site } from "./support.mjs";

after(closeBrowser);

/** Scrolls down until the page shows `text`. */
async function scrollTo(page, text) {
  await eventually(`the list shows: ${text}`, async () => {
    await page.mouse.wheel(0, 4_000);
    return page.getByText(text).first().isVisible();
  });
}

test("the player leaderboard ends with a note after 100 rows", async () => {
  const { page, problems, go, close } = await openPage();
  await go("/players");
  await scrollTo(page, "Showing top 100 players");
  assert.equal(await page.locator('main a[href^="/player/"]').filter({ hasText: "#100" }).count() > 0 || (await page.locator("main li").count()) >= 100, true);
  assert.deepEqual(problems, []);
  await close();
});

test("the guild leaderboard ends with a note only after 100 rows", async () => {
  const { pagination } = await (await fetch(`${site().base}/api/guilds/leaderboard?limit=1`)).json();
  const { page, problems, go, close } = await openPage({ width: 390, height: 844 });
  await go("/guilds");
  if (pagination.total >= 100) await scrollTo(page, "Showing top 100 guilds");
  else {
    const { data } = await (await fetch(`${site().base}/api/guilds/leaderboard?limit=100`)).json();
    await scrollTo(page, data.at(-1).org_name);
    assert.equal(await page.getByText("Reached display limit").count(), 0);
  }
  assert.deepEqual(problems, []);
  await close();
});

test("sort and window are in the URL and survive a reload", async () => {
  const { page, settle, go, close } = await openPage();
  await go("/players");
  await page.getByLabel("Sort By").selectOption({ label: "PVE" });
  await page.waitForURL(/pve_kills/);
  await page.reload();
  await settle();
  assert.equal(await page.getByLabel("Sort By").inputValue(), "pve_kills");
  await close();
});

test("a player can be found with the keyboard", async () => {
  const [{ handle }] = (await (await fetch(`${site().base}/api/players/top?limit=1`)).json()).players;
  const { page, problems, settle, go, close } = await openPage();
  await go("/about");
  await page.keyboard.press("/");
  await page.keyboard.type(handle.toLowerCase());
  await page.getByRole("option").filter({ hasText: handle }).first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/player/${handle}`);
  await settle();
  await page.getByRole("heading", { level: 1, name: handle }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
  await close();
});

test("the tabs of a player are navigation links, and the current one is marked", async () => {
  const [{ handle }] = (await (await fetch(`${site().base}/api/players/top?limit=1`)).json()).players;
  const { page, problems, settle, go, close } = await openPage();
  await go(`/player/${handle}`);
  for (const [label, end] of [["Weapons", "weapons"], ["Vehicles", "vehicles"], ["Missions", "missions"], ["Recent Activity", "recent-activity"]]) {
    const tab = page.getByRole("navigation", { name: "Player" }).getByRole("link", { name: label });
    await tab.click();
    await page.waitForURL(`**/player/${handle}/${end}`);
    await settle();
    assert.equal(await tab.getAttribute("aria-current"), "page");
    assert.ok(await tab.evaluate((link) => link === document.activeElement), "the tab keeps the focus");
    assert.ok((await page.locator("main").getByRole(end === "recent-activity" ? "listitem" : "row").count()) > 1);
  }
  await page.goBack();
  await page.waitForURL("**/missions");
  assert.deepEqual(problems, []);
  await close();
});

test("a missing page shows a message and a link to the home page", async () => {
  const { page, settle, go, close } = await openPage({ expects404: true });
  assert.equal((await go("/no/such/place")).status(), 404);
  await page.getByText("Well, this is embarrassing.").waitFor();
  await page.locator("main").getByRole("link", { name: "Home" }).click();
  await page.waitForURL(`${site().base}/`);
  await settle();
  await close();
});

test("the header fits at every width", async () => {
  const { page, go, close } = await openPage();
  await go("/about");
  for (let width = 320; width <= 1480; width += 20) {
    await page.setViewportSize({ width, height: 800 });
    const outside = await page.evaluate(() => {
      const parts = [...document.querySelectorAll("header a, header button, header input, header select")];
      const boxes = parts.map((part) => ({ part, box: part.getBoundingClientRect() })).filter(({ box }) => box.width > 0);
      const right = boxes.filter(({ box }) => box.right > document.documentElement.clientWidth + 0.5);
      const row = boxes.sort((a, b) => a.box.left - b.box.left);
      const over = row.filter(({ box, part }, at) => {
        const next = row[at + 1];
        return next && !part.contains(next.part) && !next.part.contains(part) && box.right > next.box.left + 1 && box.bottom > next.box.top && next.box.bottom > box.top && !part.closest("form");
      });
      return [...right, ...over].map(({ part }) => part.textContent || part.getAttribute("aria-label"));
    });
    assert.deepEqual(outside, [], `at ${width} px`);
  }
  await close();
});

test("the menu on phones opens, navigates and closes", async () => {
  const { page, problems, settle, go, close } = await openPage({ width: 390, height: 844 });
  await go("/about");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("navigation", { name: "Menu" }).getByRole("link", { name: "Guilds" }).click();
  await page.waitForURL("**/guilds");
  await settle();
  assert.equal(await page.getByRole("navigation", { name: "Menu" }).count(), 0);
  assert.deepEqual(problems, []);
  await close();
});

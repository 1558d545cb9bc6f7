// Feeds in a real browser: they load to their end on a slow processor, stand still while somebody reads, have only the rows
// near the screen in the document, and let the keyboard pass.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { subjects } from "./scenes.mjs";
import { closeBrowser, kill, openPage, post, site } from "./support.mjs";

after(closeBrowser);
const { player } = await subjects(site().base);
const PHONE = { width: 390, height: 844, hasTouch: true };
const LIST = "ul[aria-label='Activity of everybody']";
/** How long a list may take to load to its end. */
const END_MS = 60_000;

const toTheEnd = (page) => page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
const topRow = (page) =>
  page.evaluate((list) => {
    const rows = [...document.querySelectorAll(`${list} li`)].map((row) => ({ id: row.dataset.id, top: Math.round(row.getBoundingClientRect().top) }));
    return rows.filter(({ top }) => top > 120).sort((a, b) => a.top - b.top)[0];
  }, LIST);

test("a list goes on at its end on a processor slowed four times, with one jump a page", async () => {
  const { pagination } = await (await fetch(`${site().base}/api/player/${player}/activity?limit=1`)).json();
  assert.ok(pagination.total > 250, "the player has too few events for this test");
  const { page, context, problems, go, close } = await openPage();
  const line = await context.newCDPSession(page);
  await line.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await go(`/player/${player}/recent-activity`);
  const end = page.getByText(/^(Showing all|End of) .*activities$/);
  const until = Date.now() + END_MS;
  while ((await end.count()) === 0) {
    assert.ok(Date.now() < until, "the list stopped before its end");
    const before = await page.evaluate(() => document.documentElement.scrollHeight);
    await toTheEnd(page);
    await page.waitForFunction(
      (height) => document.documentElement.scrollHeight > height || /(Showing all|End of) .*activities/.test(document.body.innerText),
      before,
      { timeout: END_MS / 2 },
    );
  }
  assert.deepEqual(problems, []);
  await close();
});

test("a feed scrolled away from its top stands still under a finger; the button brings the new rows in", async () => {
  const { page, problems, go, close } = await openPage(PHONE);
  await go("/activity");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.evaluate(() => window.scrollTo(0, 700));
  await page.getByText("Paused", { exact: true }).waitFor();
  const before = await topRow(page);
  await post([kill(player, "Feed_Target_1"), kill(player, "Feed_Target_2")]);
  const button = page.getByRole("button", { name: /^Show \d+ new events?$/ });
  await button.waitFor();
  assert.deepEqual(await topRow(page), before);
  await button.tap();
  await page.locator(LIST).getByText("Feed_Target_2").waitFor();
  assert.equal(await button.count(), 0);
  await page.getByText("Live", { exact: true }).waitFor();
  assert.ok(await page.evaluate((list) => document.querySelector(list).getBoundingClientRect().top >= 0, LIST));
  assert.deepEqual(problems, []);
  await close();
});

test("of a long feed only the rows near the screen are in the document, in their order and with their places", async () => {
  const { page, problems, go, close } = await openPage();
  await go("/activity");
  const lastPlace = () => page.evaluate((list) => Number(document.querySelector(`${list} li:last-child`).getAttribute("aria-posinset")), LIST);
  const until = Date.now() + END_MS;
  while ((await lastPlace()) <= 400) {
    assert.ok(Date.now() < until, `the feed stopped at ${await lastPlace()} rows`);
    await toTheEnd(page);
    await page.waitForTimeout(100);
  }
  const rows = await page.evaluate((list) => [...document.querySelectorAll(`${list} li`)].map((row) => ({ place: Number(row.getAttribute("aria-posinset")), top: row.getBoundingClientRect().top })), LIST);
  assert.ok(rows.length < 80, `${rows.length} rows are in the document`);
  for (const [at, row] of rows.entries()) {
    if (at === 0) continue;
    assert.ok(row.place > rows[at - 1].place && row.top > rows[at - 1].top, "the order of the document is that of the screen");
  }
  assert.deepEqual(problems, []);
  await close();
});

test("Tab passes a feed without end: one press skips it, and row by row it comes to the footer", async () => {
  const { page, problems, go, close } = await openPage();
  await go("/activity");
  const focus = () => page.evaluate(() => document.activeElement.textContent.trim());
  await page.getByRole("link", { name: "Skip to the end of the list" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await focus(), "Privacy Policy");
  await page.getByRole("link", { name: "Skip to the end of the list" }).focus();
  let seen = "";
  for (let press = 0; press < 400 && seen !== "Privacy Policy"; press += 1) {
    await page.keyboard.press("Tab");
    seen = await focus();
    const isInView = await page.evaluate(() => {
      const box = document.activeElement.getBoundingClientRect();
      return box.bottom > 0 && box.top < window.innerHeight;
    });
    assert.ok(isInView, `${seen} has the focus and is not on screen`);
  }
  assert.equal(seen, "Privacy Policy");
  // Back to the button that loads on by hand: the keyboard goes on with the first of the new rows.
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focus(), "Load more");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.closest("li")?.getAttribute("aria-posinset") === "101");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => Number(document.activeElement.closest("li").getAttribute("aria-posinset")) >= 101));
  assert.deepEqual(problems, []);
  await close();
});

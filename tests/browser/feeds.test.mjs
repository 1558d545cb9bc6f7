// Feeds: they load to their end on a slow processor, do not move while the user reads, are virtualized, and do not trap the
// keyboard.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { exampleNames } from "./ui-states.mjs";
import { closeBrowser, eventually, kill, openPage, postEvents, site } from "./support.mjs";

after(closeBrowser);
const { player } = await exampleNames(site().base);
const PHONE = { width: 390, height: 844, hasTouch: true };
const LIST = "ul[aria-label='Live activity']";

const scrollToEnd = (page) => page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
const topRow = (page) =>
  page.evaluate((list) => {
    const rows = [...document.querySelectorAll(`${list} li`)].map((row) => ({ id: row.dataset.id, top: Math.round(row.getBoundingClientRect().top) }));
    return rows.filter(({ top }) => top > 120).sort((a, b) => a.top - b.top)[0];
  }, LIST);

/** The leader who has the fewest activities above `least`. How many each has depends on the day and hour of the demo data. */
async function playerWithActivities(least) {
  const read = async (path) => (await fetch(site().base + path)).json();
  const { players } = await read("/api/players/top?limit=10");
  const counted = players.map(async ({ handle }) => ({ handle, total: (await read(`/api/player/${handle}/activity?limit=1`)).pagination.total }));
  const enough = (await Promise.all(counted)).filter(({ total }) => total > least);
  return enough.sort((a, b) => a.total - b.total)[0].handle;
}

test("a list loads to its end on a processor slowed down four times", async () => {
  const player = await playerWithActivities(250);
  const { page, context, problems, go, close } = await openPage({ isOwn: true });
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await go(`/player/${player}/recent-activity`);
  const end = page.getByText(/^(Showing all|End of) .*activities$/);
  await eventually("the list reaches its end", async () => {
    await scrollToEnd(page);
    return (await end.count()) > 0;
  });
  assert.deepEqual(problems, []);
  await close();
});

test("a scrolled feed does not move on touch devices until the button shows the new rows", async () => {
  const { page, problems, go, close } = await openPage(PHONE);
  await go("/activity");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.evaluate(() => window.scrollTo(0, 700));
  await page.getByText("Paused", { exact: true }).waitFor();
  const before = await topRow(page);
  await postEvents([kill(player, "Feed_Target_1"), kill(player, "Feed_Target_2")]);
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

test("a long feed renders only rows near the viewport, in order and with their positions", async () => {
  const { page, problems, go, close } = await openPage();
  await go("/activity");
  const lastPlace = () => page.evaluate((list) => Number(document.querySelector(`${list} li:last-child`).getAttribute("aria-posinset")), LIST);
  await eventually("the feed has more than 400 rows", async () => {
    await scrollToEnd(page);
    return (await lastPlace()) > 400;
  });
  const rows = await page.evaluate((list) => [...document.querySelectorAll(`${list} li`)].map((row) => ({ place: Number(row.getAttribute("aria-posinset")), top: row.getBoundingClientRect().top })), LIST);
  assert.ok(rows.length < 80, `${rows.length} rows are in the document`);
  for (const [at, row] of rows.entries()) {
    if (at === 0) continue;
    assert.ok(row.place > rows[at - 1].place && row.top > rows[at - 1].top, "the order in the document matches the screen");
  }
  assert.deepEqual(problems, []);
  await close();
});

test("Tab leaves an endless feed: a link skips it, and the rows lead to the footer", async () => {
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
    const { text, isInView } = await page.evaluate(() => {
      const { bottom, top } = document.activeElement.getBoundingClientRect();
      return { text: document.activeElement.textContent.trim(), isInView: bottom > 0 && top < window.innerHeight };
    });
    seen = text;
    assert.ok(isInView, `${seen} has the focus but is outside the viewport`);
  }
  assert.equal(seen, "Privacy Policy");
  // The button "Load more" moves the focus to the first new row.
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focus(), "Load more");
  // Live events that arrived before the feed was read are rows as well.
  const last = Number(await page.locator("main li[aria-posinset]").last().getAttribute("aria-posinset"));
  assert.ok(last >= 100, `the feed has ${last} rows`);
  await page.keyboard.press("Enter");
  const isPosition = (first) => Number(document.activeElement.closest("li")?.getAttribute("aria-posinset")) === first;
  await page.waitForFunction(isPosition, last + 1);
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate((last) => Number(document.activeElement.closest("li").ariaPosInSet) > last, last));
  assert.deepEqual(problems, []);
  await close();
});

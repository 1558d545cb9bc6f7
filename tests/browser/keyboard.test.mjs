// Keyboard and reduced motion: Tab reaches every control and shows the focus, menus open and close by keyboard, and reduced
// motion stops animations without hiding content.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { exampleEvent } from "./routes.mjs";
import { exampleNames } from "./ui-states.mjs";
import { closeBrowser, eventually, openPage, site } from "./support.mjs";

after(closeBrowser);
const { player, guild } = await exampleNames(site().base);
const event = await exampleEvent(site().base);
const PATHS = [
  "/",
  "/players",
  "/guilds",
  "/activity",
  `/event/${event}`,
  "/updates",
  "/guides",
  "/api",
  "/discord-bot",
  "/connect-app",
  "/upload",
  "/link",
  "/image-editor-test",
  `/player/${player}`,
  `/player/${player}/missions`,
  `/guild/${guild}`,
];
/** More than the number of controls on any page. */
const MAX_PRESSES = 700;

for (const path of PATHS) {
  test(`Tab reaches every control at ${path} with a visible focus`, async () => {
    // Older rows are not loaded, so that the feed ends.
    const { page, go, close } = await openPage({ mocks: [[/^GET \/api\/activity\?.*before=/, "never"]] });
    await go(path);
    await page.evaluate(() => {
      const controls = document.querySelectorAll("a[href], button:not(:disabled), input:not([type=file]), select, [tabindex='0']");
      const reachable = [...controls].filter((one) => one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }) && !one.closest("[inert]"));
      window.left = new Set(reachable);
      window.unmarked = [];
      document.addEventListener("focusin", ({ target }) => {
        window.left.delete(target);
        // The search field colours its frame instead; a separate test checks it.
        if (target.matches("[role=combobox]")) return;
        const shows = (style) => style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0;
        const marks = [target, target.parentElement].filter(Boolean).flatMap((one) => [
          getComputedStyle(one),
          getComputedStyle(one, "::after"),
        ]);
        if (target !== document.body && !marks.some(shows)) window.unmarked.push(target.outerHTML.slice(0, 120));
      });
    });
    const left = () => page.evaluate(() => [...window.left].filter((one) => one.isConnected).map((one) => one.outerHTML.slice(0, 120)));
    for (let presses = 0; presses < MAX_PRESSES && (presses === 0 || (await left()).length > 0); presses += 20) {
      await Promise.all(Array.from({ length: 20 }, () => page.keyboard.press("Tab")));
    }
    assert.deepEqual(await left(), []);
    assert.deepEqual(await page.evaluate(() => window.unmarked), []);
    await close();
  });
}

test("the frame of the search has the accent colour while it is focused", async () => {
  const { page, go, close } = await openPage();
  await go("/");
  for (const field of await page.getByRole("combobox", { name: "Search", exact: true }).all()) {
    const frame = () => field.evaluate((input) => getComputedStyle(input.closest("form")).borderTopColor);
    const before = await frame();
    await field.focus();
    await page.waitForFunction(
      ([input, was]) => {
        const signal = getComputedStyle(document.querySelector("main a[href='/players']")).color;
        const now = getComputedStyle(input.closest("form")).borderTopColor;
        return now !== was && now === signal;
      },
      [await field.elementHandle(), before],
    );
  }
  await close();
});

test("each header menu opens with Enter, moves the focus with the down arrow and closes with Esc", async () => {
  const { page, go, close } = await openPage();
  await go("/about");
  for (const name of ["Updates", "Information", "Get the Apps"]) {
    const button = page.getByRole("navigation", { name: "Main" }).getByRole("button", { name });
    await button.focus();
    await page.keyboard.press("Enter");
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => document.activeElement?.tagName === "A");
    await page.keyboard.press("Escape");
    assert.equal(await button.getAttribute("aria-expanded"), "false");
    assert.ok(await button.evaluate((one) => one === document.activeElement));
  }
  await close();
});

test("reduced motion shows no video and no animation, and all figures immediately", async () => {
  const { page, go, close } = await openPage();
  await go("/");
  const counts = await (await fetch(`${site().base}/api/stats/counts`)).json();
  assert.equal(await page.locator("video").count(), 0);
  const moving = await page.evaluate(() =>
    document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().activeDuration) > 1).length,
  );
  assert.equal(moving, 0);
  const shown = await page.locator("dt", { hasText: "Guilds Tracked" }).locator("xpath=following-sibling::dd[1]").locator(".visually-hidden").innerText();
  assert.equal(Number(shown.replaceAll(",", "")), counts.orgs);
  await close();
});

test("without reduced motion the video plays and can be paused", async () => {
  const { page, problems, go, close } = await openPage({ reducedMotion: "no-preference" });
  await go("/");
  await page.locator("video[data-playing=true]").first().waitFor();
  await page.getByRole("button", { name: "Pause background video" }).click();
  await page.waitForFunction(() => [...document.querySelectorAll("video")].every((film) => film.paused));
  assert.deepEqual(problems, []);
  await close();
});

test("navigation moves the focus to the new heading and announces the title, except for the first page", async () => {
  const { page, problems, go, close } = await openPage();
  await go("/about");
  assert.ok(await page.evaluate(() => document.activeElement === document.body));
  for (const [link, title] of [["Players", /^Player rating/], ["Guilds", /^Guild Rating/], ["Activity", /^Live activity/]]) {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: link, exact: true }).click();
    await page.waitForFunction(() => document.activeElement?.matches("main h1"));
    await page.locator("[role=status]", { hasText: title }).waitFor({ state: "attached" });
  }
  // The heading of a profile is loaded later.
  await page.locator("main li a[href^='/player/']").first().click();
  await page.waitForURL("**/player/*");
  await page.waitForFunction(() => document.activeElement?.matches("main h1") && document.activeElement.textContent !== "Activity");
  assert.deepEqual(problems, []);
  await close();
});

/** Waits for the tooltip of exact figures, which loads once the page is idle, and for the frame in which it is mounted. */
const tooltipLoaded = (page) =>
  page.waitForFunction(async () => {
    const script = performance.getEntriesByType("resource").find(({ name }) => name.includes("/exact-tip-"));
    if (!script) return false;
    await import(script.name);
    for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    return true;
  });

test("the exact figure of a row is shown on hover and on tap, and the row remains a link", async () => {
  // The first guild of the demo has a four-digit score, which the row shows as thousands.
  const rows = "section[aria-label='Leaderboard']";
  const exact = { hasText: /\d,\d{3}/ };
  const mouse = await openPage();
  await mouse.go("/guilds");
  await tooltipLoaded(mouse.page);
  // Images that arrive and live events move the rows, so pointer and finger follow the figure.
  const pointUntilShown = async (page, point) => {
    const figure = page.locator(`${rows} [data-exact*=',']`).first();
    await figure.scrollIntoViewIfNeeded();
    let box;
    let tries = 0;
    await eventually("pointing at the figure shows the exact value", async () => {
      box = await figure.boundingBox();
      await point(box.x + 3 + (tries++ % 2), box.y + 4);
      return page.locator("[data-above]", exact).isVisible();
    });
    return box;
  };
  const box = await pointUntilShown(mouse.page, (x, y) => mouse.page.mouse.move(x, y));
  await mouse.page.mouse.click(box.x + 4, box.y + 4);
  await mouse.page.waitForURL("**/guild/*");
  await mouse.close();
  const phone = await openPage({ width: 390, height: 844, hasTouch: true, isMobile: true });
  await phone.go("/guilds");
  await tooltipLoaded(phone.page);
  await pointUntilShown(phone.page, (x, y) => phone.page.touchscreen.tap(x, y));
  assert.match(phone.page.url(), /\/guilds$/);
  await phone.page.locator(`${rows} li`).nth(1).locator("a").first().tap();
  await phone.page.waitForURL("**/guild/*");
  await phone.close();
});

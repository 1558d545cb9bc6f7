// Layout: equal row heights, aligned controls, dialogs with a constant height.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openState, uiStates, exampleNames } from "./ui-states.mjs";
import { closeBrowser, openPage, site } from "./support.mjs";

after(closeBrowser);
const { player, guild } = await exampleNames(site().base);
const boxes = (page, selector) =>
  page.evaluate(
    (found) =>
      [...document.querySelectorAll(found)].map((one) => {
        const { left, right, top, bottom, width, height } = one.getBoundingClientRect();
        return { left, right, top, bottom, width, height };
      }),
    selector,
  );
const same = (values, tolerance = 1) => Math.max(...values) - Math.min(...values) <= tolerance;

for (const [width, columns] of [[768, 4], [390, 2]]) {
  test(`the four readouts of a guild have ${columns} columns at ${width} px`, async () => {
    const { page, go, close } = await openPage({ width, height: 900 });
    await go(`/guild/${guild}`);
    const cells = await boxes(page, "dl[aria-label='Scores and ranks'] > div");
    assert.equal(cells.length, 4);
    const tops = cells.map(({ top }) => Math.round(top));
    const rows = [...new Set(tops)].map((top) => tops.filter((one) => one === top).length);
    assert.deepEqual(rows, Array(4 / columns).fill(columns));
    await close();
  });
}

test("on phones the two selects of a leaderboard are side by side and fill the width", async () => {
  const { page, go, close } = await openPage({ width: 390, height: 844 });
  for (const path of ["/players", "/guilds"]) {
    await go(path);
    const [one, other] = await boxes(page, "main select");
    assert.equal(one.top, other.top);
    assert.ok(same([one.width, other.width]));
    assert.ok(one.left <= 16 && other.right >= 390 - 16 - 20, JSON.stringify([one, other]));
  }
  await close();
});

for (const width of [390, 768]) {
  test(`rows of the player leaderboard have equal heights at ${width} px, with stickers beside the last activity`, async () => {
    const every = (answer) => ({
      ...answer,
      players: answer.players.map((row, at) => ({ ...row, stickers: [[], [683583], [683583, 775678]][at % 3], last_active: at % 2 ? 1_700_000_000 : row.last_active })),
    });
    const { page, go, close } = await openPage({ width, height: 900, mocks: [[/^GET \/api\/players\/leaderboard/, every]] });
    await go("/players");
    const list = "section[aria-label='Leaderboard'] li";
    assert.ok(same((await boxes(page, list)).map(({ height }) => height)));
    const scores = await page.evaluate((rows) => [...document.querySelectorAll(rows)].map((row) => {
      const score = row.lastElementChild.getBoundingClientRect();
      const place = row.getBoundingClientRect();
      const stickers = [...row.querySelectorAll("img[src*=stickers]")].map((one) => one.getBoundingClientRect());
      return { offset: Math.round(score.top - place.top), isOver: stickers.some((one) => one.right > place.right || (one.right > score.left && one.top < score.bottom)) };
    }), list);
    assert.ok(same(scores.map(({ offset }) => offset)), JSON.stringify(scores));
    assert.ok(scores.every(({ isOver }) => !isOver));
    await close();
  });
}

for (const width of [412, 390, 360, 320]) {
  test(`stickers of the player leaderboard are square with targets of 24 px, and the page fits, at ${width} px`, async () => {
    const every = (answer) => ({
      ...answer,
      players: answer.players.map((row) => ({ ...row, stickers: [683583, 775678, 196404, 310846], last_active: 1_763_424_000 })),
    });
    const { page, go, close } = await openPage({ width, height: 900, hasTouch: true, isMobile: true, mocks: [[/^GET \/api\/players\/leaderboard/, every]] });
    await go("/players");
    const list = "section[aria-label='Leaderboard'] li";
    const pictures = await boxes(page, `${list} img[src*=stickers]`);
    assert.ok(pictures.length >= 4 && pictures.every((one) => one.width === 22 && one.height === 22), JSON.stringify(pictures.slice(0, 4)));
    const buttons = await boxes(page, `${list} button:has(img[src*=stickers])`);
    assert.ok(buttons.every((one) => one.width >= 24 && one.height >= 24), JSON.stringify(buttons.slice(0, 4)));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.offsetWidth), 0);
    const isOver = await page.evaluate((rows) => [...document.querySelectorAll(rows)].some((row) =>
      [...row.querySelectorAll("button")].some((one) => one.getBoundingClientRect().right > row.getBoundingClientRect().right)), list);
    assert.ok(!isOver);
    await close();
  });
}

test("the sticker dialog has the same height in both tabs", async () => {
  for (const size of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    const state = uiStates({ player, guild }).find(({ name }) => name === "stickers");
    const { page, close } = await openState(state, size);
    const height = async () => (await boxes(page, "dialog"))[0].height;
    const before = await height();
    await page.getByRole("tab", { name: "In-game" }).click();
    assert.ok(same([before, await height()]));
    await close();
  }
});

test("the day labels of a plot do not overlap each other or the axis", async () => {
  for (const width of [390, 768, 1440]) {
    const { page, go, close } = await openPage({ width, height: 900 });
    await go(`/player/${player}?days=365`);
    const slider = page.getByRole("slider");
    await slider.scrollIntoViewIfNeeded();
    const field = await slider.evaluate((one) => one.parentElement.getBoundingClientRect().toJSON());
    const days = (await slider.evaluate((one) => [...one.parentElement.nextElementSibling.children].map((day) => day.getBoundingClientRect().toJSON()))).sort((a, b) => a.left - b.left);
    assert.ok(days.length >= 2);
    for (const [at, day] of days.entries()) {
      assert.ok(day.top >= field.bottom, "below the axis");
      if (at > 0) assert.ok(day.left >= days[at - 1].right + 8, `${width} px: labels overlap`);
    }
    await close();
  }
});

test("the slogan breaks between its sentences on phones, and within a sentence only if it is wider than the page", async () => {
  const { site: settings } = await (await fetch(`${site().base}/api/config`)).json();
  assert.ok(settings.slogans.length >= 5);
  for (const slogan of settings.slogans) {
    const only = (answer) => ({ ...answer, site: { ...answer.site, slogans: [slogan] } });
    const { page, go, close } = await openPage({ width: 390, height: 844, mocks: [[/^GET \/api\/config/, only]] });
    await go("/");
    const heading = page.getByRole("heading", { level: 1, name: slogan });
    const sentences = await heading.evaluate((one) => {
      const lines = (range) => new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      return [...one.children].map((span) => {
        const range = document.createRange();
        range.selectNodeContents(span);
        const tops = lines(range);
        const before = span.style.cssText;
        span.style.cssText = "white-space: nowrap; position: absolute";
        const isWider = span.getBoundingClientRect().width > one.getBoundingClientRect().width;
        span.style.cssText = before;
        return { text: span.textContent, lines: tops.size, isWider };
      });
    });
    assert.ok(sentences.length > 0);
    for (const { text, lines, isWider } of sentences) assert.equal(lines > 1, isWider, text);
    await close();
  }
});

test("a bar of weapons or vehicles fills its track in proportion to the first row", async () => {
  const { page, go, close } = await openPage();
  for (const noun of ["weapons", "vehicles"]) {
    await go(`/player/${player}/${noun}`);
    const rows = await page.evaluate(() =>
      [...document.querySelectorAll("main table tbody tr")].flatMap((row) => {
        const track = row.querySelector("th [aria-hidden='true']");
        const figure = row.querySelector("[data-exact]") ?? row.lastElementChild;
        const count = Number((figure.dataset.exact ?? figure.textContent).replaceAll(",", ""));
        if (!track) return [];
        const scale = new DOMMatrix(getComputedStyle(track, "::before").transform).a;
        const paints = (at) => getComputedStyle(track, at).backgroundColor;
        return [{ count, scale, height: track.getBoundingClientRect().height, track: paints(null), bar: paints("::before") }];
      }),
    );
    assert.ok(rows.length >= 2, noun);
    const most = Math.max(...rows.map(({ count }) => count));
    for (const { count, scale, height, track, bar } of rows) {
      assert.ok(Math.abs(scale - count / most) < 0.02, `${noun}: ${count} of ${most} is drawn as ${scale}`);
      assert.ok(height >= 6 && track !== bar, "a bar on a track, not a border");
    }
  }
  await close();
});

test("the Discord page fills a wide screen: the reply of the bot is beside the introduction, and cards have two or more columns", async () => {
  const { page, go, close } = await openPage({ width: 1440, height: 900 });
  await go("/discord-bot");
  const [hero, answer] = await page.locator("header:has(h1)").evaluate((header) => [...header.children].map((one) => one.getBoundingClientRect().toJSON()));
  assert.ok(answer.left >= hero.right && answer.top < hero.bottom, "side by side");
  const cards = await boxes(page, "section[aria-labelledby='features'] h3");
  assert.ok(new Set(cards.map(({ left }) => Math.round(left))).size >= 2, "columns");
  assert.ok(Math.max(...cards.map(({ right }) => right), answer.right) >= 1440 * 0.75, "the right half is used");
  await close();
});

// What a first visit to the home page weighs, film and all, and what a second one fetches again.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, openPage } from "./support.mjs";

after(closeBrowser);
const MAX_BYTES = 2.5 * 1024 * 1024;

/** Hears of each answer that ended: its path, what came over the line, and whether the browser had it. */
async function listen(page, context) {
  const line = await context.newCDPSession(page);
  await line.send("Network.enable");
  const [paths, fetched, order] = [new Map(), [], []];
  line.on("Network.responseReceived", ({ requestId, response }) => {
    paths.set(requestId, { path: new URL(response.url).pathname, kept: response.fromDiskCache === true });
    order.push(new URL(response.url).pathname);
  });
  line.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const { path, kept } = paths.get(requestId) ?? {};
    if (path) fetched.push({ path, kept, bytes: encodedDataLength });
  });
  return { fetched, order };
}

test("a first visit to the home page takes at most 2.5 MB, its picture first; a second one fetches no file again", async (t) => {
  const { page, context, go, close } = await openPage({ reducedMotion: "no-preference" });
  const first = await listen(page, context);
  await go("/");
  await page.waitForFunction(() => [...document.querySelectorAll("video")].some((film) => film.currentTime > 0.5));
  // Down to the end, so that whatever comes when it is seen is counted.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await page.waitForTimeout(1_500);
  const total = first.fetched.reduce((sum, { bytes }) => sum + bytes, 0);
  t.diagnostic(`${(total / 1024 / 1024).toFixed(2)} MB in ${first.fetched.length} answers`);
  assert.ok(total <= MAX_BYTES, `${total} bytes`);
  const film = first.order.findIndex((path) => path.endsWith(".mp4"));
  const picture = first.order.findIndex((path) => /\.(webp|jpg|png)$/.test(path));
  assert.ok(picture >= 0 && film >= 0 && picture < film, first.order.join(" "));

  const again = await context.newPage();
  const second = await listen(again, context);
  await again.goto(page.url());
  await again.waitForFunction(() => [...document.querySelectorAll("video")].some((film) => film.currentTime > 0.5));
  // The pictures behind the films are others each time; whatever came before is there.
  const had = new Set(first.order.filter((path) => /^\/(assets|static)\//.test(path)));
  assert.ok(had.size > 10);
  assert.deepEqual(second.fetched.filter(({ path, kept, bytes }) => had.has(path) && !kept && bytes > 0), []);
  await close();
});

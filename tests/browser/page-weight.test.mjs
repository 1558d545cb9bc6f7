// The files that a first visit to the home page transfers, including the video, and those of a second visit. Reports the bytes of
// the first.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, openPage } from "./support.mjs";

after(closeBrowser);
const BUDGET_MB = 2.5;

/** Records each response: path, transferred bytes, and whether it came from the cache. */
async function recordResponses(page, context) {
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  const [paths, fetched, order] = [new Map(), [], []];
  devtools.on("Network.responseReceived", ({ requestId, response }) => {
    paths.set(requestId, { path: new URL(response.url).pathname, isCached: response.fromDiskCache === true });
    order.push(new URL(response.url).pathname);
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const { path, isCached } = paths.get(requestId) ?? {};
    if (path) fetched.push({ path, isCached, bytes: encodedDataLength });
  });
  return { fetched, order };
}

test("a first visit to the home page requests the image before the video; a second visit uses the cache", async (t) => {
  const { page, context, go, settle, close } = await openPage({ isOwn: true, reducedMotion: "no-preference" });
  const first = await recordResponses(page, context);
  await go("/");
  await page.waitForFunction(() => [...document.querySelectorAll("video")].some((film) => film.currentTime > 0.5));
  // Scrolls to the end to load lazy content.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await settle();
  const total = first.fetched.reduce((sum, { bytes }) => sum + bytes, 0);
  t.diagnostic(`${(total / 1024 / 1024).toFixed(2)} MB in ${first.fetched.length} responses; budget ${BUDGET_MB} MB`);
  const film = first.order.findIndex((path) => path.endsWith(".mp4"));
  const picture = first.order.findIndex((path) => /\.(webp|jpg|png)$/.test(path));
  assert.ok(picture >= 0 && film >= 0 && picture < film, first.order.join(" "));

  const again = await context.newPage();
  const second = await recordResponses(again, context);
  await again.goto(page.url());
  await again.waitForFunction(() => [...document.querySelectorAll("video")].some((film) => film.currentTime > 0.5));
  // The background image is chosen at random; all files of the first visit must be cached.
  const had = new Set(first.order.filter((path) => /^\/(assets|static)\//.test(path)));
  assert.ok(had.size > 10);
  assert.deepEqual(second.fetched.filter(({ path, isCached, bytes }) => had.has(path) && !isCached && bytes > 0), []);
  await close();
});

// Takes screenshots of every path at three widths and of every UI state at two, and writes an index:
// `npm run screenshots [FILTER]`, then open `screenshots/index.html`. FILTER selects names that contain it. Uses the binary and
// browser of the browser tests.
import { mkdir, writeFile } from "node:fs/promises";
import { routes, WIDTHS } from "../../tests/browser/routes.mjs";
import {
  closeBrowser,
  createTempDir,
  fillDemo,
  openPage,
  startBrowser,
  startServer,
} from "../../tests/browser/support.mjs";
import { exampleNames, openState, uiStates } from "../../tests/browser/ui-states.mjs";

const folder = new URL("../../screenshots/", import.meta.url);
const only = process.argv[2];
const STATE_WIDTHS = WIDTHS.filter(({ name }) => name !== "tablet");
/** Duration of animations. Milliseconds. */
const ANIMATION_MS = 300;
/** Maximum height of a screenshot. Pixels. */
const MAX_HEIGHT = 6_000;
await mkdir(folder, { recursive: true });

const undo = [];
try {
  const browser = await startBrowser();
  undo.push(() => browser.close());
  process.env.APOGEE_BROWSER = browser.wsEndpoint();
  const data = await createTempDir();
  undo.push(data.remove);
  await fillDemo(data.path);
  const { base, stop } = await startServer({ dataDir: data.path });
  undo.push(stop);
  process.env.APOGEE_BASE = base;
  process.env.APOGEE_KEY = "none";
  undo.push(closeBrowser);

  const rows = [];
  const wanted = (name) => only === undefined || name.includes(only);
  for (const { path, title } of await routes(base)) {
    if (!wanted(path)) continue;
    const images = [];
    for (const size of WIDTHS) {
      const { page, go, settle, close } = await openPage(size);
      await go(path);
      // Scrolls to load lazy content.
      await page.evaluate(() => window.scrollTo(0, 2_000));
      await page.waitForTimeout(ANIMATION_MS);
      await settle();
      // The viewport gets the height of the page, because full-page screenshots change the layout.
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      await page.setViewportSize({ width: size.width, height: Math.min(height, MAX_HEIGHT) });
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.waitForTimeout(ANIMATION_MS);
      images.push(await screenshot(page, path, size));
      await close();
    }
    rows.push(section(path, title, images));
  }
  for (const state of uiStates(await exampleNames(base))) {
    if (!wanted(state.name)) continue;
    const images = [];
    for (const size of STATE_WIDTHS) {
      const { page, close } = await openState(state, size);
      await page.waitForTimeout(ANIMATION_MS);
      images.push(await screenshot(page, state.name, size));
      await close();
    }
    rows.push(section(state.name, state.path, images));
  }
  const style = "body{background:#222;color:#eee;font:14px sans-serif}img{vertical-align:top;margin:4px}";
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Every page</title><style>${style}</style>\n${rows.join("\n")}\n</html>\n`;
  await writeFile(new URL("index.html", folder), html);
} finally {
  for (const step of undo.reverse()) await step();
}

async function screenshot(page, about, { name, width }) {
  const file = `${about.replace(/[^\w.-]+/g, "_").slice(0, 80)}-${name}.png`;
  await page.screenshot({ path: new URL(file, folder).pathname });
  return `<a href="${file}"><img src="${file}" alt="${escaped(about)}, ${name}" loading="lazy" style="width:${width / 4}px"></a>`;
}

function section(name, text, images) {
  console.log(name);
  return `<section><h2>${escaped(name)}</h2><p>${escaped(text)}</p>${images.join("\n")}</section>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

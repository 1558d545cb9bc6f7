// Takes a picture of every address at three widths, and of every state at two, and writes a page that lists them:
// `npm run screenshots`, then open `screenshots/index.html`; a word behind it takes only what has that word in its name.
// Uses the binary and the browser as the browser tests do; for people, never part of a test.
import { mkdir, writeFile } from "node:fs/promises";
import { routes, WIDTHS } from "../../tests/browser/routes.mjs";
import { playScene, scenes, subjects } from "../../tests/browser/scenes.mjs";
import { closeBrowser, openPage, ownDirectory, startBrowser, startServer } from "../../tests/browser/support.mjs";

const folder = new URL("../../screenshots/", import.meta.url);
const only = process.argv[2];
const STATE_WIDTHS = WIDTHS.filter(({ name }) => name !== "tablet");
/** What moves in comes to rest. Milliseconds. */
const REST_MS = 300;
/** Longer pages are cut. Pixels. */
const MAX_HEIGHT = 6_000;
await mkdir(folder, { recursive: true });

const undo = [];
try {
  const browser = await startBrowser();
  undo.push(() => browser.close());
  process.env.APOGEE_BROWSER = browser.wsEndpoint();
  const data = await ownDirectory();
  undo.push(data.remove);
  const { base, stop } = await startServer({ dataDir: data.path, isDemo: true });
  undo.push(stop);
  process.env.APOGEE_BASE = base;
  process.env.APOGEE_KEY = "none";
  undo.push(closeBrowser);

  const rows = [];
  const wanted = (name) => only === undefined || name.includes(only);
  for (const { path, title } of await routes(base)) {
    if (!wanted(path)) continue;
    const pictures = [];
    for (const size of WIDTHS) {
      const { page, go, settle, close } = await openPage(size);
      await go(path);
      // What is drawn when it is seen is seen once.
      await page.evaluate(() => window.scrollTo(0, 2_000));
      await page.waitForTimeout(REST_MS);
      await settle();
      // A window as high as the page: the browser's own pictures of whole pages are laid out in part for another size.
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      await page.setViewportSize({ width: size.width, height: Math.min(height, MAX_HEIGHT) });
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.waitForTimeout(REST_MS);
      pictures.push(await picture(page, path, size));
      await close();
    }
    rows.push(section(path, title, pictures));
  }
  for (const scene of scenes(await subjects(base))) {
    if (!wanted(scene.name)) continue;
    const pictures = [];
    for (const size of STATE_WIDTHS) {
      const { page, close } = await playScene(scene, size);
      await page.waitForTimeout(REST_MS);
      pictures.push(await picture(page, scene.name, size));
      await close();
    }
    rows.push(section(scene.name, scene.path, pictures));
  }
  const style = "body{background:#222;color:#eee;font:14px sans-serif}img{vertical-align:top;margin:4px}";
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Every page</title><style>${style}</style>\n${rows.join("\n")}\n</html>\n`;
  await writeFile(new URL("index.html", folder), html);
} finally {
  for (const step of undo.reverse()) await step();
}

async function picture(page, about, { name, width }) {
  const file = `${about.replace(/[^\w.-]+/g, "_").slice(0, 80)}-${name}.png`;
  await page.screenshot({ path: new URL(file, folder).pathname });
  return `<a href="${file}"><img src="${file}" alt="${escaped(about)}, ${name}" loading="lazy" style="width:${width / 4}px"></a>`;
}

function section(name, text, pictures) {
  console.log(name);
  return `<section><h2>${escaped(name)}</h2><p>${escaped(text)}</p>${pictures.join("\n")}</section>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

// Takes a picture of every address at three widths and writes a page that lists them: `npm run screenshots`, then open
// `screenshots/index.html`. Uses the binary and the browser as the browser tests do; for people, never part of a test.
import { mkdir, writeFile } from "node:fs/promises";
import { routes, WIDTHS } from "../../tests/browser/routes.mjs";
import { closeBrowser, openPage, ownDirectory, startBrowser, startServer } from "../../tests/browser/support.mjs";

const folder = new URL("../../screenshots/", import.meta.url);
const only = process.argv[2];
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
  for (const { path, title } of await routes(base)) {
    if (only !== undefined && !path.startsWith(only)) continue;
    const pictures = [];
    for (const { name, width, height } of WIDTHS) {
      const file = `${path.replaceAll("/", "_") || "_"}-${name}.png`;
      const { page, go, close } = await openPage({ width, height });
      await go(path);
      await page.screenshot({ path: new URL(file, folder).pathname, fullPage: true });
      await close();
      pictures.push(
        `<a href="${encodeURIComponent(file)}"><img src="${encodeURIComponent(file)}" alt="${path}, ${name}" loading="lazy" style="width:${width / 4}px"></a>`,
      );
    }
    rows.push(`<section><h2>${path}</h2><p>${title.replaceAll("&", "&amp;")}</p>${pictures.join("\n")}</section>`);
    console.log(path);
  }
  const style = "body{background:#222;color:#eee;font:14px sans-serif}img{vertical-align:top;margin:4px}";
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Every page</title><style>${style}</style>\n${rows.join("\n")}\n</html>\n`;
  await writeFile(new URL("index.html", folder), html);
} finally {
  for (const step of undo.reverse()) await step();
}

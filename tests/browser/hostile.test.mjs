// Texts that the owner of a site replaced, or that somebody committed, run no script, reach nobody else and break no rule
// of the page's own policy.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closeBrowser, openPage, ownDirectory, startServer } from "./support.mjs";

const HOSTILE = [
  "<script>window.hit = 1</script>",
  '<img src=x onerror="window.hit = 1">',
  "<svg/onload=window.hit=1>",
  "[click](javascript:window.hit=1)",
  "[click](JaVaScRiPt:window.hit=1)",
  "[click](&#106;avascript:window.hit=1)",
  "[click](data:text/html,<script>window.hit=1</script>)",
  "![picture](https://evil.test/a.png)",
  "![picture](//evil.test/a.png)",
  '<a href="javascript:window.hit=1">click</a>',
  "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
  "<details open ontoggle=window.hit=1>x</details>",
  "<style>@import 'https://evil.test/a.css';*{display:none}</style>",
  "<base href=https://evil.test/>",
  "<meta http-equiv=refresh content='0;url=https://evil.test'>",
  "<form action=//evil.test><button>click</button></form>",
  "| a |\n| - |\n| <img src=x onerror=window.hit=1> |",
  "```\n</code></pre><script>window.hit=1</script>\n```",
];
const SHOWN = {
  "/about": "about.md",
  "/privacy": "privacy.md",
  "/terms": "terms.md",
  "/discord-bot": "help_en.md",
  "/connect-app": "app_readme.md",
  "/api": "api.md",
  "/guides": "quick-start-guide.md",
};

let data;
let server;
before(async () => {
  data = await ownDirectory();
  const folder = join(data.path, "static", "pages");
  await mkdir(folder, { recursive: true });
  const text = `# Title\n\nOwn words.\n\n## Section\n\n${HOSTILE.join("\n\n")}\n\n- **\`/call\`** - <img src=x onerror=window.hit=1>\n`;
  for (const name of Object.values(SHOWN)) await writeFile(join(folder, name), text);
  server = await startServer({ dataDir: data.path });
});
after(async () => {
  await server?.stop();
  await data?.remove();
  await closeBrowser();
});

/** Clicks whatever a hostile text made that can be clicked. */
async function clickAll(page) {
  for (const link of await page.locator("main a, main button").filter({ hasText: "click" }).all()) {
    await link.click({ timeout: 2_000, noWaitAfter: true }).catch(() => {});
  }
}

for (const path of Object.keys(SHOWN)) {
  test(`hostile text stays text at ${path}`, async () => {
    const { page, problems, go, close } = await openPage({ base: server.base });
    await go(path);
    const before = page.url();
    await clickAll(page);
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(page.url(), before);
    assert.equal(await page.locator("main script, main iframe, main style, main base, main form[action]").count(), 0);
    assert.deepEqual(problems, []);
    await close();
  });
}

test("hostile words of a commit stay words", async () => {
  const commits = HOSTILE.map((text, n) => ({
    id: String(n + 1),
    repository: text,
    branch: text,
    message: `${text}\n\n${text}`,
    author_name: text,
    author_username: text,
    author_avatar_url: null,
    timestamp: 1_700_000_000 + n,
  }));
  const { page, problems, go, close } = await openPage({
    base: server.base,
    answers: [
      [/^GET \/api\/commits/, { commits, pagination: { limit: 20, offset: 0, total: commits.length, hasNextPage: false } }],
    ],
  });
  await go("/updates");
  await page.getByText("window.hit").first().waitFor();
  for (const link of await page.locator("main a").all()) {
    assert.doesNotMatch((await link.getAttribute("href")) ?? "", /^\s*(javascript|data|vbscript)/i);
  }
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.equal(await page.locator("main script, main iframe, main style").count(), 0);
  assert.deepEqual(problems, []);
  await close();
});

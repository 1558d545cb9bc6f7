// The same texts of people who mean harm as in ../hostile.test.mjs, in Firefox: `make firefox`. Its driver is a package of this
// folder alone, since Playwright drives only a Firefox of its own making.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { NAMED, SHOWN, startHostileSite } from "../hostile-site.mjs";

const FIREFOX = process.env.FIREFOX ?? "/usr/bin/firefox-esr";
const SETTLE_MS = 20_000;

let site;
let browser;
before(async () => {
  site = await startHostileSite();
  browser = await puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, headless: true });
});
after(async () => {
  await browser?.close();
  await site?.stop();
});

/** Clicks whatever a hostile text made that can be clicked; a click may take the page away. */
async function clickAll(page) {
  await page
    .evaluate(() => {
      for (const link of document.querySelectorAll("main a, main button")) {
        if (link.textContent.includes("click")) link.click();
      }
    })
    .catch(() => {});
}

async function staysText(path, act) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${site.base}/`) && !/^(data|blob):/.test(request.url())) problems.push(request.url());
  });
  await page.evaluateOnNewDocument(() => {
    // The empty page before the first has no memory.
    if (location.protocol === "http:") localStorage.setItem("analytics_disabled", "true");
    window.refused = [];
    document.addEventListener("securitypolicyviolation", (event) => window.refused.push(`${event.violatedDirective}: ${event.blockedURI}`));
  });
  await page.goto(site.base + path, { waitUntil: "domcontentloaded" });
  const isThere = () => /window\.hit|evil\.test/.test(document.querySelector("main")?.innerText ?? "");
  await page.waitForFunction(isThere, { timeout: SETTLE_MS });
  const address = page.url();
  await act(page);
  const seen = await page.evaluate(() => ({
    hit: window.hit,
    refused: window.refused,
    made: document.querySelectorAll("main script, main iframe, main style, main base, main form[action]").length,
    links: [...document.querySelectorAll("main a")].map((link) => link.getAttribute("href") ?? ""),
  }));
  for (const link of seen.links) assert.doesNotMatch(link, /^\s*(javascript|data|vbscript)/i);
  assert.equal(page.url(), address);
  assert.deepEqual({ ...seen, links: [] }, { hit: undefined, refused: [], made: 0, links: [] });
  assert.deepEqual(problems, []);
  await context.close();
}

for (const path of Object.keys(SHOWN)) test(`t50: a hostile page stays text at ${path}`, () => staysText(path, clickAll));
for (const path of NAMED) test(`t50: hostile names stay text at ${path}`, () => staysText(path, async () => {}));

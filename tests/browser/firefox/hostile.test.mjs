// The tests of ../hostile.test.mjs in Firefox: `make firefox`. Playwright only supports a patched Firefox, so this directory
// uses Puppeteer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { DATA_PAGES, TEXT_PAGES, startHostileSite } from "../hostile-site.mjs";

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

/** Clicks every link and button that a hostile text could have created. A click may navigate away. */
async function clickAll(page) {
  await page
    .evaluate(() => {
      for (const link of document.querySelectorAll("main a, main button")) {
        if (link.textContent.includes("click")) link.click();
      }
    })
    .catch(() => {});
}

async function expectInert(path, act) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${site.base}/`) && !/^(data|blob):/.test(request.url())) problems.push(request.url());
  });
  await page.evaluateOnNewDocument(() => {
    // about:blank has no local storage.
    if (location.protocol === "http:") localStorage.setItem("analytics_disabled", "true");
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`));
  });
  await page.goto(site.base + path, { waitUntil: "domcontentloaded" });
  const isShown = () => /window\.hit|evil\.test/.test(document.querySelector("main")?.innerText ?? "");
  await page.waitForFunction(isShown, { timeout: SETTLE_MS });
  const address = page.url();
  await act(page);
  const seen = await page.evaluate(() => ({
    hit: window.hit,
    violations: window.violations,
    made: document.querySelectorAll("main script, main iframe, main style, main base, main form[action]").length,
    links: [...document.querySelectorAll("main a")].map((link) => link.getAttribute("href") ?? ""),
  }));
  for (const link of seen.links) assert.doesNotMatch(link, /^\s*(javascript|data|vbscript)/i);
  assert.equal(page.url(), address);
  assert.deepEqual({ ...seen, links: [] }, { hit: undefined, violations: [], made: 0, links: [] });
  assert.deepEqual(problems, []);
  await context.close();
}

for (const path of Object.keys(TEXT_PAGES)) test(`t50: hostile page texts are inert at ${path}`, () => expectInert(path, clickAll));
for (const path of DATA_PAGES) test(`t50: hostile names are inert at ${path}`, () => expectInert(path, async () => {}));

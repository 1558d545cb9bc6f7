// The real binary and a real browser for the browser tests. `run.mjs` starts both once and names them in the environment;
// a test file opens pages with `openPage`. Nothing here stands in for a part of the site.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// The packages live beside the page.
const require = createRequire(new URL("../../frontend/package.json", import.meta.url));
export const { chromium } = require("playwright-core");

export const BINARY = process.env.APOGEE_BIN ?? fileURLToPath(new URL("../../target/debug/apogee", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Filling the demo universe takes its time on a busy machine. Milliseconds. */
const START_MS = 120_000;
/** What a page may take to come to rest. Milliseconds. */
const SETTLE_MS = 20_000;

/** Starts a server on `listen`, with `env` on top; `isDemo` fills its database first. Gives its address and how to stop it. */
export async function startServer({ dataDir, isDemo = false, listen = "127.0.0.1:0", env = {} }) {
  if (!existsSync(BINARY)) throw new Error(`There is no binary at ${BINARY}. Build it, or name one in APOGEE_BIN.`);
  const args = ["serve", "--listen", listen, "--data-dir", dataDir, ...(isDemo ? ["--demo"] : [])];
  const child = spawn(BINARY, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  let said = "";
  const base = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The server did not start in time. It said:\n${said}`)), START_MS);
    const hear = (bytes) => {
      said = (said + bytes).slice(-10_000);
      const address = /listening on (http:\/\/\S+)/.exec(said)?.[1];
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => reject(new Error(`The server ended with ${code}. It said:\n${said}`)));
  });
  const stop = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null) return resolve();
      child.once("exit", resolve);
      child.kill("SIGTERM");
    });
  return { base, stop };
}

/** A new ingest key for the database in `dataDir`. */
export async function createKey(dataDir) {
  const child = spawn(BINARY, ["key", "create", "--name", "browser", "--data-dir", dataDir]);
  let key = "";
  child.stdout.on("data", (bytes) => {
    key += bytes;
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`apogee key create ended with ${code}.`);
  return key.trim();
}

/** An empty directory, and how to remove it. */
export async function ownDirectory() {
  const path = await mkdtemp(join(tmpdir(), "apogee-browser-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export async function startBrowser() {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`There is no Chromium at ${CHROMIUM}. Install it, or name it in the variable CHROMIUM.`);
  }
  return chromium.launchServer({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}

/** What `run.mjs` started. */
export function site() {
  const { APOGEE_BASE: base, APOGEE_KEY: key, APOGEE_BROWSER: browser } = process.env;
  if (!base || !key || !browser) throw new Error("Start the browser tests with: npm run test:browser");
  return { base, key, browser };
}

let connection;

/** Hangs up, so that the test file can end. */
export async function closeBrowser() {
  await (await connection)?.close();
}

/**
 * A page with a clean profile. `problems` gathers what no page may do: messages on the console, errors, requests to
 * another origin. `isMissing` accepts the browser's own words about an answer 404 that the page was opened for, and
 * `isFailing` those about any answer that fails. `user` is signed in as far as the page knows; `kept` and `stored` are
 * what the tab and the browser remember. `answers` stand in for the server's: `[matcher of "METHOD /path?query", reply]`,
 * the first that matches counts, the rest comes from the server.
 */
export async function openPage({
  width = 1440,
  height = 900,
  base = site().base,
  isMissing = false,
  isFailing = false,
  user = null,
  kept = {},
  stored = {},
  answers = [],
  ...more
} = {}) {
  connection ??= chromium.connect(site().browser);
  const browser = await connection;
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce", ...more });
  // What tests look at is no visit. A visitor who does not want to be counted says so in the same way.
  await context.addInitScript(() => localStorage.setItem("analytics_disabled", "true"));
  await context.addInitScript(
    ([who, session, local]) => {
      // Once: what the page does with its own memory later stands.
      if (sessionStorage.getItem("begun")) return;
      sessionStorage.setItem("begun", "1");
      for (const [key, value] of Object.entries(session)) sessionStorage.setItem(key, value);
      for (const [key, value] of Object.entries(local)) localStorage.setItem(key, value);
      if (!who) return;
      localStorage.setItem("linkUser", JSON.stringify(who));
      localStorage.setItem("jwt", "a.b.c");
    },
    [user, kept, stored],
  );
  await context.addInitScript(() => {
    Object.assign(window, { shift: 0, shifted: [] });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        window.shift += entry.value;
        for (const { node } of entry.sources) window.shifted.push(node?.className || node?.nodeName);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  if (answers.length > 0) await context.route(`${base}/**`, (route) => standIn(route, answers));
  const page = await context.newPage();
  const problems = [];
  const open = new Set();
  page.on("console", (message) => {
    if (isMissing && /status of 404/.test(message.text())) return;
    if (isFailing && /^Failed to load resource/.test(message.text())) return;
    problems.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${base}/`) && !/^(data|blob):/.test(request.url())) {
      problems.push(`request to another origin: ${request.url()}`);
    }
    if (request.resourceType() !== "eventsource" && request.resourceType() !== "media") open.add(request);
  });
  const ended = (request) => open.delete(request);
  page.on("requestfinished", ended);
  page.on("requestfailed", ended);
  const settle = async () => {
    await page.locator("main h1, main h2").first().waitFor({ timeout: SETTLE_MS });
    const end = Date.now() + SETTLE_MS;
    let calmSince = 0;
    // Calm is: no request under way and nothing that says it is loading, in three looks one after the other.
    while (calmSince < 3) {
      if (Date.now() > end) throw new Error(`${page.url()} did not come to rest: ${[...open].map((r) => r.url())}`);
      const isBusy = open.size > 0 || (await page.locator('[aria-busy="true"], [role="progressbar"]').count()) > 0;
      calmSince = isBusy ? 0 : calmSince + 1;
      await page.waitForTimeout(60);
    }
    await page.evaluate(() => document.fonts.ready);
  };
  /** How far the page has moved by itself, in the browser's own measure, and what moved. */
  const shifted = () => page.evaluate(() => ({ shift: window.shift, moved: window.shifted.join(", ") }));
  const go = async (path) => {
    const response = await page.goto(base + path, { waitUntil: "domcontentloaded" });
    await settle();
    return response;
  };
  return { page, context, problems, settle, shifted, go, close: () => context.close() };
}

/** What a reply is: nothing at all, nothing yet, the server's answer changed, or an answer of its own. */
async function standIn(route, answers) {
  const request = route.request();
  const { pathname, search } = new URL(request.url());
  const asked = `${request.method()} ${pathname}${search}`;
  const [, reply] = answers.find(([matcher]) => matcher.test(asked)) ?? [];
  if (reply === undefined) return route.fallback();
  if (reply === "none") return route.abort("connectionrefused");
  if (reply === "never") return;
  if (typeof reply === "function") {
    const response = await route.fetch();
    return route.fulfill({ response, json: reply(await response.json()) });
  }
  const { status = 200, text, headers = {}, ...body } = reply;
  const json = { success: status < 400, ...body };
  return route.fulfill({ status, headers, contentType: "application/json", body: text ?? JSON.stringify(json) });
}

/** Posts events; the answer must be that all of them are new. */
export async function post(events, { base = site().base, key = site().key } = {}) {
  const response = await fetch(`${base}/api/ingest/events`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ events }),
  });
  const answer = await response.json();
  if (answer.accepted !== events.length) throw new Error(`The events were not taken in: ${JSON.stringify(answer)}`);
}

/** A kill in the open universe, now. */
export const kill = (killer, victim, more = {}) => ({
  identifier: "kill",
  event_time: Date.now(),
  game_mode: "PU",
  patch: "ALPHA 4.3.2",
  killer,
  victim,
  killer_is_npc: false,
  victim_is_npc: false,
  weapon: "behr_rifle_ballistic_01",
  ...more,
});

/** What `axe` finds on the page, one line each. */
export async function violations(page) {
  const source = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(source);
  const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations);
  return found.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map((node) => `${id}: ${help}: ${node.target.join(" ")} ${node.any[0]?.message ?? ""}`),
  );
}

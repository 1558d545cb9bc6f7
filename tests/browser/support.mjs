// Helpers for the browser tests, which run the real binary and a real browser. `run.mjs` starts both once and passes them in
// the environment; tests open pages with `openPage`.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// The packages are installed in the frontend's directory.
const require = createRequire(new URL("../../frontend/package.json", import.meta.url));
export const { chromium } = require("playwright-core");

export const BINARY = process.env.APOGEE_BIN ?? fileURLToPath(new URL("../../target/debug/apogee", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Timeout of the server start, including the generation of demo data. Milliseconds. */
const START_MS = 120_000;
/** Timeout until a page has loaded. Milliseconds. */
const SETTLE_MS = 20_000;

/** `tests/run.sh` prints how many processes the tests start. */
export function countProcess() {
  if (process.env.APOGEE_TEST_PROCESSES) appendFileSync(process.env.APOGEE_TEST_PROCESSES, "a browser test\n");
}

/** Starts a server on `listen` with additional environment variables. `isDemo` fills its database first. Returns its address and a function that stops it. */
export async function startServer({ dataDir, isDemo = false, listen = "127.0.0.1:0", env = {} }) {
  if (!existsSync(BINARY)) throw new Error(`No binary at ${BINARY}: build it or set APOGEE_BIN.`);
  const args = ["serve", "--listen", listen, "--data-dir", dataDir, ...(isDemo ? ["--demo"] : [])];
  countProcess();
  const child = spawn(BINARY, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  let output = "";
  const base = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The server did not start in time. Output:\n${output}`)), START_MS);
    const readOutput = (bytes) => {
      output = (output + bytes).slice(-10_000);
      const address = /listening on (http:\/\/\S+)/.exec(output)?.[1];
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout.on("data", readOutput);
    child.stderr.on("data", readOutput);
    child.on("exit", (code) => reject(new Error(`The server exited with ${code}. Output:\n${output}`)));
  });
  const stop = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null) return resolve();
      child.once("exit", resolve);
      child.kill("SIGTERM");
    });
  return { base, stop };
}

/** Creates an ingest key for the database in `dataDir`. */
export async function createKey(dataDir) {
  countProcess();
  const child = spawn(BINARY, ["key", "create", "--name", "browser", "--data-dir", dataDir]);
  let key = "";
  child.stdout.on("data", (bytes) => {
    key += bytes;
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`apogee key create exited with ${code}.`);
  return key.trim();
}

/** Creates an empty directory. Returns its path and a function that removes it. */
export async function createTempDir() {
  const path = await mkdtemp(join(tmpdir(), "apogee-browser-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export async function startBrowser() {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`No Chromium at ${CHROMIUM}: install it or set CHROMIUM.`);
  }
  return chromium.launchServer({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}

/** The server and browser that `run.mjs` started. */
export function site() {
  const { APOGEE_BASE: base, APOGEE_KEY: key, APOGEE_BROWSER: browser } = process.env;
  if (!base || !key || !browser) throw new Error("Start the browser tests with: npm run test:browser");
  return { base, key, browser };
}

let connection;
/** The profiles that tests of this file share, by their settings. */
const sharedContexts = new Map();

/** Closes the connection to the browser, so that the test file can end. */
export async function closeBrowser() {
  await (await connection)?.close();
}

/** A new profile, or the one that tests with the same settings share. Its cache saves most of the time of a page load. */
async function contextOf(settings, isShared) {
  connection ??= chromium.connect(site().browser);
  const browser = await connection;
  if (!isShared) return browser.newContext(settings);
  const key = JSON.stringify(settings);
  if (!sharedContexts.has(key)) sharedContexts.set(key, browser.newContext(settings));
  const context = await sharedContexts.get(key);
  await context.clearCookies();
  return context;
}

/**
 * Opens a page with a clean profile. `problems` collects console messages, errors and requests to other origins.
 * `expects404` ignores the browser's message about a page with status 404, and `expectsFailures` those about any failed
 * request. `user` is the signed-in user from the page's point of view; `sessionItems` and `localItems` are initial values
 * of session and local storage. With `isShared`, the page shares a profile without cookies and storage with earlier ones, so that
 * its files come from the cache. `mocks` replaces responses of the server: `[matcher of "METHOD /path?query", reply]`. The
 * first matching entry is used; all other requests go to the server.
 */
export async function openPage({
  width = 1440,
  height = 900,
  base = site().base,
  expects404 = false,
  expectsFailures = false,
  user = null,
  sessionItems = {},
  localItems = {},
  mocks = [],
  isShared = false,
  ...more
} = {}) {
  const context = await contextOf({ viewport: { width, height }, reducedMotion: "reduce", ...more }, isShared);
  const ownPage = isShared ? await context.newPage() : undefined;
  // Scripts and mocks of a shared profile would apply to later pages as well.
  const scope = ownPage ?? context;
  await scope.addInitScript(
    ([isShared, signedIn, session, local]) => {
      // Only once, so that later changes by the page are kept.
      if (sessionStorage.getItem("begun")) return;
      if (isShared) localStorage.clear();
      // Tests must not be counted as visits.
      localStorage.setItem("analytics_disabled", "true");
      sessionStorage.setItem("begun", "1");
      for (const [key, value] of Object.entries(session)) sessionStorage.setItem(key, value);
      for (const [key, value] of Object.entries(local)) localStorage.setItem(key, value);
      if (!signedIn) return;
      localStorage.setItem("linkUser", JSON.stringify(signedIn));
      localStorage.setItem("jwt", "a.b.c");
    },
    [isShared, user, sessionItems, localItems],
  );
  await scope.addInitScript(() => {
    Object.assign(window, { shift: 0, shiftedNodes: [] });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        window.shift += entry.value;
        for (const { node } of entry.sources) window.shiftedNodes.push(node?.className || node?.nodeName);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  if (mocks.length > 0) await scope.route(`${base}/**`, (route) => respond(route, mocks));
  const page = ownPage ?? (await context.newPage());
  const problems = [];
  const open = new Set();
  page.on("console", (message) => {
    if (expects404 && /status of 404/.test(message.text())) return;
    if (expectsFailures && /^Failed to load resource/.test(message.text())) return;
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
    let idleChecks = 0;
    // Idle means no pending request and no loading indicator in three consecutive checks.
    while (idleChecks < 3) {
      if (Date.now() > end) throw new Error(`${page.url()} did not become idle: ${[...open].map((r) => r.url())}`);
      const isBusy = open.size > 0 || (await page.locator('[aria-busy="true"], [role="progressbar"]').count()) > 0;
      idleChecks = isBusy ? 0 : idleChecks + 1;
      await page.waitForTimeout(60);
    }
    await page.evaluate(() => document.fonts.ready);
  };
  /** Cumulative layout shift, as measured by the browser, and the nodes that moved. */
  const layoutShift = () => page.evaluate(() => ({ shift: window.shift, moved: window.shiftedNodes.join(", ") }));
  const go = async (path) => {
    const response = await page.goto(base + path, { waitUntil: "domcontentloaded" });
    await settle();
    return response;
  };
  const close = async () => {
    // A mocked request may still be in progress, and fails when the context closes.
    await scope.unrouteAll({ behavior: "ignoreErrors" });
    await scope.close();
  };
  return { page, context, problems, settle, layoutShift, go, close };
}

/** Replies to a mocked request: `"none"` refuses the connection, `"never"` does not respond, a function changes the server's response, an object is the response. */
async function respond(route, mocks) {
  const request = route.request();
  const { pathname, search } = new URL(request.url());
  const requestLine = `${request.method()} ${pathname}${search}`;
  const [, reply] = mocks.find(([matcher]) => matcher.test(requestLine)) ?? [];
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

/** Uploads events. Fails unless all of them are new. */
export async function postEvents(events, { base = site().base, key = site().key } = {}) {
  const response = await fetch(`${base}/api/ingest/events`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ events }),
  });
  const result = await response.json();
  if (result.accepted !== events.length) throw new Error(`Events were not accepted: ${JSON.stringify(result)}`);
}

/** A kill in the persistent universe, at the current time. */
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

/** Whether axe checks every path at every width and every state of the page. `make test` checks each path once. */
export const checksEveryPage = process.env.APOGEE_AXE === "all";

/** Violations that axe finds on the page, one line each. */
export async function accessibilityViolations(page) {
  const source = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(source);
  const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations);
  return found.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map((node) => `${id}: ${help}: ${node.target.join(" ")} ${node.any[0]?.message ?? ""}`),
  );
}

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
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
/** Ends a wait for something that never comes. Far more than a slow machine needs: nothing is judged by how soon it comes. Milliseconds. */
export const HANG_MS = 120_000;

/** `tests/run.sh` prints how many processes the tests start. */
export function countProcess() {
  if (process.env.APOGEE_TEST_PROCESSES) appendFileSync(process.env.APOGEE_TEST_PROCESSES, "a browser test\n");
}

/** Starts a server on `listen` with additional environment variables. Returns its address and a function that stops it. */
export async function startServer({ dataDir, listen = "127.0.0.1:0", env = {} }) {
  if (!existsSync(BINARY)) throw new Error(`No binary at ${BINARY}: build it or set APOGEE_BIN.`);
  countProcess();
  const child = spawn(BINARY, ["serve", "--listen", listen, "--data-dir", dataDir], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  let output = "";
  const base = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The server did not start in time. Output:\n${output}`)), HANG_MS);
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

/** Runs a command on the data in `dataDir`; returns its output. */
async function runCommand(dataDir, ...args) {
  countProcess();
  const child = spawn(BINARY, [...args, "--data-dir", dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (bytes) => {
    output += bytes;
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`apogee ${args.join(" ")} exited with ${code}.`);
  return output.trim();
}

/** Creates an ingest key for the database in `dataDir`. */
export const createKey = (dataDir) => runCommand(dataDir, "key", "create", "--name", "browser");

/** Fills an empty database with the universe of `serve --demo`, which adds no events later. */
export const fillDemo = (dataDir) => runCommand(dataDir, "demo", "--seed", "7");

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
/** The pages that tests of this file share, by their settings, and the functions that end the last use of each. */
const sharedPages = new Map();

/** Closes the connection to the browser, so that the test file can end. */
export async function closeBrowser() {
  await (await connection)?.close();
}

/** A page with a new profile. */
async function newPage(settings) {
  connection ??= chromium.connect(site().browser);
  const context = await (await connection).newContext({ reducedMotion: "reduce", ...settings });
  context.setDefaultTimeout(HANG_MS);
  // Runs in all later pages of the profile, too.
  await context.addInitScript(() => {
    Object.assign(window, { shift: 0, shiftedNodes: [] });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        window.shift += entry.value;
        for (const { node } of entry.sources) window.shiftedNodes.push(node?.className || node?.nodeName);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return context.newPage();
}

/** The page that tests with the same settings share. Starting no process and parsing no script again saves most of the time of a load. */
async function sharedPage(settings) {
  const key = JSON.stringify(settings);
  if (!sharedPages.has(key)) sharedPages.set(key, { page: await newPage(settings), close: async () => {} });
  const shared = sharedPages.get(key);
  // A test that failed has not closed it.
  await shared.close();
  await shared.page.context().clearCookies();
  return shared;
}

/** Fills the storage of the page before its first load. Later changes by the page are kept. */
function fillStorage([user, session, local]) {
  if (sessionStorage.getItem("begun")) return;
  // Tests must not be counted as visits.
  localStorage.setItem("analytics_disabled", "true");
  sessionStorage.setItem("begun", "1");
  for (const [name, value] of Object.entries(session)) sessionStorage.setItem(name, value);
  for (const [name, value] of Object.entries(local)) localStorage.setItem(name, value);
  if (!user) return;
  localStorage.setItem("linkUser", JSON.stringify(user));
  localStorage.setItem("jwt", "a.b.c");
}

/**
 * Opens a page. `problems` collects console messages, errors and requests to other origins.
 * `expects404` ignores the browser's message about a page with status 404, and `expectsFailures` those about any failed
 * request. `user` is the signed-in user from the page's point of view; `sessionItems` and `localItems` are initial values
 * of session and local storage. The tests of a file share one page, one after the other: its cookies and storage are cleared, its files
 * are cached. With `isOwn`, the page has a new profile, as tests need that open two pages at once, sign in, or judge a first load.
 * `mocks` replaces responses of the API and texts: `[matcher of "METHOD /path?query", reply]`. The first matching entry is used; all
 * other requests go to the server.
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
  isOwn = false,
  ...more
} = {}) {
  const viewport = { width, height };
  const shared = isOwn ? null : await sharedPage(more);
  const page = shared?.page ?? (await newPage({ viewport, ...more }));
  const context = page.context();
  const stored = [user, sessionItems, localItems];
  if (shared) {
    await page.setViewportSize(viewport);
    // A text of the same origin, which has the page's storage, but no script.
    await page.goto(`${base}/robots.txt`);
    await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
    await page.evaluate(fillStorage, stored);
  } else {
    await context.addInitScript(fillStorage, stored);
  }
  const endMocks = mocks.length > 0 ? await mock(page, base, mocks) : () => {};
  const problems = [];
  const open = new Set();
  const ended = (request) => open.delete(request);
  const listeners = {
    console: (message) => {
      if (expects404 && /status of 404/.test(message.text())) return;
      if (expectsFailures && /^Failed to load resource/.test(message.text())) return;
      problems.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    },
    pageerror: (error) => problems.push(`error: ${error.message}`),
    request: (request) => {
      if (!request.url().startsWith(`${base}/`) && !/^(data|blob):/.test(request.url())) {
        problems.push(`request to another origin: ${request.url()}`);
      }
      if (request.resourceType() !== "eventsource" && request.resourceType() !== "media") open.add(request);
    },
    requestfinished: ended,
    requestfailed: ended,
  };
  for (const [event, listener] of Object.entries(listeners)) page.on(event, listener);
  const settle = async () => {
    await page.locator("main h1, main h2").first().waitFor();
    const end = Date.now() + HANG_MS;
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
    for (const [event, listener] of Object.entries(listeners)) page.off(event, listener);
    if (!shared) return context.close();
    shared.close = async () => {};
    await endMocks();
  };
  if (shared) shared.close = close;
  return { page, context, problems, settle, layoutShift, go, close };
}

/**
 * Replaces responses of the server to a page; returns a function that ends it. Only calls of the API and texts are intercepted, so that
 * files of the page come from the cache, which Playwright's own interception switches off.
 */
async function mock(page, base, mocks) {
  const devtools = await page.context().newCDPSession(page);
  devtools.on("Fetch.requestPaused", (paused) => {
    respond(devtools, paused, mocks).catch((error) => {
      // A page that goes on takes its requests with it.
      if (!/Invalid InterceptionId|closed|detached/.test(error.message)) throw error;
    });
  });
  await devtools.send("Fetch.enable", { patterns: ["/api/*", "/*.md*"].map((path) => ({ urlPattern: base + path })) });
  return () => devtools.detach();
}

/** Replies to a mocked request: `"none"` refuses the connection, `"never"` does not respond, a function changes the server's response, an object is the response. */
async function respond(devtools, { requestId, request }, mocks) {
  const { pathname, search } = new URL(request.url);
  const requestLine = `${request.method} ${pathname}${search}`;
  const [, reply] = mocks.find(([matcher]) => matcher.test(requestLine)) ?? [];
  if (reply === undefined) return devtools.send("Fetch.continueRequest", { requestId });
  if (reply === "none") return devtools.send("Fetch.failRequest", { requestId, errorReason: "ConnectionRefused" });
  if (reply === "never") return;
  const fulfill = (status, headers, body) =>
    devtools.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: status,
      responseHeaders: Object.entries({ "content-type": "application/json", ...headers }).map(([name, value]) => ({ name, value })),
      body: Buffer.from(body).toString("base64"),
    });
  if (typeof reply === "function") {
    const response = await fetch(request.url, { method: request.method, headers: request.headers, body: request.postData });
    return fulfill(response.status, {}, JSON.stringify(reply(await response.json())));
  }
  const { status = 200, text, headers = {}, ...body } = reply;
  return fulfill(status, headers, text ?? JSON.stringify({ success: status < 400, ...body }));
}

/** Waits until `check` returns something true. Fails with `what` if it never does. */
export async function eventually(what, check) {
  const end = Date.now() + HANG_MS;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
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

// Starts a server with demo data and a browser, runs all `*.test.mjs` files of this directory against them, and stops both.
// `npm run test:browser -- FILE…` runs only the named files; NAME='…' in the environment runs tests whose names contain it.
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { createKey, createTempDir, fillDemo, startBrowser, startServer } from "./support.mjs";

/** The files that take longest. They start first, so that none of them runs alone at the end. */
const HEAVY = [
  "account.test.mjs",
  "ui-states-account.test.mjs",
  "log-upload.test.mjs",
  "routes.test.mjs",
  "ui-states-public.test.mjs",
  "keyboard.test.mjs",
  "moderation.test.mjs",
  "images.test.mjs",
  "hostile.test.mjs",
  "live.test.mjs",
  "ui-states-claim.test.mjs",
  "ui-states-moderation.test.mjs",
];

const here = new URL(".", import.meta.url);
const wanted = process.argv.slice(2).map((name) => basename(name));
const files = (await readdir(here))
  .filter((name) => name.endsWith(".test.mjs") && (wanted.length === 0 || wanted.some((part) => name.startsWith(part))))
  .sort((a, b) => place(a) - place(b) || a.localeCompare(b))
  .map((name) => fileURLToPath(new URL(name, here)));

/** Position of a file in the order of starts. */
function place(name) {
  const at = HEAVY.indexOf(name);
  return at < 0 ? HEAVY.length : at;
}

const undo = [];
let hasFailed = files.length === 0;
try {
  const browser = await startBrowser();
  undo.push(() => browser.close());
  const data = await createTempDir();
  undo.push(data.remove);
  await fillDemo(data.path);
  process.env.APOGEE_KEY = await createKey(data.path);
  const server = await startServer({ dataDir: data.path });
  undo.push(server.stop);
  process.env.APOGEE_BASE = server.base;
  process.env.APOGEE_BROWSER = browser.wsEndpoint();
  const tests = run({ files, concurrency: 3, timeout: 900_000, testNamePatterns: process.env.NAME });
  tests.on("test:fail", () => {
    hasFailed = true;
  });
  tests.compose(new spec()).pipe(process.stdout);
  await new Promise((resolve) => tests.once("end", resolve));
} catch (error) {
  hasFailed = true;
  console.error(error.message);
}
for (const step of undo.reverse()) await step();
process.exitCode = hasFailed ? 1 : 0;

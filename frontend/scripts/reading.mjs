// Prints how fast the page reads a log, compared with the program, for BENCHMARKS.md: `npm run bench:reading`, or `make bench-web`, which
// builds the release binary first. The log repeats the sample sessions; APOGEE_BENCH_MB sets its size (default 1024).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { BINARY, chromium, createTempDir, startBrowser, startServer } from "../../tests/browser/support.mjs";

const SAMPLES = ["pu-4.1.0-fights", "pu-4.7.0-no-fights", "pu-4.1.0-reconnects"];
const MEGABYTES = Number(process.env.APOGEE_BENCH_MB ?? 1024);
const RUNS = Number(process.env.RUNS ?? 3);

const data = await createTempDir();
const server = await startServer({ dataDir: data.path });
const started = await startBrowser();
const browser = await chromium.connect(started.wsEndpoint());
try {
  const log = join(data.path, "Game.log");
  await writeLog(log);
  const bytes = statSync(log).size;
  const speed = (milliseconds) =>
    `${(milliseconds / 1000).toFixed(2)} s, ${Math.round(bytes / 1000 / milliseconds)} MB/s`;
  const [native, page] = [[], []];
  let memory = 0;
  for (let at = 0; at < RUNS; at += 1) {
    native.push(await readNatively(log));
    const run = await readInPage(log);
    page.push(run.milliseconds);
    memory = Math.max(memory, run.memory);
  }
  const best = (runs) => Math.min(...runs);
  console.log(`log: ${Math.round(bytes / 1e6)} MB, best of ${RUNS} runs`);
  console.log(`apogee watch --once --json: ${speed(best(native))}`);
  console.log(
    `the page in Chromium: ${speed(best(page))}, ${(best(native) / best(page)).toFixed(2)} of the program's speed`,
  );
  console.log(`memory of the page while it reads: at most ${memory} MB more than before`);
} finally {
  await started.close();
  await server.stop();
  await data.remove();
}

async function writeLog(path) {
  const folder = new URL("../../tests/data/gamelog/", import.meta.url);
  const samples = SAMPLES.map((name) => readFileSync(new URL(`${name}.log`, folder)));
  const out = createWriteStream(path);
  for (let [written, at] = [0, 0]; written < MEGABYTES * 1e6; at += 1) {
    const sample = samples[at % samples.length];
    written += sample.length;
    if (!out.write(sample)) await once(out, "drain");
  }
  out.end();
  await once(out, "close");
}

async function readNatively(path) {
  const startedAt = performance.now();
  const reader = spawn(BINARY, ["watch", path, "--once", "--json"], { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(reader, "close");
  if (code !== 0) throw new Error(`the program ended with ${code}`);
  return performance.now() - startedAt;
}

/** Reads in the page as a player would. The page says itself how long it took. */
async function readInPage(path) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.base}/upload`);
  const input = page.locator('input[type="file"]').last();
  await input.waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
  const pids = renderers();
  const before = memoryOf(pids);
  let memory = 0;
  const timer = setInterval(() => {
    memory = Math.max(memory, memoryOf(pids) - before);
  }, 100);
  await choose(context, page, path);
  await page.getByRole("progressbar").waitFor();
  await page.getByRole("progressbar").waitFor({ state: "detached", timeout: 0 });
  const reading = await page.evaluate(savedReading);
  clearInterval(timer);
  await context.close();
  return { milliseconds: reading.milliseconds, memory: Math.round(memory) };
}

/** Chooses the file itself: Playwright would send a copy of it through the connection to the browser. */
async function choose(context, page, path) {
  const session = await context.newCDPSession(page);
  const expression = "[...document.querySelectorAll('input[type=file]')].at(-1)";
  const { result } = await session.send("Runtime.evaluate", { expression });
  await session.send("DOM.setFileInputFiles", { objectId: result.objectId, files: [path] });
}

/** Runs in the page: the reading that is kept. */
async function savedReading() {
  const opened = await new Promise((done) => {
    const request = indexedDB.open("apogee-logs");
    request.onsuccess = () => done(request.result);
  });
  return new Promise((done) => {
    const request = opened.transaction("readings").objectStore("readings").getAll();
    request.onsuccess = () => done({ milliseconds: request.result[0].milliseconds });
  });
}

/** The processes of the browser that run pages. */
function renderers() {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes("--type=renderer") && isOurs(Number(name));
    } catch {
      // The process has ended.
      return false;
    }
  });
}

/** Memory of processes, in MB. */
function memoryOf(pids) {
  const kilobytes = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  return pids.reduce((sum, pid) => sum + kilobytes(pid), 0) / 1024;
}

/** Whether a process descends from the browser of this script. */
function isOurs(pid) {
  if (pid <= 1) return false;
  if (pid === started.process().pid) return true;
  return isOurs(Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1]));
}

// Prints Lighthouse results as a table for BENCHMARKS.md: `npm run bench:web`, or `make bench-web`, which builds the release
// binary first. Each value is the median of three runs. `npx` downloads the Lighthouse version below.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createTempDir, fillDemo, startServer } from "../../tests/browser/support.mjs";
import { exampleNames } from "../../tests/browser/ui-states.mjs";

const LIGHTHOUSE = "lighthouse@12.8.2";
const RUNS = Number(process.env.RUNS ?? 3);
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
const FIGURES = [
  ["first-contentful-paint", "ms"],
  ["largest-contentful-paint", "ms"],
  ["total-blocking-time", "ms"],
  ["cumulative-layout-shift", ""],
];

const reports = await mkdtemp(join(tmpdir(), "apogee-lighthouse-"));
const data = await createTempDir();
await fillDemo(data.path);
const server = await startServer({ dataDir: data.path });
try {
  const { player } = await exampleNames(server.base);
  console.log(`${cpus().length} processors, ${cpus()[0]?.model}; ${LIGHTHOUSE}, median of ${RUNS} runs\n`);
  console.log(
    "| page | profile | performance | accessibility | best practices | SEO | first paint | largest paint | blocked | layout shift |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const [name, path] of [
    ["`/`", "/"],
    ["`/players`", "/players"],
    ["a player", `/player/${player}`],
  ]) {
    for (const profile of ["desktop", "phone"]) {
      const runs = [];
      for (let at = 0; at < RUNS; at += 1) runs.push(await measureWithRetry(server.base + path, profile));
      runs.sort((a, b) => a.categories.performance.score - b.categories.performance.score);
      const { categories, audits } = runs[Math.floor(runs.length / 2)];
      const scores = CATEGORIES.map((one) => Math.round((categories[one].score ?? 0) * 100));
      const figures = FIGURES.map(([id, unit]) =>
        unit ? `${Math.round(audits[id].numericValue)} ms` : audits[id].numericValue.toFixed(3),
      );
      console.log(`| ${[name, profile, ...scores, ...figures].join(" | ")} |`);
      const failing = Object.values(audits).filter(
        ({ score, scoreDisplayMode }) => score === 0 && scoreDisplayMode === "binary",
      );
      for (const { id, title } of failing) console.error(`  ${name} ${profile}: ${id}: ${title}`);
    }
  }
} finally {
  await server.stop();
  await data.remove();
  await rm(reports, { recursive: true, force: true });
}

/** Measures a page. Retries once, because the browser's trace is sometimes incomplete. */
async function measureWithRetry(url, profile) {
  return measure(url, profile).catch(() => measure(url, profile));
}

/** Runs Lighthouse once and returns its report. */
async function measure(url, profile) {
  const output = join(reports, `${Date.now()}.json`);
  const args = ["--yes", LIGHTHOUSE, url, "--quiet", "--output=json", `--output-path=${output}`];
  args.push("--chrome-flags=--headless=new --no-sandbox", `--only-categories=${CATEGORIES.join(",")}`);
  if (profile === "desktop") args.push("--preset=desktop");
  const env = { ...process.env, CHROME_PATH: process.env.CHROME_PATH ?? "/usr/bin/chromium" };
  const code = await new Promise((resolve, reject) => {
    const child = spawn("npx", args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    child.stderr.on("data", (bytes) => {
      output += bytes;
    });
    child.on("error", reject);
    child.on("exit", (ended) => {
      if (ended !== 0) console.error(output);
      resolve(ended);
    });
  });
  if (code !== 0) throw new Error(`Lighthouse exited with ${code} for ${url}.`);
  return JSON.parse(await readFile(output, "utf8"));
}

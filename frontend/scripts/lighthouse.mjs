// What Lighthouse measures on the pages people land on, as the table of BENCHMARKS.md: `npm run bench:web` (or
// `make bench-web`, which builds the release binary first). Each page is measured three times on each profile, the middle
// counts. Lighthouse itself is no package of the site: `npx` fetches the version named here.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { subjects } from "../../tests/browser/scenes.mjs";
import { ownDirectory, startServer } from "../../tests/browser/support.mjs";

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
const data = await ownDirectory();
const server = await startServer({ dataDir: data.path, isDemo: true });
try {
  const { player } = await subjects(server.base);
  console.log(`${cpus().length} processors, ${cpus()[0]?.model}; ${LIGHTHOUSE}, the middle of ${RUNS}\n`);
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
      for (let at = 0; at < RUNS; at += 1) runs.push(await measured(server.base + path, profile));
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

/** A report, at the second try if need be: now and then the browser's trace has no beginning, and Lighthouse says to run it again. */
async function measured(url, profile) {
  return measure(url, profile).catch(() => measure(url, profile));
}

/** One report. Lighthouse brings its own browser's profile and slows the network as its profile says. */
async function measure(url, profile) {
  const output = join(reports, `${Date.now()}.json`);
  const args = ["--yes", LIGHTHOUSE, url, "--quiet", "--output=json", `--output-path=${output}`];
  args.push("--chrome-flags=--headless=new --no-sandbox", `--only-categories=${CATEGORIES.join(",")}`);
  if (profile === "desktop") args.push("--preset=desktop");
  const env = { ...process.env, CHROME_PATH: process.env.CHROMIUM ?? "/usr/bin/chromium" };
  const code = await new Promise((resolve, reject) => {
    const child = spawn("npx", args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (bytes) => {
      said += bytes;
    });
    child.on("error", reject);
    child.on("exit", (ended) => {
      if (ended !== 0) console.error(said);
      resolve(ended);
    });
  });
  if (code !== 0) throw new Error(`Lighthouse ended with ${code} at ${url}.`);
  return JSON.parse(await readFile(output, "utf8"));
}

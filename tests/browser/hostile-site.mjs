// A site with hostile content in every text: pages, names of players and guilds, commits, events. Shared by the tests in
// Chromium and Firefox.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BINARY, countProcess, createKey, createTempDir, kill, postEvents, startServer } from "./support.mjs";

export const HOSTILE = [
  "<script>window.hit = 1</script>",
  '<img src=x onerror="window.hit = 1">',
  "<svg/onload=window.hit=1>",
  "[click](javascript:window.hit=1)",
  "[click](JaVaScRiPt:window.hit=1)",
  "[click](&#106;avascript:window.hit=1)",
  "[click](data:text/html,<script>window.hit=1</script>)",
  "![picture](https://evil.test/a.png)",
  "![picture](//evil.test/a.png)",
  '![a" onerror="window.hit=1](x.png)',
  '<a href="javascript:window.hit=1">click</a>',
  '"><script>window.hit=1</script>',
  "' onmouseover='window.hit=1",
  "<math><mi//xlink:href='javascript:window.hit=1'>click</mi></math>",
  "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
  "<details open ontoggle=window.hit=1>x</details>",
  "<style>@import 'https://evil.test/a.css';*{display:none}</style>",
  "<base href=https://evil.test/>",
  "<meta http-equiv=refresh content='0;url=https://evil.test'>",
  "<form action=//evil.test><button>click</button></form>",
  "| a |\n| - |\n| <img src=x onerror=window.hit=1> |",
  "```\n</code></pre><script>window.hit=1</script>\n```",
  "</title></head><script>window.hit=1</script>",
  "{{constructor.constructor('window.hit=1')()}} ${window.hit=1}",
];

/** Pages whose text the owner of a site can replace, and their files. */
export const TEXT_PAGES = {
  "/about": "about.md",
  "/privacy": "privacy.md",
  "/terms": "terms.md",
  "/discord-bot": "help_en.md",
  "/connect-app": "app_readme.md",
  "/api": "api.md",
  "/guides": "quick-start-guide.md",
};

/** Pages that show names and texts of users. */
export const DATA_PAGES = [
  "/",
  "/activity",
  "/players",
  "/guilds",
  "/updates",
  "/player/Hostile-1",
  "/player/Hostile-1/activity",
  "/guild/HOSTILE1",
  "/guild/HOSTILE1/members",
];

/** Names are limited to one line of 60 characters. */
const name = (text) => text.replaceAll("\n", " ").slice(0, 60);

async function importRows(dataDir, kind, rows) {
  const file = join(dataDir, `${kind}.ndjson`);
  await writeFile(file, rows.map((row) => JSON.stringify(row)).join("\n"));
  countProcess();
  const child = spawn(BINARY, ["import", kind, file, "--data-dir", dataDir], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`apogee import ${kind} exited with ${code}.`);
}

async function fill(dataDir) {
  const folder = join(dataDir, "static", "pages");
  await mkdir(folder, { recursive: true });
  const text = `# Title\n\nOwn words.\n\n## Section\n\n${HOSTILE.join("\n\n")}\n\n- **\`/call\`** - <img src=x onerror=window.hit=1>\n`;
  for (const file of Object.values(TEXT_PAGES)) await writeFile(join(folder, file), text);
  const at = 1_700_000_000_000;
  await importRows(
    dataDir,
    "guilds",
    HOSTILE.map((text, n) => ({ org_short: `HOSTILE${n}`, org_name: name(text), created_at: at })),
  );
  await importRows(
    dataDir,
    "players",
    HOSTILE.map((text, n) => ({
      handle: `Hostile-${n}`,
      player_name: name(text),
      org_short: `HOSTILE${n % 3}`,
      guild_rank: name(text),
      created_at: at,
    })),
  );
  await importRows(
    dataDir,
    "commits",
    HOSTILE.map((text, n) => ({
      id: String(n).padStart(40, "a"),
      repository: name(text),
      branch: name(text),
      message: `${text}\n\n${text}`,
      author_name: name(text),
      author_username: name(text),
      timestamp: at + n,
    })),
  );
}

/** Titles of contracts are the only free texts of events; the server checks class names. */
const completedMission = (text, n) => ({
  identifier: "mission_complete",
  event_time: Date.now() - n,
  game_mode: "PU",
  patch: "ALPHA 4.3.2",
  player_name: `Hostile-${n}`,
  contract_name: name(text),
});

/** Starts the site. `stop` ends it and removes its files. */
export async function startHostileSite() {
  const data = await createTempDir();
  await fill(data.path);
  const server = await startServer({ dataDir: data.path });
  const stop = async () => {
    await server.stop();
    await data.remove();
  };
  try {
    const key = await createKey(data.path);
    // Kills give the players and their guilds scores, so that boards list them.
    const kills = HOSTILE.map((_, n) => kill(`Hostile-${n}`, `Hostile-${(n + 1) % HOSTILE.length}`));
    await postEvents([...kills, ...HOSTILE.map(completedMission)], { base: server.base, key });
  } catch (error) {
    await stop();
    throw error;
  }
  return { base: server.base, stop };
}

// The page that reads the player's logs in the browser: reading without a network, signing in and claiming on the way, the upload, and
// following the game.
// Discord and the game's site are mock servers.
import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { discordSettings, startMockServer } from "./mock-servers.mjs";
import { WIDTHS } from "./routes.mjs";
import { accessibilityViolations, closeBrowser, createTempDir, eventually, openPage, startServer } from "./support.mjs";

const HANDLE = "Ada_Quill";
const sample = (name) => fileURLToPath(new URL(`../data/gamelog/${name}.log`, import.meta.url));
const FIGHTS = sample("pu-4.1.0-fights");
const undo = [];
let base;
let gameSite;
/** A folder like the game's: a log, backups, and files that are no logs. */
let folder;

before(async () => {
  const [data, files] = [await createTempDir(), await createTempDir()];
  undo.push(data.remove, files.remove);
  const discord = await startMockServer("discord");
  undo.push(discord.stop);
  gameSite = await startMockServer("game-site");
  undo.push(gameSite.stop);
  const server = await startServer({
    dataDir: data.path,
    env: { ...discordSettings(discord), APOGEE_GAME_SITE_URL: gameSite.url },
  });
  undo.push(server.stop);
  base = server.base;
  folder = join(files.path, "StarCitizen");
  const backups = join(folder, "LIVE", "logbackups");
  await mkdir(backups, { recursive: true });
  await copyFile(FIGHTS, join(folder, "LIVE", "Game.log"));
  await copyFile(FIGHTS, join(backups, "Game Build(9687209) 11 Apr 25 (17 24 08).log"));
  await copyFile(sample("pu-4.1.0-reconnects"), join(backups, "earlier.log"));
  await writeFile(join(folder, "LIVE", "launcher.log"), "12:00 started\n12:01 ended\n");
  await writeFile(join(folder, "LIVE", "Data.p4k"), "no log");
});

after(async () => {
  for (const step of undo.reverse()) await step();
  await closeBrowser();
});

const openUpload = async (more = {}) => {
  const own = await openPage({ base, isOwn: true, ...more });
  await own.go("/upload");
  await own.page.getByRole("button", { name: "Choose files" }).waitFor();
  return own;
};

const result = (page) => page.getByLabel("Found in your logs");

test("logs are read and shown with the network cut after the page has loaded", async () => {
  const { page, context, problems, close } = await openUpload();
  await context.setOffline(true);
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.getByLabel("Logs", { exact: true }).setInputFiles(FIGHTS);
  await result(page).waitFor();
  await page.getByText("Nothing has left this computer.").waitFor();
  await page.getByRole("checkbox", { name: new RegExp(HANDLE) }).waitFor();
  await page.getByRole("row", { name: /^Kills and deaths/ }).waitFor();
  assert.deepEqual(requests.filter((url) => !/\/api\/live|^blob:/.test(url)), []);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the exact upload" }).click(),
  ]);
  await download.saveAs(join(folder, "upload.txt"));
  const upload = await readFile(join(folder, "upload.txt"), "utf8");
  assert.match(upload, /^Apogee-Log: .*handle=Ada_Quill/);
  assert.ok(upload.includes('"identifier":"kill"'));

  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Choose files" }).waitFor();
  await context.setOffline(false);
  assert.deepEqual(problems.filter((text) => !/ERR_INTERNET_DISCONNECTED/.test(text)), []);
  await close();
});

test("a dropped log is read; a file that is no log of the game says so", async () => {
  const { page, problems, close } = await openUpload();
  const drop = async (name, text) => {
    const transfer = await page.evaluateHandle(
      ([name, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], name));
        return transfer;
      },
      [name, text],
    );
    await page.dispatchEvent("main", "dragover", { dataTransfer: transfer });
    await page.getByRole("heading", { name: "Drop to read" }).waitFor();
    await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
  };
  await drop("notes.log", "12:00 started\n12:01 ended\n");
  await page.getByText(/^No log of Star Citizen found\./).waitFor();
  await drop("picture.png", "no log");
  await page.getByText(/^No log found\./).waitFor();
  await drop("Game.log", await readFile(FIGHTS, "utf8"));
  await result(page).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

test("a log of 200 MB is read to its end", async () => {
  const path = join(folder, "long.log");
  const run = await readFile(FIGHTS);
  const runs = Math.ceil(200_000_000 / run.length);
  await writeFile(path, Array.from({ length: runs }, () => run));
  const { page, problems, close } = await openUpload();
  // As `setInputFiles`, which would send the file through the connection to the browser.
  await page.getByLabel("Logs", { exact: true }).evaluate((input) => {
    window.chosen = input;
  });
  const browser = await page.context().newCDPSession(page);
  const { result: input } = await browser.send("Runtime.evaluate", { expression: "window.chosen" });
  await browser.send("DOM.setFileInputFiles", { objectId: input.objectId, files: [path] });
  await result(page).waitFor();
  // Each run of the game begins with one login.
  await result(page).getByText(new RegExp(`${runs.toLocaleString("en")} sessions?`)).waitFor();
  assert.deepEqual(problems, []);
  await close();
  await rm(path);
});

test("of the folder of the game, the logs are read, each once, and the result fits every screen", async () => {
  const { page, problems, close } = await openUpload();
  await page.getByLabel("Folder with logs").setInputFiles(folder);
  await result(page).waitFor();
  await page.getByText("2 logs not used").waitFor();
  await page.getByText("A copy of another log").waitFor();
  await page.getByText("Not a log of the game, or of an unknown form").waitFor();
  for (const { name, width, height } of WIDTHS) {
    await page.setViewportSize({ width, height });
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.offsetWidth);
    assert.ok(wider <= 0, `${wider} px wider than a ${name} screen`);
    assert.deepEqual(await accessibilityViolations(page), [], name);
  }
  assert.deepEqual(problems, []);
  await close();
});

test("notices in the language of the game are read with the texts beside the log", async () => {
  const spanish = join(folder, "..", "Spanish");
  const texts = join(spanish, "data", "Localization", "spanish_(spain)");
  await mkdir(texts, { recursive: true });
  const notices = (await readFile(sample("lines-missions"), "utf8")).split("\n").filter((line) => line.includes("Combat Gauntlet"));
  const translated = notices.map((line) =>
    line
      .replace("2026-06-01T18", "2026-05-02T22")
      .replace("Contract Accepted: ", "Contrato aceptado: ")
      .replace("Contract Complete: ", "Contrato completado: "),
  );
  await writeFile(join(spanish, "Game.log"), `${await readFile(sample("pu-4.7.0-no-fights"), "utf8")}${translated.join("\n")}\n`);
  const { page, problems, close } = await openUpload();
  const read = async () => {
    await page.getByLabel("Folder with logs").setInputFiles(spanish);
    await result(page).waitFor();
    return page.getByRole("row", { name: /^Contracts completed/ }).count();
  };
  assert.equal(await read(), 0);
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await writeFile(
    join(texts, "global.ini"),
    "mobiGlas_ui_MissionEvent_Activated,P=Contrato aceptado: %s\nmobiGlas_ui_MissionEvent_Complete,P=Contrato completado: %s\n",
  );
  assert.equal(await read(), 1);
  assert.deepEqual(problems, []);
  await close();
});

test("a visitor signs in and claims on the way, comes back to the same result, and uploads it", async () => {
  const own = await openUpload();
  const { page, problems } = own;
  await page.getByLabel("Folder with logs").setInputFiles(folder);
  await result(page).waitFor();
  const found = await result(page).innerText();
  const isSame = async () => {
    await page.waitForURL(`${base}/upload`);
    await result(page).waitFor();
    assert.equal(await result(page).innerText(), found);
  };
  await page.getByRole("link", { name: "Sign in with Discord" }).click();
  await page.getByRole("button", { name: "Link with Discord" }).click();
  await page.getByRole("link", { name: "Authorize" }).click();
  await isSame();

  await gameSite.configure({ handle: HANDLE, bio: "Hello" });
  await page.getByRole("link", { name: `Claim ${HANDLE}` }).click();
  await page.getByRole("button", { name: "Start Claim Process" }).click();
  await gameSite.configure({ bio: await page.locator("code").first().textContent() });
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  await page.getByText(`Profile claimed: ${HANDLE}`).waitFor();
  await page.getByRole("link", { name: "Read my log" }).and(page.locator("main a")).click();
  await isSame();

  // The second batch has no answer before the reload.
  let sent = 0;
  await page.route("**/api/ingest/events", (route) => {
    sent += 1;
    if (sent < 2) return route.continue();
  });
  await page.getByRole("button", { name: /^Upload [\d,]+ events$/ }).click();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.waitForFunction(() => Number(document.querySelector("main progress")?.value) > 0);
  await page.reload();
  await page.getByText(/^Stopped at [\d,]+ of [\d,]+ events\.$/).waitFor();
  // The end of the interception would send a held request.
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("button", { name: "Resume upload" }).click();
  await page.getByText(/^[\d,]+ new events are on your profile\.$/).waitFor();

  await page.getByRole("button", { name: "Read other logs" }).waitFor();
  await page.getByRole("link", { name: "Open my Career" }).click();
  await page.waitForURL(`${base}/player/${HANDLE}/career`);
  await page.getByRole("heading", { name: "Daily activity" }).waitFor();
  const visitor = await openPage({ base, isOwn: true });
  await visitor.go(`/player/${HANDLE}/recent-activity`);
  await visitor.page.locator("main li", { hasText: HANDLE }).first().waitFor();
  assert.deepEqual(problems.filter((text) => !/status of 400|ERR_ABORTED|request to another origin/.test(text)), []);
  await visitor.close();
  await own.close();
});

/** Opens the page as the user who has claimed the player. */
async function openClaimed() {
  const own = await openPage({ base, isOwn: true });
  await own.go("/link");
  await own.page.getByRole("button", { name: "Link with Discord" }).click();
  await own.page.getByRole("link", { name: "Authorize" }).click();
  await own.page.waitForURL(`${base}/`);
  return own;
}

test("the log of a player that is not claimed is refused in words, and visited places appear once they are shared", async () => {
  const own = await openClaimed();
  const { page, problems } = own;
  await own.go("/upload");
  await page.getByLabel("Logs", { exact: true }).setInputFiles([FIGHTS, sample("pu-4.7.0-no-fights")]);
  await result(page).waitFor();
  const stranger = page.getByRole("checkbox", { name: /^NightHeron.*Not your claimed player/ });
  assert.ok(!(await stranger.isChecked()), "only the own player is ticked at first");
  await stranger.check();
  await page.getByRole("row", { name: /^Places visited \d+ stays here$/ }).waitFor();
  await page.getByRole("checkbox", { name: /visited places/ }).check();
  await page.getByRole("row", { name: /^Places visited (\d+) \1$/ }).waitFor();
  await page.getByRole("button", { name: /^Upload [\d,]+ events$/ }).click();
  await page.getByText(/^[\d,]+ new events are on your profile\.$/).waitFor();
  await page.getByText(/^NightHeron: \d+ events refused\./).waitFor();
  assert.equal(await page.getByRole("link", { name: "Claim NightHeron" }).getAttribute("href"), "/player/claim?handle=NightHeron");
  const visitor = await openPage({ base, isOwn: true });
  await visitor.go(`/player/${HANDLE}/career`);
  await visitor.page.getByRole("heading", { name: "Places visited" }).waitFor();
  assert.deepEqual(problems.filter((text) => !/status of 403|request to another origin/.test(text)), []);
  await visitor.close();
  await own.close();
});

/** Writes a file of the followed folder, which is in the browser's own storage: the picker of folders cannot be used by a test. */
const write = (page, path, text) =>
  page.evaluate(
    async ([path, text]) => {
      let folder = await navigator.storage.getDirectory();
      const names = path.split("/");
      const name = names.pop();
      for (const each of names) folder = await folder.getDirectoryHandle(each, { create: true });
      const file = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await file.write(text);
      await file.close();
    },
    [path, text],
  );

test("a growing log is followed through a restart of the game, by one tab at a time", async () => {
  const own = await openClaimed();
  const { page, context, problems } = own;
  await context.addInitScript(() => {
    window.showDirectoryPicker = async () => (await navigator.storage.getDirectory()).getDirectoryHandle("LIVE", { create: true });
  });
  await own.go("/upload");
  const lines = (await readFile(sample("pu-4.1.0-big-fight"), "utf8")).split("\n");
  const half = Math.floor(lines.length / 2);
  const begin = lines.slice(0, half).join("\n");
  await write(page, "LIVE/Game.log", `${begin}\n`);
  await page.getByRole("button", { name: "Follow my game" }).click();
  const follow = page.getByRole("region", { name: "Follow my game" });
  await follow.getByText(/^Following LIVE$/).waitFor();
  await follow.getByText(HANDLE).waitFor();
  const figure = follow.getByLabel("This log").locator("div", { hasText: "Uploaded" }).locator(".visually-hidden").first();
  const uploaded = async () => Number(await figure.textContent());
  await eventually("the first half is uploaded", async () => (await uploaded()) > 0);
  const first = await uploaded();
  await write(page, "LIVE/Game.log", lines.join("\n"));
  await eventually("the rest is uploaded", async () => (await uploaded()) > first);

  // The game has ended and started again.
  await write(page, "LIVE/logbackups/ended.log", lines.join("\n"));
  await write(page, "LIVE/Game.log", await readFile(sample("pu-4.1.0-reconnects"), "utf8"));
  await follow.getByText(/known before$/).waitFor();

  const second = await context.newPage();
  await second.goto(`${base}/upload`);
  await second.getByRole("button", { name: "Follow LIVE" }).click();
  await second.getByText(/^Another tab follows the game\./).waitFor();
  await page.close();
  await second.getByText(/^Following LIVE$/).waitFor();
  assert.deepEqual(problems.filter((text) => !/request to another origin/.test(text)), []);
  await own.close();
});

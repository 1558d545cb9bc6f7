// The page of the log reader: setup, uploads, restart, language. Site and reader run the real binary; Discord and the game's site are
// mock servers.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { discordSettings, startMockServer } from "./mock-servers.mjs";
import { WIDTHS } from "./routes.mjs";
import { BINARY, closeBrowser, countProcess, eventually, HANG_MS, openPage, createTempDir, startServer, accessibilityViolations } from "./support.mjs";

const SESSION = fileURLToPath(new URL("../data/gamelog/pu-4.1.0-fights.log", import.meta.url));
const undo = [];
let base;
let gameSite;
let home;
let log;
let reader;

/** Starts `apogee watch --open`. Returns the address of its page and a function that stops it. */
async function startReader() {
  const env = { HOME: home, LANG: "en_US.UTF-8", PATH: process.env.PATH, APOGEE_LOG: "warn", BROWSER: "true" };
  countProcess();
  const child = spawn(BINARY, ["watch", "--open", join(home, "StarCitizen", "LIVE")], { env, stdio: ["ignore", "ignore", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The reader did not print the address of its page.")), HANG_MS);
    let output = "";
    child.stderr.on("data", (bytes) => {
      output += bytes;
      const address = /(http:\/\/127\.0\.0\.1:\d+)\/#(\w+)/.exec(output);
      if (!address) return;
      clearTimeout(timer);
      resolve({ base: address[1], path: `/#${address[2]}` });
    });
    child.on("exit", (code) => reject(new Error(`The reader exited with ${code}. Output:\n${output}`)));
  });
  const stop = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null) return resolve();
      child.once("exit", resolve);
      child.kill("SIGTERM");
    });
  return { ...url, stop };
}

before(async () => {
  const [data, own] = [await createTempDir(), await createTempDir()];
  undo.push(data.remove, own.remove);
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
  home = own.path;
  const live = join(home, "StarCitizen", "LIVE");
  await mkdir(live, { recursive: true });
  log = join(live, "Game.log");
  await writeFile(log, "");
  reader = await startReader();
  undo.push(() => reader.stop());
});

after(async () => {
  for (const step of undo.reverse()) await step();
  await closeBrowser();
});

const openReader = async (more = {}) => {
  const opened = await openPage({ base: reader.base, isOwn: true, ...more });
  await opened.go(reader.path);
  return opened;
};

test("a reader is set up on its page, and events of the log appear there and wait until their player is claimed", async () => {
  const own = await openReader();
  const { page, problems } = own;
  await page.getByRole("heading", { name: "Set up in a minute" }).waitFor();
  await page.getByText("No site is connected. Nothing leaves this computer.").waitFor();

  await page.getByLabel("Address of the site").fill("not an address");
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByText("Invalid address: expected one such as https://example.org.").waitFor();
  await page.getByLabel("Address of the site").fill(base);
  await page.getByRole("button", { name: "Connect" }).click();
  const confirm = await page.getByRole("link", { name: "Open the page" }).getAttribute("href");
  const code = new URL(confirm).searchParams.get("code");
  await page.getByText(code, { exact: true }).waitFor();

  const visitor = await openPage({ base, isOwn: true });
  await visitor.go("/link");
  await visitor.page.getByRole("button", { name: /Link with Discord/ }).click();
  await visitor.page.getByRole("link", { name: "Authorize" }).click();
  await visitor.page.waitForURL(`${base}/`);
  await visitor.page.goto(confirm);
  await visitor.page.getByText(code, { exact: true }).waitFor();
  await visitor.page.getByRole("button", { name: "Confirm" }).click();
  await visitor.page.getByText("Your reader is connected.").waitFor();

  // Connected, but nothing is uploaded before the user agrees.
  await page.getByText("Nothing is sent until you agree.").waitFor();
  await appendFile(log, await readFile(SESSION));
  await page.locator("ol li", { hasText: "Ada_Quill" }).first().waitFor();
  assert.deepEqual((await (await fetch(`${base}/api/activity`)).json()).data, []);
  await page.getByRole("button", { name: "I agree, send my events" }).click();
  // Nobody has claimed the player of the log, so its events wait in the queue.
  await page.getByText(/^Nobody has claimed Ada_Quill on the site\. Events that wait for the claim: \d/).waitFor();
  const claim = await page.getByRole("link", { name: "Claim Ada_Quill" }).getAttribute("href");
  assert.equal(claim, `${base}/player/claim?handle=Ada_Quill`);
  assert.deepEqual((await (await fetch(`${base}/api/activity`)).json()).data, []);
  assert.equal(await page.getByRole("heading", { name: "Set up in a minute" }).count(), 0);

  await gameSite.configure({ handle: "Ada_Quill", bio: "Hello" });
  await visitor.page.goto(claim);
  await visitor.page.getByPlaceholder("YourHandle").fill("Ada_Quill");
  await visitor.page.getByRole("button", { name: "Start Claim Process" }).click();
  await gameSite.configure({ bio: await visitor.page.locator("code").first().textContent() });
  await visitor.page.getByRole("button", { name: "Verify", exact: true }).click();
  await visitor.page.getByText("Profile claimed: Ada_Quill").waitFor();
  assert.deepEqual(problems.filter((text) => !/status of 400/.test(text)), []);
  await visitor.close();
  await own.close();
});

test("a restarted reader shows its state and uploads the events that waited for the claim", async () => {
  const earlier = `${reader.base}${reader.path}`;
  await reader.stop();
  reader = await startReader();
  assert.notEqual(`${reader.base}${reader.path}`, earlier, "each start has a new address");
  const { page, problems, close } = await openReader();
  await page.getByText("All events are uploaded.").waitFor();
  assert.equal(await page.getByText(/^Nobody has claimed/).count(), 0);

  // Another line while the page is open.
  const count = async () => Number(/([\d,]+) uploaded in total/.exec(await page.locator("aside").innerText())[1].replace(",", ""));
  const before = await count();
  const lines = (await readFile(SESSION, "utf8")).split("\n");
  const line = lines.find((text) => text.includes("<Actor Death>") && text.includes("killed by 'Ada_Quill'"));
  await appendFile(log, `${line.replace(/^<[^>]*>/, "<2025-04-11T18:01:02.003Z>")}\n`);
  await page.locator("ol li time[datetime^='2025-04-11T18:01:02']").waitFor();
  await eventually("the total grows", async () => (await count()) > before);

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

test("the page of the reader fits every screen, is accessible, and does not move while it loads", async () => {
  const { page, problems, layoutShift, settle, close } = await openReader();
  await page.getByRole("heading", { name: "This session" }).waitFor();
  await settle();
  const { shift, moved } = await layoutShift();
  assert.ok(shift <= 0.02, `${shift}: ${moved}`);
  for (const { name, width, height } of WIDTHS) {
    await page.setViewportSize({ width, height });
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.offsetWidth);
    assert.ok(wider <= 0, `${wider} px wider than a ${name} screen`);
    assert.deepEqual(await accessibilityViolations(page), [], name);
  }
  assert.deepEqual(problems, []);
  await close();
});

test("an address with a wrong token shows nothing of the reader", async () => {
  const { page, close } = await openPage({ base: reader.base, expectsFailures: true });
  await page.goto(`${reader.base}/#0123456789`);
  await page.getByText("This address belongs to an earlier start.").waitFor();
  assert.equal(await page.getByText("Ada_Quill").count(), 0);
  await close();
});

test("the page uses the selected language even if the stream reports it before the response arrives", async () => {
  const { page, problems, go, close } = await openReader();
  const german = page.getByRole("heading", { name: "Diese Sitzung" });
  await page.route("**/api/reader/page", async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    const response = await route.fetch();
    await german.waitFor();
    return route.fulfill({ response });
  });
  await page.getByRole("combobox", { name: "Language" }).selectOption("de");
  await german.waitFor();
  await page.locator("html[lang=de]").waitFor({ state: "attached" });
  await page.unrouteAll({ behavior: "wait" });
  await go("/");
  await german.waitFor();
  await page.getByRole("combobox", { name: "Sprache" }).selectOption("en");
  await page.getByRole("heading", { name: "This session" }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

// An admin removes the reports of a key on a real site, reads it in the history, and undoes it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { discordSettings, startMockServer } from "./mock-servers.mjs";
import { WIDTHS } from "./routes.mjs";
import { accessibilityViolations, closeBrowser, createKey, createTempDir, kill, openPage, postEvents, startServer } from "./support.mjs";

/** The Discord id of the mock server's user. */
const ADMIN = "100000000000000501";
const REASON = "Invented <b>kills</b> by one log reader.";
const undo = [];
let base;
let key;
let discord;

before(async () => {
  const data = await createTempDir();
  undo.push(data.remove);
  discord = await startMockServer("discord");
  undo.push(discord.stop);
  const env = { ...discordSettings(discord), APOGEE_ADMIN_DISCORD_IDS: ADMIN };
  const server = await startServer({ dataDir: data.path, env });
  undo.push(server.stop);
  base = server.base;
  key = await createKey(data.path);
  const kills = Array.from({ length: 12 }, (_, n) => kill("Forged-Ace", `Victim-${n}`, { event_time: Date.now() - 3_600_000 - n * 60_000 }));
  await postEvents(kills, { base, key });
});

after(async () => {
  for (const step of undo.reverse()) await step();
  await closeBrowser();
});

async function signIn({ page, go }) {
  await go("/link");
  await page.getByRole("button", { name: /Link with Discord/ }).click();
  await page.waitForURL(`${discord.url}/authorize**`);
  await page.getByRole("link", { name: "Authorize" }).click();
  await page.waitForURL(`${base}/`);
  await page.waitForFunction(() => localStorage.getItem("jwt") !== null);
}

async function screenshot(page, name) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
}

test("an admin removes the reports of a key, which fits any screen, and undoes it with one click", async () => {
  const visitor = await openPage({ base, isOwn: true });
  await visitor.go("/player/Forged-Ace/activity");
  await visitor.page.getByText("Victim-3").first().waitFor();
  const admin = await openPage({ base, isOwn: true });
  await signIn(admin);
  const { page } = admin;
  await admin.go("/admin");
  const form = page.getByRole("form", { name: "New action" });
  await form.getByLabel("Action").selectOption("Remove");
  await form.getByLabel("Target").selectOption("Key");
  await form.getByLabel("Key number").fill("1");
  await form.getByRole("button", { name: "Show reports" }).click();
  await form.getByText("Forged-Ace → Victim-3").waitFor();
  await form.getByLabel("Reason").fill(REASON);
  await fitsEveryScreen(page, "reports");
  await form.getByRole("button", { name: "Remove 12 reports" }).click();
  const history = page.getByRole("region", { name: "History" });
  const undoButton = history.getByRole("button", { name: "Undo entry 1" });
  await undoButton.waitFor();
  await history.getByText(REASON).first().waitFor();
  await fitsEveryScreen(page, "history");
  // The open page withdraws what it shows.
  await visitor.page.getByText("Victim-3").first().waitFor({ state: "detached" });
  await undoButton.click();
  await history.getByText(/^Undone /).waitFor();
  await visitor.go("/player/Forged-Ace/activity");
  await visitor.page.getByText("Victim-3").first().waitFor();
  assert.deepEqual(visitor.problems, []);
  await visitor.close();
  await admin.close();
});

async function fitsEveryScreen(page, name) {
  for (const { width, height } of WIDTHS) {
    await page.setViewportSize({ width, height });
    await screenshot(page, `${name}-${width}`);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.offsetWidth);
    assert.ok(wider <= 0, `${name}: ${wider} px wider than a screen of ${width} px`);
  }
  assert.deepEqual(await accessibilityViolations(page), []);
}

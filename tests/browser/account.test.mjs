// Accounts: sign-in, claims, profile settings, sessions. Discord and the game's site are mock servers that can fail.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { discordSettings, startMockServer } from "./mock-servers.mjs";
import { closeBrowser, createKey, eventually, kill, openPage, createTempDir, postEvents, startServer, accessibilityViolations } from "./support.mjs";

const HANDLE = "Kite-Flier";
const undo = [];
let base;
let key;
let secret;
let discord;
let gameSite;

before(async () => {
  const data = await createTempDir();
  undo.push(data.remove);
  discord = await startMockServer("discord");
  undo.push(discord.stop);
  gameSite = await startMockServer("game-site");
  undo.push(gameSite.stop);
  const server = await startServer({
    dataDir: data.path,
    env: { ...discordSettings(discord), APOGEE_GAME_SITE_URL: gameSite.url, APOGEE_TRUSTED_PROXIES: "127.0.0.1" },
  });
  undo.push(server.stop);
  base = server.base;
  key = await createKey(data.path);
  secret = (await readFile(join(data.path, "secret"), "utf8")).trim();
});

after(async () => {
  for (const step of undo.reverse()) await step();
  await closeBrowser();
});

/** Filters problems that the tests cause deliberately: rejected sign-ins and claims, and the redirect to Discord. */
const unexpected = (problems) =>
  problems.filter((text) => {
    const isRefused = /status of (400|401|404|502)/.test(text) && /\/api\/(auth|player\/claim)\//.test(text);
    return !isRefused && !text.includes(discord.url);
  });

let visitors = 0;

/** Opens a page from an address that no other page uses, because sign-ins are limited by address. */
function openVisitor() {
  visitors += 1;
  return openPage({ base, isOwn: true, extraHTTPHeaders: { "X-Forwarded-For": `192.0.2.${visitors}` } });
}

async function toDiscord(page, go) {
  await go("/link");
  await page.getByRole("button", { name: /Link with Discord/ }).click();
  await page.waitForURL(`${discord.url}/authorize**`);
}

async function signIn({ page, go }) {
  await toDiscord(page, go);
  await page.getByRole("link", { name: "Authorize" }).click();
  await isSignedIn(page);
}

/** Waits until the page leaves the callback for the home page. The message before that is visible for 1.5 seconds only. */
async function isSignedIn(page) {
  const rejected = page.getByRole("alert");
  await Promise.race([
    page.waitForURL(`${base}/`),
    rejected.waitFor().then(async () => assert.fail(`the sign-in failed: ${await rejected.first().textContent()}`)),
  ]);
  await page.getByRole("button", { name: /Your menu/ }).waitFor();
}

test("every failed sign-in shows a message and leaves the user signed out", async () => {
  const { page, problems, go, settle, close } = await openVisitor();
  await toDiscord(page, go);
  const query = new URL(page.url()).searchParams;
  assert.equal(query.get("scope"), "identify email");
  assert.equal(query.get("code_challenge_method"), "S256");
  assert.equal(query.get("redirect_uri"), `${base}/link`);
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByText("You cancelled the sign-in at Discord. Nothing was linked.").waitFor();

  // A callback that was not started here is rejected before any request.
  const calls = [];
  page.on("request", (request) => request.url().includes("/api/auth/") && calls.push(request.url()));
  for (const query of ["code=stolen", "code=stolen&state=guessed"]) {
    await page.goto(`${base}/link?${query}`);
    await page.getByText("This sign-in was not started in this browser or was already used.").waitFor();
    assert.ok(!page.url().includes("code="), "the code is gone from the address");
  }
  assert.deepEqual(calls, []);

  for (const [fail, sentence] of [
    ["error", "Discord could not be reached or failed."],
    ["hang-up", "Discord could not be reached or failed."],
    ["nonsense", "Discord could not be reached or failed."],
  ]) {
    await discord.configure({ fail });
    await toDiscord(page, go);
    await page.getByRole("link", { name: "Authorize" }).click();
    await page.getByText(sentence).waitFor();
    await discord.configure({ fail: null });
  }
  // A code can be used once.
  await toDiscord(page, go);
  const back = await page.getByRole("link", { name: "Authorize" }).getAttribute("href");
  await page.getByRole("link", { name: "Authorize" }).click();
  await page.waitForURL(`${base}/`);
  await page.evaluate(() => localStorage.clear());
  await page.goto(back);
  await page.getByText("This sign-in was not started in this browser or was already used.").waitFor();
  await settle();
  assert.equal(await page.evaluate(() => localStorage.getItem("jwt")), null);
  assert.deepEqual(unexpected(problems), []);
  await close();
});

test("a profile is claimed by a code in the bio, edited, hidden and shown again", async () => {
  const own = await openVisitor();
  const { page, problems, go, settle } = own;
  await gameSite.configure({ handle: HANDLE, bio: "Hello" });
  await go("/player/claim");
  await page.getByText("You need to be logged in with Discord to claim a player profile.").waitFor();
  await signIn(own);

  await go("/player/claim");
  const start = page.getByRole("button", { name: "Start Claim Process" });
  assert.ok(await start.isDisabled(), "nothing to start yet");
  await page.getByPlaceholder("YourHandle").fill("nobody-there");
  await start.click();
  await page.getByText("This name was not found on the game's site.").waitFor();
  await page.getByPlaceholder("YourHandle").fill(HANDLE.toLowerCase());
  await start.click();
  const code = await page.locator("code").first().textContent();
  assert.match(code, /^APOGEE-[A-Z2-9]{12,}$/);
  assert.deepEqual(await accessibilityViolations(page), []);

  // The step survives a reload. A missing code and a failing site show different messages.
  await page.reload();
  await settle();
  assert.equal(await page.locator("code").first().textContent(), code);
  const verify = page.getByRole("button", { name: "Verify", exact: true });
  await verify.click();
  await page.getByText(`The code ${code} was not found in the bio of ${HANDLE}`).waitFor();
  await gameSite.configure({ fail: "error" });
  await verify.click();
  await page.getByText("The game's site could not be reached.").waitFor();
  await gameSite.configure({ fail: "nonsense" });
  await verify.click();
  await page.getByText("The game's site sent a page that cannot be parsed.").waitFor();
  await gameSite.configure({ fail: null, bio: `I fly. ${code}` });
  await verify.click();
  await page.getByText(`Profile claimed: ${HANDLE}`).waitFor();
  await page.getByRole("button", { name: "Go to My Profile" }).click();
  await page.waitForURL(`**/player/${HANDLE}`);
  await settle();
  await page.getByRole("heading", { level: 1, name: HANDLE }).waitFor();

  // The first kill unlocks a sticker.
  await postEvents([kill(HANDLE, "Gull-Flier")], { base, key });
  await go(`/player/${HANDLE}`);
  await page.getByRole("button", { name: /Sticker slot 1/ }).click();
  const stickers = page.getByRole("dialog", { name: "Stickers" });
  await stickers.getByRole("heading", { name: "Locked" }).waitFor();
  const banana = stickers.getByRole("button", { name: /Banana for scale/ });
  if ((await stickers.getByRole("button", { name: /Slot 1: Banana/ }).count()) === 0) await banana.click();
  await stickers.getByRole("button", { name: "Save Changes" }).click();
  await stickers.waitFor({ state: "detached" });
  await page.getByRole("button", { name: /Sticker slot 1: Banana for scale/ }).waitFor();

  // A hidden profile is still visible to its owner.
  const other = await openVisitor();
  await other.go(`/player/${HANDLE}`);
  await other.page.getByRole("heading", { level: 1, name: HANDLE }).waitFor();
  const hide = async (wanted) => {
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit profile" });
    await dialog.getByRole("checkbox", { name: /Hide profile/ }).setChecked(wanted);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Profile settings saved successfully!").waitFor();
    await dialog.waitFor({ state: "detached" });
  };
  await hide(true);
  await page.getByText("OWNER VIEW").waitFor();
  await other.go(`/player/${HANDLE}`);
  await other.page.getByRole("heading", { name: "Profile hidden" }).waitFor();
  await other.go("/players");
  assert.equal(await other.page.locator("main").getByText(HANDLE).count(), 0);
  await hide(false);
  await other.go(`/player/${HANDLE}`);
  await other.page.getByRole("heading", { level: 1, name: HANDLE }).waitFor();

  // Saving without changes shows a message. The game's site can be read again every five minutes.
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("No changes detected").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Update Now" }).click();
  await page.getByRole("button", { name: /Update in \d:\d\d/ }).waitFor();

  // After signing out, the token is invalid.
  const token = await page.evaluate(() => localStorage.getItem("jwt"));
  const me = () => fetch(`${base}/api/player/me`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await me()).status, 200);
  await page.getByRole("button", { name: /Your menu/ }).click();
  await page.getByRole("button", { name: "Sign Out" }).click();
  await page.getByRole("button", { name: /Your menu/ }).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => localStorage.getItem("jwt")), null);
  await eventually("the session ends on the server, too", async () => (await me()).status === 401);
  assert.deepEqual(unexpected(problems), []);
  // Other users get 403 for the parts of a hidden profile.
  const refused = /status of 403.*\/api\/player\/Kite-Flier\//;
  assert.deepEqual(other.problems.filter((text) => !refused.test(text)), []);
  await other.close();
  await own.close();
});

const KITE = { id: "100000000000000501", username: "kite", global_name: "Kite" };
const GULL = { id: "100000000000000502", username: "gull", global_name: "Gull" };

/** The same token after its expiry, signed with the server's secret. */
function expired(token) {
  const [head, payload] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url"));
  const exp = Math.floor(Date.now() / 1000) - 60;
  const body = Buffer.from(JSON.stringify({ ...claims, iat: exp - 3600, exp })).toString("base64url");
  return `${head}.${body}.${createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url")}`;
}

for (const hasLocks of [true, false]) {
  test(`two tabs that refresh one expired token stay signed in, ${hasLocks ? "one after the other" : "at the same moment"}`, async () => {
    await discord.configure({ user: KITE });
    const first = await openVisitor();
    if (!hasLocks) await first.context.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }));
    await signIn(first);
    const token = await first.page.evaluate(() => localStorage.getItem("jwt"));
    await first.page.evaluate((old) => localStorage.setItem("jwt", old), expired(token));
    const second = await first.context.newPage();
    // Requests are held until both tabs know that the token has expired.
    let waiting = [];
    const refreshes = [];
    await first.context.route("**/api/auth/refresh", async (route) => {
      refreshes.push(route.request().headers().authorization);
      if (!hasLocks && refreshes.length <= 2) {
        await new Promise((go) => {
          waiting.push(go);
          if (waiting.length === 2) for (const each of waiting) each();
        });
      }
      await route.continue();
    });
    const tabs = [first.page, second];
    await Promise.all(tabs.map((page) => page.goto(`${base}/profile/data`, { waitUntil: "domcontentloaded" })));
    for (const page of tabs) {
      await page.getByRole("list", { name: "Your sessions" }).waitFor();
      await page.getByRole("button", { name: /Your menu/ }).waitFor();
    }
    // Under the lock, the second tab may still read the old token, since storage reaches other tabs with a delay.
    assert.ok(hasLocks ? refreshes.length >= 1 : refreshes.length === 2, `${refreshes.length} refreshes`);
    assert.equal(new Set(refreshes).size, 1);
    assert.equal(await second.evaluate(() => localStorage.getItem("jwt")), await first.page.evaluate(() => localStorage.getItem("jwt")));
    waiting = [];
    await first.close();
  });
}

test("signing out or switching accounts in one tab clears the data of the first account in another", async () => {
  await discord.configure({ user: KITE });
  const first = await openVisitor();
  const { page } = first;
  await signIn(first);
  await first.go("/connect-app");
  await page.getByLabel("Name of the new key").fill("Key of Kite");
  await page.getByRole("button", { name: /key$/, exact: false }).and(page.locator("[type=submit]")).click();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("Key of Kite").waitFor();

  const other = await first.context.newPage();
  await other.goto(`${base}/about`);
  await other.getByRole("button", { name: /Your menu/ }).click();
  await other.getByRole("button", { name: "Sign Out" }).click();
  await page.getByText("Key of Kite").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /Your menu/ }).waitFor({ state: "detached" });

  await discord.configure({ user: GULL });
  await other.goto(`${base}/link`);
  await other.getByRole("button", { name: /Link with Discord/ }).click();
  await other.getByRole("link", { name: "Authorize" }).click();
  await isSignedIn(other);
  await page.getByRole("button", { name: "Your menu, Gull" }).waitFor();
  await page.getByText("You have no keys yet.").waitFor();
  assert.equal(await page.getByText("Key of Kite").count(), 0);
  await discord.configure({ user: KITE });
  await first.close();
});

test("the Discord avatar is served by this site, and sessions can be listed and ended", async () => {
  await discord.configure({ user: { ...KITE, avatar: "0123456789abcdef0123456789abcdef" } });
  const first = await openVisitor();
  const { page } = first;
  await signIn(first);
  await first.go("/profile/data");
  const avatars = page.locator('img[src^="/avatars/users/"]');
  assert.equal(await avatars.count(), 2, "in the header and on the page");
  await eventually("the avatars are loaded", () => avatars.evaluateAll((all) => all.every((image) => image.naturalWidth > 0)));
  assert.deepEqual(unexpected(first.problems), []);

  // The account has no avatar now, so a second browser shows the fallback.
  await discord.configure({ user: KITE });
  const second = await openVisitor();
  await signIn(second);
  await second.go("/profile/data");
  assert.equal(await second.page.locator('img[src^="/avatars/users/"]').count(), 0);
  await page.reload();
  const list = page.getByRole("list", { name: "Your sessions" });
  await list.waitFor();
  assert.equal(await list.getByText("This browser").count(), 1);
  assert.match(await list.locator("li").first().textContent(), /Chrome on Linux/);
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await page.waitForURL(`${base}/`);
  await page.getByRole("button", { name: /Your menu/ }).waitFor({ state: "detached" });
  // The other browser is signed out with its next request.
  await second.page.reload();
  await second.page.waitForURL(`${base}/`);
  await second.page.getByRole("button", { name: /Your menu/ }).waitFor({ state: "detached" });
  for (const each of [page, second.page]) assert.equal(await each.evaluate(() => localStorage.getItem("jwt")), null);
  await first.close();
  await second.close();
});

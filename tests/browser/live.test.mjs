// Live updates: open pages show uploaded events without a reload.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, createKey, eventually, kill, openPage, createTempDir, postEvents, site, startServer } from "./support.mjs";

after(closeBrowser);

/** Value of a labelled figure. For animated figures, the text for screen readers. */
const figure = async (page, label) => {
  const place = page.locator("dt", { hasText: label }).first().locator("xpath=following-sibling::dd[1]");
  const exact = place.locator(".visually-hidden");
  const text = await ((await exact.count()) > 0 ? exact.first() : place).innerText();
  assert.match(text, /^[\d,.]+$/);
  return Number(text.replace(/\D/g, ""));
};

/** Marks the document, so that a reload is detected. */
const mark = (page) => page.evaluate(() => Object.assign(window, { isSameDocument: true }));
const isSame = (page) => page.evaluate(() => window.isSameDocument === true);

test("an event appears on the open activity page with readable names", async () => {
  const { page, problems, go, close } = await openPage();
  await go("/activity");
  await page.getByText("Live", { exact: true }).waitFor();
  await mark(page);
  await postEvents([
    kill("Live_Ace", "Live_Target"),
    {
      identifier: "mission_accepted",
      event_time: Date.now(),
      game_mode: "PU",
      player_name: "Live_Ace",
      contract_name: "BountyHuntersGuild_Bounty_Pyro_VeryEasy",
    },
  ]);
  await page.getByRole("listitem").filter({ hasText: "Live_Ace killed Live_Target with P4-AR Rifle" }).waitFor();
  const mission = page.getByRole("listitem").filter({ hasText: /Live_Ace accepted (?!.*_)/ });
  await mission.waitFor();
  assert.ok(await isSame(page));
  assert.deepEqual(problems, []);
  await close();
});

test("an event appears on the open page of a player and changes its figures", async () => {
  const [{ handle }] = (await (await fetch(`${site().base}/api/players/top?limit=1`)).json()).players;
  const { page, problems, go, close } = await openPage();
  await go(`/player/${handle}`);
  await mark(page);
  const before = await figure(page, "PVP");
  await postEvents([kill(handle, "Live_Prey")]);
  await page.getByRole("listitem").filter({ hasText: `${handle} killed Live_Prey` }).waitFor();
  await eventually(`PVP is more than ${before}`, async () => (await figure(page, "PVP")) > before);
  assert.ok(await isSame(page));
  assert.deepEqual(problems, []);
  await close();
});

test("an event appears on the open page of a guild and changes its totals", async () => {
  const base = site().base;
  const [guild] = (await (await fetch(`${base}/api/guilds/leaderboard?limit=1`)).json()).data;
  const [member] = (await (await fetch(`${base}/api/guild/${guild.org_short}/members?limit=1`)).json()).members;
  const { page, problems, go, close } = await openPage();
  await go(`/guild/${guild.org_short}`);
  await mark(page);
  const before = await figure(page, "PVP");
  await postEvents([kill(member.handle, "Live_Quarry")]);
  await page.getByRole("listitem").filter({ hasText: `${member.handle} killed Live_Quarry` }).waitFor();
  await eventually(`PVP is more than ${before}`, async () => (await figure(page, "PVP")) > before);
  assert.ok(await isSame(page));
  assert.deepEqual(problems, []);
  await close();
});

test("the open home page updates the player count and the leader's score", async () => {
  const base = site().base;
  const [{ handle }] = (await (await fetch(`${base}/api/players/top?limit=1`)).json()).players;
  const { page, problems, go, close } = await openPage();
  await go("/");
  await mark(page);
  const rows = page.locator("section", { has: page.getByRole("heading", { name: "Top Players" }) }).getByRole("listitem");
  const score = async () => Number(/(\d+)\D*$/.exec((await rows.first().innerText()).replaceAll(",", ""))?.[1]);
  const [players, overall] = [await figure(page, "Players found"), await score()];
  const fresh = `Live_New_${Date.now()}`;
  await postEvents([kill(handle, fresh), kill(handle, `${fresh}b`)]);
  // Other tests add events meanwhile, so figures may pass the expected value.
  await eventually(`at least ${players + 2} players`, async () => (await figure(page, "Players found")) >= players + 2);
  await eventually(`a score of at least ${overall + 2}`, async () => (await score()) >= overall + 2);
  assert.ok(await isSame(page));
  assert.deepEqual(problems, []);
  await close();
});

test("the open player leaderboard updates the leader's score", async () => {
  const [{ handle }] = (await (await fetch(`${site().base}/api/players/leaderboard?sortBy=pu_player_kills&limit=1`)).json()).players;
  const { page, problems, go, close } = await openPage();
  await go("/players?sort=pu_player_kills");
  await mark(page);
  // The row shows the name, which can differ from the handle.
  const link = page.locator(`a[href="/player/${handle}"]`);
  const row = page.getByRole("region", { name: "Leaderboard" }).getByRole("listitem").filter({ has: link });
  const score = async () => {
    const text = (await row.innerText()).replaceAll(",", "");
    assert.match(text, /\d\s*$/);
    return Number(/(\d+)\s*$/.exec(text)[1]);
  };
  const before = await score();
  await postEvents([kill(handle, "Live_Mark"), kill(handle, "Live_Mark_2")]);
  await eventually(`a score of at least ${before + 2}`, async () => (await score()) >= before + 2);
  assert.ok(await isSame(page));
  assert.deepEqual(problems, []);
  await close();
});

test("an open page shows missed events after the server restarts", async () => {
  const data = await createTempDir();
  let server = await startServer({ dataDir: data.path });
  try {
    const { base } = server;
    const key = await createKey(data.path);
    const { page, go, close } = await openPage({ base, isOwn: true });
    await go("/activity");
    await postEvents([kill("Before_One", "Before_Two")], { base, key });
    await page.getByRole("listitem").filter({ hasText: "Before_One killed Before_Two" }).waitFor();
    await mark(page);
    await server.stop();
    await page.getByText(/reconnect/i).first().waitFor();
    server = await startServer({ dataDir: data.path, listen: base.replace("http://", "") });
    await postEvents([kill("After_One", "After_Two")], { base, key });
    await page.getByRole("listitem").filter({ hasText: "After_One killed After_Two" }).waitFor();
    await page.getByText(/reconnect/i).first().waitFor({ state: "hidden" });
    assert.ok(await isSame(page));
    await close();
  } finally {
    await server.stop();
    await data.remove();
  }
});

test("eight tabs share one connection, also after the tab that owned it is closed", async () => {
  const data = await createTempDir();
  const { base, stop } = await startServer({ dataDir: data.path });
  try {
    const key = await createKey(data.path);
    const streams = async () => {
      const series = await (await fetch(`${base}/metrics`)).text();
      return Number(/^apogee_live_readers (\d+)$/m.exec(series)?.[1]);
    };
    const { page, context, go, close } = await openPage({ base, isOwn: true });
    await go("/activity");
    const tabs = [page];
    while (tabs.length < 8) {
      const tab = await context.newPage();
      await tab.goto(`${base}/activity`);
      tabs.push(tab);
    }
    for (const tab of tabs) await tab.getByText("Live", { exact: true }).waitFor();
    const arrives = async (killer) => {
      await postEvents([kill(killer, "Tab_Target")], { base, key });
      for (const tab of tabs) await tab.getByRole("listitem").filter({ hasText: `${killer} killed Tab_Target` }).waitFor();
    };
    await arrives("First_Ace");
    await eventually("one stream", async () => (await streams()) === 1);
    await tabs.shift().close();
    await eventually("one stream", async () => (await streams()) === 1);
    await arrives("Second_Ace");
    await close();
  } finally {
    await stop();
    await data.remove();
  }
});

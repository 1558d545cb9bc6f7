// Images: selecting, cropping, uploading, replacing and removing them, and the share card.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { discordSettings, startMockServer } from "./mock-servers.mjs";
import { closeBrowser, openPage, createTempDir, startServer } from "./support.mjs";

const HANDLE = "Lens-Flier";
const undo = [];
let base;
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
    env: { ...discordSettings(discord), APOGEE_GAME_SITE_URL: gameSite.url },
  });
  undo.push(server.stop);
  base = server.base;
});

after(async () => {
  for (const step of undo.reverse()) await step();
  await closeBrowser();
});

/** A PNG file whose left half is red and whose right half is green. */
async function twoColorImage(page, width, height) {
  const url = await page.evaluate(
    ([width, height]) => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const brush = canvas.getContext("2d");
      brush.fillStyle = "rgb(220, 20, 20)";
      brush.fillRect(0, 0, width / 2, height);
      brush.fillStyle = "rgb(20, 220, 20)";
      brush.fillRect(width / 2, 0, width / 2, height);
      return canvas.toDataURL("image/png");
    },
    [width, height],
  );
  return { name: "halves.png", mimeType: "image/png", buffer: Buffer.from(url.split(",")[1], "base64") };
}

/** Size of a served image, and its colours at a quarter of the width from the left and from the right. */
const readImage = (page, path) =>
  page.evaluate(async (path) => {
    const image = await createImageBitmap(await (await fetch(path)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const brush = canvas.getContext("2d", { willReadFrequently: true });
    brush.drawImage(image, 0, 0);
    const at = (share) => [...brush.getImageData(image.width * share, image.height / 2, 1, 1).data.slice(0, 3)];
    return { width: image.width, height: image.height, left: at(0.25), right: at(0.75) };
  }, path);

const player = async () => (await (await fetch(`${base}/api/player/${HANDLE}`)).json()).player;

test("an image is cropped, uploaded, shown, replaced and removed", async () => {
  const { page, problems, go, settle, close } = await openPage({ base, isOwn: true });
  await gameSite.configure({ handle: HANDLE, bio: "Hello" });
  await go("/link");
  await page.getByRole("button", { name: /Link with Discord/ }).click();
  await page.getByRole("link", { name: "Authorize" }).click();
  await page.waitForURL(`${base}/`);
  await go("/player/claim");
  await page.getByPlaceholder("YourHandle").fill(HANDLE);
  await page.getByRole("button", { name: "Start Claim Process" }).click();
  await gameSite.configure({ bio: await page.locator("code").first().textContent() });
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  await page.getByRole("button", { name: "Go to My Profile" }).click();
  await page.waitForURL(`**/player/${HANDLE}`);
  await settle();

  const dialog = page.getByRole("dialog", { name: "Edit profile" });
  const edit = () => page.getByRole("button", { name: "Edit", exact: true }).click();
  const file = (label) => dialog.locator(`input[type="file"][aria-label="${label}"]`);
  const save = async () => {
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Profile settings saved successfully!").waitFor();
    await dialog.waitFor({ state: "detached" });
  };
  await edit();
  await file("Profile picture").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
  await dialog.getByRole("alert").first().waitFor();
  // A wide image has to be cropped. Moved to the left, only its green half is inside the frame.
  await file("Profile picture").setInputFiles(await twoColorImage(page, 1600, 800));
  await dialog.getByText("Image needs adjustment: Image too large").waitFor();
  const frame = dialog.getByRole("group", { name: /Picture in its frame/ });
  await dialog.getByRole("button", { name: "Use Defaults" }).click();
  await frame.focus();
  for (let step = 0; step < 40; step += 1) await page.keyboard.press("Shift+ArrowLeft");
  await dialog.getByRole("button", { name: "Upload" }).click();
  await frame.waitFor({ state: "detached" });
  await save();
  const first = (await player()).profileImage;
  assert.match(first, /^\/uploads\/[0-9a-f]{32}\.jpg$/);
  const picture = await readImage(page, first);
  assert.deepEqual([picture.width, picture.height], [400, 400]);
  assert.ok(picture.right[1] > 180 && picture.right[0] < 60, `the green half: ${picture.right}`);
  await page.locator(`img[src$="${first}"]`).first().waitFor();
  const card = await fetch(`${base}/og/player/${HANDLE}.png`);
  assert.equal(card.status, 200);
  await card.arrayBuffer();

  // An image that fits is uploaded unchanged, and the replaced file is deleted.
  await edit();
  await file("Banner").setInputFiles(await twoColorImage(page, 1200, 300));
  await file("Profile picture").setInputFiles(await twoColorImage(page, 400, 400));
  await page.waitForFunction(() => document.querySelectorAll("dialog progress, [role=dialog] progress").length === 0);
  await save();
  const second = await player();
  assert.notEqual(second.profileImage, first);
  const halves = await readImage(page, second.profileImage);
  assert.ok(halves.left[0] > 180 && halves.right[1] > 180, JSON.stringify(halves));
  const banner = await readImage(page, second.bannerImage);
  assert.deepEqual([banner.width, banner.height], [1200, 300]);
  assert.equal((await fetch(base + first)).status, 404);

  await edit();
  await dialog.getByRole("button", { name: "Remove" }).first().click();
  const confirmation = page.getByRole("dialog", { name: "Remove image" });
  await confirmation.getByText("Are you sure you want to remove this profile image?").waitFor();
  await confirmation.getByRole("button", { name: "Remove" }).click();
  await save();
  assert.equal((await player()).profileImage, null);
  assert.equal((await fetch(base + second.profileImage)).status, 404);
  assert.deepEqual(problems.filter((text) => !text.includes(discord.url)), []);
  await close();
});

// UI states of signed-in users: dialogs, images and account data; see `ui-states.mjs`.
import { deflateSync } from "node:zlib";

/** A user as stored by the page. */
export const member = (more = {}) => ({
  discord_id: "7",
  discord_username: "ada",
  discord_global_name: "Ada",
  discord_avatar: null,
  handle: null,
  org_short: null,
  link_provider: "discord",
  is_active: true,
  linked_at: 1_760_000_000,
  guild_ownership: null,
  ...more,
});

const SESSIONS = /^GET \/api\/me\/sessions/;
const session = (more) => ({ id: "a", device: "Firefox on Windows", created_at: 1_760_000_000, last_seen_at: 1_760_000_000, is_current: false, ...more });
const SETTINGS = /^GET \/api\/player\/settings\/handle\//;
const SAVE = /^POST \/api\/player\/settings$/;
const SAVE_STICKERS = /^POST \/api\/player\/settings\/stickers/;
const SAVE_GUILD = /^POST \/api\/guild\/settings/;
const UPLOAD = /^POST \/api\/upload\//;
const DELETE = /^DELETE \/api\/upload\/image/;
const BROKEN = { status: 500, error: "The disk is full.", code: "INTERNAL" };
/** An error response of a proxy, without JSON. */
const PROXY = { status: 502, text: "<html>" };
const PICTURE = "/static/images/default-guild.webp";

const sticker = (id, name, more) => ({ id, name, description: `${name}.`, rarity: "common", requirement: "Play.", category: "gameplay", image: `/static/stickers/${id}.png`, unlocked: true, ...more });
const UNLOCKED = [
  sticker(683583, "Banana for scale"),
  sticker(775678, "Monkey business", { rarity: "rare" }),
  sticker(196404, "Pioneer", { rarity: "epic", unlocked: false }),
  sticker(310846, "Anvil Aerospace", { category: "in-game" }),
  sticker(864219, "Aegis Dynamics", { category: "in-game", unlocked: false }),
];
const stored = (more = {}) => ({
  settings: { profile_image: null, banner_image: null, is_profile_hidden: false, profile_settings: { stickers: [683583] }, ...more },
  unlockedStickers: UNLOCKED,
});

/** A PNG file of a single color. */
function png(width, height) {
  const crcs = Array.from({ length: 256 }, (_, at) => {
    let value = at;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value >>> 0;
  });
  const crc = (bytes) => {
    let value = 0xffffffff;
    for (const byte of bytes) value = crcs[(value ^ byte) & 255] ^ (value >>> 8);
    return (value ^ 0xffffffff) >>> 0;
  };
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height, 90);
  for (let at = 0; at < height; at += 1) rows[at * (width + 1)] = 0;
  const sign = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([sign, chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}
const file = (name, mimeType, buffer) => ({ name, mimeType, buffer });
const FITTING = file("face.png", "image/png", png(400, 400));
const WIDE = file("wide.png", "image/png", png(900, 300));
const choose = (what, label) => async (page) => page.locator(`input[type=file][aria-label="${label}"]`).setInputFiles(what);
const drop = (what) => (page) =>
  page
    .locator("input[type=file]")
    .first()
    .evaluate((input, [name, type]) => {
      const data = new DataTransfer();
      if (name) data.items.add(new File(["x"], name, { type }));
      input.parentElement.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, what);
const press = (name) => (page) => page.getByRole("button", { name, exact: true }).last().click();
const then = (...acts) => async (page) => {
  for (const act of acts) await act(page);
};

export function accountStates({ player, guild }) {
  const owner = member({ handle: player, guild_ownership: guild, org_short: guild });
  const home = `/player/${player}`;
  const edit = (name, mocks, act, ...expectedTexts) => ({ name, path: `${home}?edit=profile`, user: owner, mocks: [...mocks, [SETTINGS, stored()]], act, expectedTexts });
  const stickers = (name, mocks, act, ...expectedTexts) => ({ name, path: `${home}?edit=stickers`, user: owner, mocks: [...mocks, [SETTINGS, stored()]], act, expectedTexts });
  const guildEdit = (name, mocks, act, ...expectedTexts) => ({ name, path: `/guild/${guild}?edit=guild`, user: owner, mocks, act, expectedTexts });
  const editor = (name, mocks, act, ...expectedTexts) => ({ name, path: "/image-editor-test", user: owner, mocks, act, expectedTexts });
  const refused = (path, user, text) => ({ name: `forbidden: ${text}`, path, user, mocks: [], expectedTexts: [text] });
  const sessions = [SESSIONS, { sessions: [session({ is_current: true }), session({ id: "b", device: null })] }];
  const data = (name, mocks, act, ...expectedTexts) => ({ name, path: "/profile/data", user: owner, mocks: [...mocks, sessions], act, expectedTexts });
  const hide = (page) => page.getByRole("checkbox", { name: "Hide profile" }).check();
  const profile = new RegExp(`^GET ${home.replace("/player", "/api/player")}$`);
  const picture = [SETTINGS, stored({ profile_image: PICTURE })];
  const remove = then(press("Remove"), (page) => page.getByRole("dialog").last().getByRole("button", { name: "Remove", exact: true }).click());
  return [
    { name: "user menu", path: "/about", user: owner, mocks: [], act: openMenu, expectedTexts: ["Ada", "Discord", "My Profile", "My Guild", "Sign Out"] },
    { name: "user menu before a claim", path: "/about", user: member(), mocks: [], act: openMenu, expectedTexts: ["Claim Your Game Profile", "My Guild"] },
    { name: "own player", path: home, user: owner, mocks: [], expectedTexts: ["Update Now", "Share", "Edit"] },
    {
      name: "own player, update pending",
      path: home,
      user: owner,
      mocks: [[/^POST \/api\/player\/update-profile/, "never"]],
      act: press("Update Now"),
      expectedTexts: ["Updating..."],
    },
    {
      name: "own player, updated",
      path: home,
      user: owner,
      mocks: [[/^POST \/api\/player\/update-profile/, {}], [/^GET \/api\/link\/user/, { user: owner }]],
      act: press("Update Now"),
      expectedTexts: [/Update in [45]:\d\d/],
    },
    {
      name: "own player, without activity",
      path: home,
      user: owner,
      mocks: [[/^GET \/api\/player\/[^/]+\/activity/, { data: [], pagination: { limit: 50, offset: 0, total: 0 } }]],
      expectedTexts: ["Why I don't see my stats?", "Guide", "No Recent Activity"],
    },
    {
      name: "own player, hidden",
      path: home,
      user: owner,
      mocks: [[profile, (body) => ({ ...body, player: { ...body.player, is_hidden: true, is_profile_hidden: true, viewing_as_owner: true } })]],
      expectedTexts: ["OWNER VIEW", "This profile is hidden from public view"],
    },
    {
      name: "hidden player seen by an admin",
      path: home,
      user: member({ is_admin: true }),
      mocks: [[profile, (body) => ({ ...body, player: { ...body.player, is_hidden: true, is_profile_hidden: true, viewing_as_admin: true } })]],
      expectedTexts: ["ADMIN VIEW", "This profile is hidden from public view"],
    },
    {
      name: "own player, hidden, without access",
      path: home,
      user: owner,
      mocks: [[profile, { player: { handle: player, is_hidden: true } }]],
      expectedTexts: ["Profile hidden", "Edit Profile Settings"],
    },
    refused(`${home}?edit=profile`, null, "You must be logged in with Discord to edit profiles. Please log in first."),
    refused(`${home}?edit=profile`, member(), "You must have a claimed Star Citizen profile to edit settings. Please claim your profile first."),
    refused(`${home}?edit=stickers`, member({ handle: "Other" }), "You can only edit your own claimed profile."),
    refused(`/guild/${guild}?edit=guild`, null, "You must be logged in with Discord to edit guild profiles. Please log in first."),
    refused(`/guild/${guild}?edit=guild`, member({ discord_id: "" }), "User data not available."),
    refused(`/guild/${guild}?edit=guild`, member(), "You must be a guild owner to edit guild profiles."),
    refused(`/guild/${guild}?edit=guild`, member({ guild_ownership: "OTHER" }), "You can only edit your own guild profile."),
    edit("edit profile", [], undefined, "Profile picture", "Banner", "Hide profile", "Cancel", "Save"),
    edit("edit profile, no changes", [], press("Save"), "No changes detected"),
    edit("edit profile, saved", [[SAVE, {}]], then(hide, press("Save")), "Profile settings saved successfully!"),
    edit("edit profile, save pending", [[SAVE, "never"]], then(hide, press("Save")), "Saving..."),
    edit("edit profile, server error", [[SAVE, BROKEN]], then(hide, press("Save")), "Failed to save: The disk is full."),
    edit("edit profile, error without a message", [[SAVE, { text: '{"success":false}' }]], then(hide, press("Save")), "Failed to save changes. Please try again."),
    edit("edit profile, server unreachable", [[SAVE, "none"]], then(hide, press("Save")), "An error occurred while saving changes"),
    edit("edit profile, signed out", [[SAVE, { status: 401, error: "no", code: "UNAUTHORIZED" }]], then(hide, press("Save")), "You must be logged in to edit profile settings. Please log in with Discord first."),
    { ...edit("edit profile, account without an id", [], then(hide, press("Save")), "Missing Discord ID. Please log in again."), user: { ...owner, discord_id: "" } },
    edit("edit profile, settings unavailable", [[SETTINGS, { status: 401, error: "no", code: "UNAUTHORIZED" }]], undefined, "You must be logged in to get profile settings"),
    edit("picture, unsupported type", [], choose(file("a.gif", "image/gif", Buffer.from("GIF89a")), "Profile picture"), "Only PNG, JPG, and WebP files are allowed"),
    edit("picture, too large", [], choose(file("a.png", "image/png", Buffer.alloc(5_242_881)), "Profile picture"), "File size must be less than 5MB"),
    edit("banner, too large", [], choose(file("a.png", "image/png", Buffer.alloc(15_728_641)), "Banner"), "File size must be less than 15MB"),
    edit("picture, invalid", [], choose(file("a.png", "image/png", Buffer.from("no")), "Profile picture"), "Failed to load image"),
    edit("picture, cropping", [], choose(WIDE, "Profile picture"), "Image needs adjustment: Image too large", "Zoom", "Use Defaults", "Reset"),
    edit("picture, uploaded", [[UPLOAD, { imagePath: PICTURE }]], choose(FITTING, "Profile picture"), "Profile image uploaded successfully!"),
    edit("cropped picture, uploaded", [[UPLOAD, { imagePath: PICTURE }]], then(choose(WIDE, "Banner"), press("Upload")), "Banner uploaded successfully!"),
    edit("picture, upload pending", [[UPLOAD, "never"]], choose(FITTING, "Profile picture"), "Save"),
    edit("picture, server error", [[UPLOAD, BROKEN]], choose(FITTING, "Profile picture"), "The disk is full."),
    edit("picture, error without a message", [[UPLOAD, { text: '{"success":false}' }]], choose(FITTING, "Profile picture"), "Upload failed"),
    edit("picture, error of a proxy", [[UPLOAD, PROXY]], choose(FITTING, "Profile picture"), "API call failed: 502 Bad Gateway"),
    edit("picture, removal", [picture], press("Remove"), "Are you sure you want to remove this profile image?"),
    editor("image editor, unsupported type", [], choose(file("a.gif", "image/gif", Buffer.from("GIF89a")), "Profile upload"), "Unsupported format. Supported: image/jpeg, image/png, image/webp"),
    editor("image editor, too large", [], choose(file("a.png", "image/png", Buffer.alloc(10_485_761)), "Banner upload"), "File too large. Maximum size: 10MB"),
    editor("image editor, empty drop", [], drop([null, null]), "No file provided"),
    editor("image editor, drop of another file", [], drop(["a.txt", "text/plain"]), "Please drop an image file"),
    editor("image editor, banner cropping", [], choose(file("b.png", "image/png", png(900, 400)), "Banner upload"), "Image needs adjustment: Image too large", "Zoom"),
    editor("image editor, wrong aspect ratio", [], choose(file("b.png", "image/png", png(400, 200)), "Profile upload"), "Image needs adjustment: Wrong aspect ratio"),
    editor("image editor, uploaded", [[UPLOAD, { imagePath: PICTURE }]], choose(FITTING, "Profile upload"), "Image uploaded successfully!", PICTURE),
    editor("image editor, removal failed", [[UPLOAD, { imagePath: PICTURE }], [DELETE, { text: '{"success":false}' }]], then(choose(FITTING, "Profile upload"), remove), "Delete failed"),
    editor("image editor, already removed", [[UPLOAD, { imagePath: PICTURE }], [DELETE, PROXY]], then(choose(FITTING, "Profile upload"), remove), "API call failed: 502 Bad Gateway"),
    stickers("stickers", [], undefined, "Unlocked", "In-game", "Monkey business", "Cancel", "Save Changes"),
    stickers("stickers, in-game", [], (page) => page.getByRole("tab", { name: "In-game" }).click(), "Anvil Aerospace", "Aegis Dynamics"),
    stickers("stickers, server error", [[SAVE_STICKERS, BROKEN]], press("Save Changes"), "Failed to save stickers: The disk is full."),
    stickers("stickers, server unreachable", [[SAVE_STICKERS, "none"]], press("Save Changes"), "Error saving stickers. Please try again."),
    guildEdit("edit guild", [], undefined, "Guild logo", "Guild banner", "Discord invite link"),
    guildEdit("edit guild, no changes", [], press("Save"), "No changes detected"),
    guildEdit("edit guild, invalid link", [], (page) => page.getByLabel("Discord invite link").fill("https://example.org/"), "Discord link must start with https://discord.gg/"),
    guildEdit("edit guild, saved", [[SAVE_GUILD, {}]], then(invite, press("Save")), "Guild settings saved successfully!"),
    guildEdit("edit guild, error of a proxy", [[SAVE_GUILD, PROXY]], then(invite, press("Save")), "Failed to save changes. Please try again."),
    guildEdit("guild logo, uploaded", [[UPLOAD, { imagePath: PICTURE }]], choose(FITTING, "Guild logo"), "Guild logo uploaded successfully!"),
    guildEdit("guild banner, uploaded", [[UPLOAD, { imagePath: PICTURE }]], then(choose(WIDE, "Guild banner"), press("Upload")), "Guild banner uploaded successfully!"),
    guildEdit("guild logo, error of a proxy", [[UPLOAD, PROXY]], choose(FITTING, "Guild logo"), "Failed to upload image. Please try again."),
    guildEdit("guild logo, too large", [], choose(file("a.png", "image/png", Buffer.alloc(10_485_761)), "Guild logo"), "File size must be less than 10MB"),
    data("my data", [], undefined, "MY DATA", "Remove profile customization", "Unlink my profile", "Delete my account"),
    data("sessions", [], undefined, "Firefox on Windows", "This browser", "Unknown browser", "Sign out everywhere"),
    data("sessions, loading", [[SESSIONS, "never"]], undefined, "Browsers that are signed in to your account."),
    data("sessions, server error", [[SESSIONS, BROKEN]], undefined, "Your sessions could not be loaded.", "The disk is full.", "Try again"),
    data("session, not ended", [[/^DELETE \/api\/me\/sessions\/b/, { status: 404, error: "This session has already ended.", code: "NOT_FOUND" }]], then((page) => page.getByRole("button", { name: "Sign out Unknown browser" }).click(), (page) => page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click()), "This session has already ended."),
    data("sessions, signing out everywhere", [], press("Sign out everywhere"), "All 2 browsers will be signed out, including this one."),
    data("my data, customization removed", [[/^DELETE \/api\/player\/settings\//, {}]], then(press("Remove profile customization"), press("Remove")), "Profile customization removed."),
    data("my data, customization not removed", [[/^DELETE \/api\/player\/settings\//, { status: 401, error: "no", code: "UNAUTHORIZED" }]], then(press("Remove profile customization"), press("Remove")), "You must be logged in to delete profile settings"),
    { ...data("my data, unlinked without an id", [], then(press("Unlink my profile"), press("Unlink")), "You must be logged in to unlink a profile"), user: { ...owner, discord_id: "" } },
  ];
}

const invite = (page) => page.getByLabel("Discord invite link").fill("https://discord.gg/abc");

async function openMenu(page) {
  await page.getByRole("banner").waitFor();
  const phone = page.getByRole("button", { name: "Menu", exact: true });
  if (await phone.isVisible()) await phone.click();
  else await page.getByRole("button", { name: /^Your menu/ }).click();
}

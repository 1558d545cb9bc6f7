// UI states of moderation by admins; see `ui-states.mjs`.
import { member } from "./ui-states-account.mjs";

const HISTORY = /^GET \/api\/admin\/moderation/;
const PREVIEW = /^POST \/api\/admin\/moderation\/preview$/;
const RUN = /^POST \/api\/admin\/moderation$/;
const UNDO = /^POST \/api\/admin\/moderation\/\d+\/undo$/;
const EVENTS = /^GET \/api\/admin\/events/;
const BROKEN = { status: 500, error: "The disk is full.", code: "INTERNAL" };
/** The longest name and reason, without a place to break. */
const LONG_NAME = "N".repeat(60);
const LONG_REASON = "r".repeat(500);

const entry = (id, more) => ({
  id,
  at: 1_760_000_000 + id * 10_000,
  action: "void",
  target: "key",
  name: "12",
  reason: "Kills without fights.",
  state: "done",
  done: 1_234,
  total: 1_234,
  undone_by: null,
  undoes: null,
  ...more,
});
const ENTRIES = [
  entry(6, { state: "running", done: 500, total: 1_234_567, target: "account", name: null }),
  entry(5, { action: "undo", undoes: 1 }),
  entry(4, { action: "hold", target: "player", name: LONG_NAME, reason: LONG_REASON }),
  entry(3, { action: "release", target: "events", name: "3", total: 3 }),
  entry(2),
  entry(1, { undone_by: 5 }),
];
const event = (id, more) => ({
  id,
  event_time: 1_760_000_000,
  received_at: 1_760_000_100,
  identifier: "vehicle_instant_destruction",
  state: "held",
  grade: "self_reported",
  key: { id: 12, name: "Gaming PC" },
  reports: 2,
  killer: LONG_NAME,
  victim: "Kestrel_9",
  player: null,
  ...more,
});
const EFFECT = {
  events: 12_345,
  reports: 13_000,
  players: 57,
  effect: [
    { handle: LONG_NAME, before: 2_000_000, after: 1_000_000 },
    { handle: "Kestrel_9", before: 20, after: 30 },
  ],
};
const ADMIN_STATE = {
  state: { version: "1.0.0", started_at: 1_760_000_000, at: 1_760_003_600, sections: [], errors: [], visits: { days: [], pages: [], referrers: [] } },
};
const ADMIN = [
  [/^GET \/api\/admin\/state/, ADMIN_STATE],
  [/^GET \/api\/admin\/stickers/, { stickers: [] }],
];

const region = (page, name) => page.getByRole("region", { name, exact: true });
const showEffect = async (page, key = "12") => {
  const form = region(page, "New action");
  await form.getByLabel("Key number").fill(key);
  await form.getByLabel("Reason").fill("Kills without fights.");
  await form.getByRole("button", { name: "Show effect" }).click();
};
const confirm = async (page) => {
  await showEffect(page);
  await page.getByRole("button", { name: "Void 12,345 events" }).click();
};
const run = async (page) => {
  await confirm(page);
  await page.getByRole("dialog").getByRole("button", { name: "Void", exact: true }).click();
};
const undo = async (page) => {
  await page.getByRole("button", { name: "Undo entry 3" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("By mistake.");
  await page.getByRole("dialog").getByRole("button", { name: "Undo", exact: true }).click();
};
const showEvents = (page) => region(page, "Events").getByRole("button", { name: "Show events" }).click();

export function moderationStates() {
  const admin = (name, mocks, act, ...expectedTexts) => ({
    name: `moderation, ${name}`,
    path: "/admin",
    user: member({ is_admin: true }),
    mocks: [...mocks, ...ADMIN, [HISTORY, { data: ENTRIES, next: null }]],
    act,
    expectedTexts,
  });
  return [
    admin("entries", [[HISTORY, { data: ENTRIES, next: 1 }]], undefined, "Undo of entry 1", "Undone by entry 5", "Running: 500 of 1,234,567", LONG_REASON, "Show more"),
    admin("empty", [[HISTORY, { data: [], next: null }]], undefined, "No actions yet."),
    admin("loading", [[HISTORY, "never"]], undefined, "Loading the history…"),
    admin("server error", [[HISTORY, BROKEN]], undefined, "The history could not be loaded.", "The disk is full."),
    admin("invalid key", [], (page) => showEffect(page, "x"), "Invalid key 'x': expected a number such as 12."),
    admin("effect", [[PREVIEW, EFFECT]], showEffect, "Void 12,345 events", "-1,000,000", "The 2 largest changes of 57 players."),
    admin("effect pending", [[PREVIEW, "never"]], showEffect, "Calculating the effect…"),
    admin("effect, nothing selected", [[PREVIEW, { events: 0, reports: 0, players: 0, effect: [] }]], showEffect, "No events match this selection."),
    admin("effect, server error", [[PREVIEW, BROKEN]], showEffect, "The disk is full."),
    admin("confirmation", [[PREVIEW, EFFECT]], confirm, "Void 12,345 events?", "This changes the figures of 57 players."),
    admin("action started", [[PREVIEW, EFFECT], [RUN, { entry: entry(7, { state: "running", done: 0 }) }]], run, "Entry 7 added to the history."),
    admin("action, server error", [[PREVIEW, EFFECT], [RUN, BROKEN]], run, "The disk is full."),
    admin("undo", [[UNDO, { entry: entry(8, { action: "undo", undoes: 3 }) }]], undo, "Undo of entry 3 added to the history."),
    admin("undo, server error", [[UNDO, BROKEN]], undo, "Undo entry 3?", "The disk is full."),
    admin("events", [[EVENTS, { data: [event(2), event(1, { killer: null, victim: null, player: "Eve", key: null, state: "void" })], next: 1 }]], showEvents, "vehicle_instant_destruction", "Gaming PC (12)", "Show more"),
    admin("events, none", [[EVENTS, { data: [], next: null }]], showEvents, "No events match."),
    admin("events, server error", [[EVENTS, BROKEN]], showEvents, "The events could not be loaded.", "The disk is full."),
  ];
}

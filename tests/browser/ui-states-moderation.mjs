// UI states of moderation by admins; see `ui-states.mjs`.
import { member } from "./ui-states-account.mjs";

const HISTORY = /^GET \/api\/admin\/moderation/;
const REPORTS = /^GET \/api\/admin\/reports/;
const RUN = /^POST \/api\/admin\/moderation$/;
const UNDO = /^POST \/api\/admin\/moderation\/\d+\/undo$/;
const BROKEN = { status: 500, error: "The disk is full.", code: "INTERNAL" };
/** The longest name and reason, without a place to break. */
const LONG_NAME = "N".repeat(60);
const LONG_REASON = "r".repeat(500);
const AT = 1_760_000_000;

const entry = (id, more) => ({
  id,
  at: AT + id * 10_000,
  action: "block",
  target: "key 12",
  handle: null,
  from: null,
  until: null,
  reason: "Kills without fights.",
  state: "done",
  done: 1_234,
  total: 1_234,
  undone_at: null,
  ...more,
});
const ENTRIES = [
  entry(6, { state: "running", done: 500, total: 1_234_567, action: "remove", target: "account 100000000000000501", from: AT, until: AT + 86_400 }),
  entry(5, { action: "merge", target: LONG_NAME, handle: LONG_NAME.toLowerCase(), reason: LONG_REASON }),
  entry(4, { action: "rename", target: "Kestrel_9", handle: "Kestrel_10" }),
  entry(3, { action: "pin", target: "4.3.2" }),
  entry(2, { action: "remove", target: "event 7", undone_at: AT + 90_000 }),
  entry(1),
];
const report = (event, more) => ({
  event,
  event_time: AT,
  received_at: AT + 100,
  identifier: "vehicle_instant_destruction",
  state: "counted",
  key: 12,
  killer: LONG_NAME,
  victim: "Kestrel_9",
  player: null,
  ...more,
});
const FOUND = { total: 12_345, data: [report(2), report(1, { killer: null, victim: null, player: "Eve", key: null, state: "waiting" })], next: 1 };
const ADMIN_STATE = {
  state: { version: "1.0.0", started_at: AT, at: AT + 3_600, sections: [], errors: [], visits: { days: [], pages: [], referrers: [] } },
};
const ADMIN = [
  [/^GET \/api\/admin\/state/, ADMIN_STATE],
  [/^GET \/api\/admin\/stickers/, { stickers: [] }],
];

const form = (page) => page.getByRole("form", { name: "New action" });
const showReports = async (page) => {
  await form(page).getByLabel("Action").selectOption("Remove");
  await form(page).getByLabel("Target").selectOption("Key");
  await form(page).getByLabel("Key number").fill("12");
  await form(page).getByRole("button", { name: "Show reports" }).click();
};
const block = async (page) => {
  await form(page).getByLabel("Key number").fill("12");
  await form(page).getByLabel("Reason").fill("Kills without fights.");
  await form(page).getByRole("button", { name: "Block key" }).click();
};
const undo = (page) => page.getByRole("button", { name: "Undo entry 3" }).click();

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
    admin("entries", [[HISTORY, { data: ENTRIES, next: 1 }]], undefined, "Running: 500 of 1,234,567", LONG_REASON, "Show more"),
    admin("empty", [[HISTORY, { data: [], next: null }]], undefined, "No actions yet."),
    admin("loading", [[HISTORY, "never"]], undefined, "Loading the history…"),
    admin("server error", [[HISTORY, BROKEN]], undefined, "The history could not be loaded.", "The disk is full."),
    admin("reports", [[REPORTS, FOUND]], showReports, "12,345 reports", "Remove 12,345 reports", "Waits for its patch", "Show more"),
    admin("reports pending", [[REPORTS, "never"]], showReports, "Loading the reports…"),
    admin("no reports", [[REPORTS, { total: 0, data: [], next: null }]], showReports, "No reports match."),
    admin("reports, server error", [[REPORTS, BROKEN]], showReports, "The reports could not be loaded.", "The disk is full."),
    admin("action started", [[RUN, { entry: entry(7, { state: "running", done: 0 }) }]], block, "Entry 7 added to the history."),
    admin("action, server error", [[RUN, BROKEN]], block, "The disk is full."),
    admin("undo", [[UNDO, { entry: entry(3, { state: "running", undone_at: AT }) }]], undo, "Undo of entry 3 started."),
    admin("undo, server error", [[UNDO, BROKEN]], undo, "The disk is full."),
  ];
}

// UI states of disputes: on the page of an event, among the user's own data, and for admins; see `ui-states.mjs`.
import { member } from "./ui-states-account.mjs";
import { EVENT, EVIDENCE, HELD, evidence, row } from "./ui-states-evidence.mjs";
import { ADMIN, LEDGER, event as adminEvent, region } from "./ui-states-moderation.mjs";

const OWN = /^GET \/api\/me\/disputes/;
const DISPUTE = /^POST \/api\/activity\/7\/dispute$/;
const WITHDRAW = /^DELETE \/api\/activity\/7\/dispute$/;
const ALL = /^GET \/api\/admin\/disputes/;
const DECISION = /^POST \/api\/admin\/disputes\/\d+\/decision$/;
const WITHHELD = /^GET \/api\/admin\/withheld/;
const SESSIONS = [/^GET \/api\/me\/sessions/, { sessions: [] }];
const BROKEN = { status: 500, error: "The disk is full.", code: "INTERNAL" };
const LONG_REASON = "r".repeat(500);
const AT = 1_760_000_000;

const dispute = (id, more) => ({
  id,
  event_id: "7",
  created_at: AT,
  decided_at: null,
  entry: null,
  is_suspended: true,
  reason: "I was offline.",
  state: "open",
  ...more,
});
const page = (data, more) => ({ data, left_today: 4, next: null, ...more });
const own = (more) => page([{ dispute: dispute(3, more), event: row() }]);
const NONE = page([]);

const adminDispute = (id, more) => ({
  id,
  account: { discord_id: "5002", name: "Ada" },
  created_at: AT,
  decided_at: null,
  entry: null,
  event: adminEvent(7, { state: "disputed" }),
  is_suspended: true,
  player: "Kestrel_9",
  reason: LONG_REASON,
  stakes: [{ handle: "Kestrel_9", points: 1 }],
  state: "open",
  ...more,
});
const KILLS = {
  total: 1_048,
  share: 5,
  killers: [{ handle: "N".repeat(60), withheld: 1_048, counted: 32 }],
  pairs: [{ players: ["Vexa_Ardent", "Orbit_7"], withheld: 48 }],
  circles: [{ players: Array.from({ length: 30 }, (_, index) => `Member_${index}`), withheld: 1_000 }],
};

const write = async (page) => {
  await region(page, "Dispute").getByRole("button", { name: "Dispute" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("I was offline.");
};
const send = async (page) => {
  await write(page);
  await page.getByRole("dialog").getByRole("button", { name: "Dispute", exact: true }).click();
};
const uphold = async (page) => {
  await region(page, "Disputes").getByRole("button", { name: /Uphold/ }).first().click();
  await page.getByRole("dialog").getByLabel(/Reason/).fill("Nobody else saw it.");
};
const showWithheld = (page) => region(page, "Repeated kills").getByRole("button").click();

export function disputeStates() {
  const event = (name, mocks, act, ...expectedTexts) => ({
    name: `dispute, ${name}`,
    path: "/activity/7",
    expects404: true,
    user: member({ handle: "Orbit_7" }),
    mocks: [...mocks, [EVIDENCE, evidence({ grade: "self_reported", counts: ["killer"] })], [EVENT, { event: row() }]],
    act,
    expectedTexts,
  });
  const data = (name, reply, ...expectedTexts) => ({
    name: `own disputes, ${name}`,
    path: "/profile/data",
    user: member({ handle: "Orbit_7" }),
    mocks: [[OWN, reply], SESSIONS, [HELD, { summary: [], data: [], next: null }]],
    expectedTexts,
  });
  const admin = (name, mocks, act, ...expectedTexts) => ({
    name: `disputes, ${name}`,
    path: "/admin",
    user: member({ is_admin: true }),
    mocks: [...mocks, ...ADMIN, [LEDGER, { data: [], next: null }]],
    act,
    expectedTexts,
  });
  return [
    event("offered", [[OWN, NONE]], undefined, "Dispute"),
    event("form", [[OWN, NONE]], write, "Dispute this event?", "You can dispute 4 more events today."),
    event("form, server error", [[OWN, NONE], [DISPUTE, BROKEN]], send, "The disk is full."),
    event("none left", [[OWN, page([], { left_today: 0 })]], undefined, "You have disputed five events today."),
    event("open", [[OWN, own({ reason: LONG_REASON })], [WITHDRAW, "never"]], undefined, LONG_REASON),
    data("all outcomes", page(
      ["open", "upheld", "dismissed", "event_void", "withdrawn"].map((state, id) => ({
        dispute: dispute(id, { state, is_suspended: state === "open", entry: state === "open" ? null : 4 }),
        event: state === "event_void" ? null : row(),
      })),
      { next: 1 },
    ), "Show more"),
    data("none", NONE, "No disputes."),
    data("server error", BROKEN, "Your disputes could not be loaded.", "The disk is full."),
    admin("open and decided", [[ALL, { data: [adminDispute(2), adminDispute(1, { state: "dismissed", entry: 4, decided_at: AT, is_suspended: false, account: null, event: null })] }]], undefined, LONG_REASON, "Dismissed"),
    admin("none", [[ALL, { data: [] }]], undefined, "No disputes."),
    admin("server error", [[ALL, BROKEN]], undefined, "The disputes could not be loaded.", "The disk is full."),
    admin("decision", [[ALL, { data: [adminDispute(2)] }], [DECISION, BROKEN]], uphold, "The event becomes void and never counts."),
    admin("withheld kills", [[ALL, { data: [] }], [WITHHELD, KILLS]], showWithheld, "1,048 kills do not count.", "Member_29"),
    admin("no withheld kills", [[ALL, { data: [] }], [WITHHELD, { total: 0, share: 5, killers: [], pairs: [], circles: [] }]], showWithheld, "No kill is withheld."),
    admin("withheld kills, server error", [[ALL, { data: [] }], [WITHHELD, BROKEN]], showWithheld, "The withheld kills could not be loaded."),
  ];
}

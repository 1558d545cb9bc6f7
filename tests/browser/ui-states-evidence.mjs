// UI states of the page of an event and of the user's events that do not count; see `ui-states.mjs`.
import { member } from "./ui-states-account.mjs";

const EVENT = /^GET \/api\/activity\/7$/;
const EVIDENCE = /^GET \/api\/activity\/7\/evidence/;
const HELD = /^GET \/api\/me\/held/;
const SESSIONS = [/^GET \/api\/me\/sessions/, { sessions: [] }];
const BROKEN = { status: 500, error: "The disk is full.", code: "INTERNAL" };
/** The longest name, without a place to break. */
const LONG_NAME = "N".repeat(60);
const AT = 1_760_000_000;

const row = (more) => ({
  id: "7",
  type: "pvp",
  identifier: "kill",
  event_time: AT,
  killer: "Vexa_Ardent",
  victim: "Orbit_7",
  killer_is_npc: false,
  victim_is_npc: false,
  killer_friendly_name: null,
  victim_friendly_name: null,
  killer_profile_image: null,
  victim_profile_image: null,
  weapon: "behr_rifle_ballistic_02_civilian",
  weapon_friendly_name: "P8-AR Rifle",
  vehicle_name: null,
  vehicle_friendly_name: null,
  damage_type: "Bullet",
  contract_id: null,
  contract_name: null,
  text: null,
  game_mode: "PU",
  sub_game_mode: null,
  patch: "ALPHA 4.3.2",
  player_name: null,
  player_is_npc: false,
  is_npc: false,
  witnesses: 3,
  grade: "confirmed",
  orgs: ["NOVA"],
  ...more,
});
const report = (source, more) => ({
  source,
  stands: false,
  is_independent: true,
  received_at: AT + 30,
  differs: {},
  build: "10412345",
  branch: "sc-alpha-4.3.2",
  channel: "LIVE",
  ...more,
});
const evidence = (more) => ({
  id: "7",
  grade: "confirmed",
  state: "stands",
  reasons: [],
  counts: ["killer", "victim"],
  reports: [
    report("killer", { stands: true }),
    report("victim"),
    report("third_party", { is_independent: false, differs: { game_mode: "AC", weapon: "w".repeat(80) } }),
  ],
  ...more,
});
const HELD_PAGE = {
  summary: [
    { reason: "unclaimed", events: 1_234_567 },
    { reason: "third_party", events: 48 },
    { reason: "too_many_fights", events: 3 },
  ],
  data: [
    { event: row({ id: "9" }), reasons: ["unclaimed", "too_many_fights"] },
    { event: row({ id: "8", victim: LONG_NAME }), reasons: ["third_party"] },
  ],
  next: 8,
};

export function evidenceStates() {
  const event = (name, eventReply, evidenceReply, ...expectedTexts) => ({
    name: `event, ${name}`,
    path: "/activity/7",
    // The demo has another event of this id, or none.
    expects404: true,
    mocks: [[EVIDENCE, evidenceReply], [EVENT, eventReply]],
    expectedTexts,
  });
  const held = (name, reply, ...expectedTexts) => ({
    name: `held events, ${name}`,
    path: "/profile/data",
    user: member({ handle: "Vexa_Ardent" }),
    mocks: [[HELD, reply], SESSIONS],
    expectedTexts,
  });
  return [
    event("confirmed", { event: row() }, evidence(), "Independent accounts of both sides reported it.", "Game mode: 1 of 3 reports says AC instead of PU.", "sc-alpha-4.3.2"),
    event("long names", { event: row({ killer: LONG_NAME, victim: LONG_NAME.toLowerCase() }) }, evidence(), LONG_NAME),
    event("self-reported", { event: row() }, evidence({ grade: "self_reported", counts: ["killer"], reports: [report("killer", { stands: true })] }), "Counts against Orbit_7 once their own account reports it, too."),
    event("third party", { event: row({ victim: "Hidden" }) }, evidence({ grade: "third_party", state: "held", reasons: ["third_party", "other_channel"], counts: [], reports: [report("third_party", { stands: true, channel: "PTU" })] }), "Reported by others only", "Not the live game", "Does not count"),
    event("reason of a newer server", { event: row() }, evidence({ reasons: ["too_shiny"], counts: [] }), "too shiny", "This page does not know the reason."),
    event("not found", { status: 404, error: "Event not found.", code: "NOT_FOUND" }, { status: 404, error: "Event not found.", code: "NOT_FOUND" }, "Event not found"),
    event("loading", "never", "never", "Loading the event…"),
    event("evidence loading", { event: row() }, "never", "Loading the event…"),
    event("server error", BROKEN, BROKEN, "The event could not be loaded.", "The disk is full.", "Try again"),
    event("evidence, server error", { event: row() }, BROKEN, "The evidence could not be loaded.", "The disk is full.", "Try again"),
    held("reasons", HELD_PAGE, "Player not claimed", "Claim your player", "1,234,567", LONG_NAME, "Show more"),
    held("none", { summary: [], data: [], next: null }, "All your events count."),
    held("loading", "never", "Loading your events…"),
    held("server error", BROKEN, "Your events could not be loaded.", "The disk is full.", "Try again"),
  ];
}

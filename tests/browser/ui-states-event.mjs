// UI states of the page of an event; see `ui-states.mjs`.
const EVENT = /^GET \/api\/activity\/7$/;
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
  received_at: AT + 30,
  build: "10412345",
  branch: "sc-alpha-4.3.2",
  channel: "LIVE",
  ...more,
});
const reports = [report("killer"), report("victim"), report("third_party", { channel: "PTU" })];

export function eventStates() {
  const event = (name, reply, ...expectedTexts) => ({
    name: `event, ${name}`,
    path: "/activity/7",
    // The demo has another event of this id, or none.
    expects404: true,
    mocks: [[EVENT, reply]],
    expectedTexts,
  });
  return [
    event("reported by both sides", { event: row(), reports }, "Killer's log", "Victim's log", "sc-alpha-4.3.2"),
    event("long names", { event: row({ killer: LONG_NAME, victim: LONG_NAME.toLowerCase() }), reports }, LONG_NAME),
    event("not found", { status: 404, error: "Event not found.", code: "NOT_FOUND" }, "Event not found"),
    event("loading", "never", "Loading the event…"),
    event("server error", BROKEN, "The event could not be loaded.", "The disk is full.", "Try again"),
  ];
}

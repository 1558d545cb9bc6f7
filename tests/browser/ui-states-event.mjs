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
  witnesses: 2,
  reported_by: ["killer", "victim"],
  channel: null,
  orgs: ["NOVA"],
  ...more,
});
const answer = (more) => ({ event: row(more), build: "10412345", branch: "sc-alpha-4.3.2", received_at: AT + 30, removed: null });
const REMOVED = { event: null, build: null, branch: null, received_at: null, removed: { reason: "r".repeat(500), at: AT } };

export function eventStates() {
  const event = (name, reply, ...expectedTexts) => ({
    name: `event, ${name}`,
    path: "/event/7",
    // The demo has another event of this id, or none.
    expects404: true,
    mocks: [[EVENT, reply]],
    expectedTexts,
  });
  return [
    event("reported by both sides", answer(), "Reported by both sides", "sc-alpha-4.3.2"),
    event("of another channel", answer({ channel: "PTU", reported_by: ["killer"] }), "PTU, does not count", "Reported by the killer's log"),
    event("long names", answer({ killer: LONG_NAME, victim: LONG_NAME.toLowerCase() }), LONG_NAME),
    event("removed", REMOVED, "An admin removed this event", REMOVED.removed.reason),
    event("not found", { status: 404, error: "Event not found.", code: "NOT_FOUND" }, "Event not found"),
    event("loading", "never", "Loading the event…"),
    event("server error", BROKEN, "The event could not be loaded.", "The disk is full.", "Try again"),
  ];
}

//! Validation of events, field by field.

use super::error::EventError;
use super::event::{Event, EventDetails};
use super::identifier::EventKind;
use super::identity::{fight_key, identity};
use super::valid_event::{Identity, Party, ValidEvent};
use crate::names::Handle;
use crate::npcs::{NameKind, classify_name, without_entity_id};
use crate::patches::Patch;
use crate::times::EpochMillis;

/// How far a sender's clock may be ahead of the server's, in milliseconds.
pub const MAX_CLOCK_SKEW_MS: i64 = 5 * 60 * 1000;
/// 2012-01-01: the game did not exist before.
pub const MIN_EVENT_TIME: EpochMillis = EpochMillis(1_325_376_000_000);
const MAX_NAME_CHARS: usize = 200;
const MAX_TEXT_CHARS: usize = 1000;
const MAX_CLASS_CHARS: usize = 80;
/// 30 days, far above what a mission or the loading of a universe takes.
const MAX_SECONDS: i64 = 30 * 24 * 60 * 60;
/// Far above what any contract pays.
const MAX_AMOUNT: i64 = 1_000_000_000;
/// How a stay in the universe ends.
const DEPARTURES: [&str; 4] = ["disconnect", "quit", "crash", "unknown"];
/// How a mission ends that is not completed.
const OUTCOMES: [&str; 4] = ["failed", "abandoned", "withdrawn", "deactivated"];
/// What logs write while no place is known.
const NO_PLACE: &str = "INVALID_LOCATION_ID";
/// How much of an invalid value an error repeats.
const MAX_QUOTED_CHARS: usize = 60;

/// Validates an event. `now` is the server's clock.
pub fn validate(event: Event, now: EpochMillis) -> Result<ValidEvent, EventError> {
    if let Some(text) = event.patch.as_deref().map(str::trim).filter(|text| !text.is_empty())
        && Patch::parse(text).is_none()
    {
        return Err(EventError::InvalidPatch(quote(text)));
    }
    let event = validate_stored(event, now)?;
    validate_classes(&event)?;
    match &event.player_geid {
        Some(geid) if !is_geid(geid) => Err(EventError::InvalidGeid(quote(geid))),
        _ => Ok(event),
    }
}

/// Validates an event that a site has stored, perhaps before the forms of patches, entity ids and class names were restricted. An
/// invalid patch is left out. So is the patch of a channel other than LIVE.
pub fn validate_stored(mut event: Event, now: EpochMillis) -> Result<ValidEvent, EventError> {
    if event.event_time.0 > now.0 + MAX_CLOCK_SKEW_MS {
        return Err(EventError::ClockAhead);
    }
    if event.event_time < MIN_EVENT_TIME {
        return Err(EventError::ClockBehind);
    }
    let patch = event.patch.as_deref().map(str::trim).and_then(Patch::parse);
    let details = validate_details(event.take_details(), event.identifier.kind())?;
    // Own events have one player: another name in them would be one that their log does not tell of.
    if !event.identifier.is_fight() {
        (event.killer, event.victim) = (None, None);
    }
    let mut valid = ValidEvent {
        identifier: event.identifier,
        event_time: event.event_time,
        game_mode: event.game_mode,
        is_live: patch.as_ref().is_none_or(Patch::is_live),
        patch: patch.filter(Patch::is_live),
        killer: parse_party("killer", event.killer, event.killer_is_npc)?,
        victim: parse_party("victim", event.victim, event.victim_is_npc)?,
        player: parse_party("player_name", event.player_name, event.player_is_npc)?,
        player_geid: validate_name("player_geid", event.player_geid)?,
        details,
        identity: Identity::default(),
        fight: None,
    };
    require_fields(&valid)?;
    valid.identity = identity(&valid);
    valid.fight = fight_key(&valid);
    Ok(valid)
}

fn validate_details(sent: EventDetails, kind: EventKind) -> Result<EventDetails, EventError> {
    Ok(EventDetails {
        event_id: validate_name("event_id", sent.event_id)?,
        sub_game_mode: validate_name("sub_game_mode", sent.sub_game_mode)?,
        weapon: validate_name("weapon", sent.weapon)?.filter(|w| w != "unknown"),
        vehicle_name: validate_name("vehicle_name", sent.vehicle_name)?.filter(|v| v != "unknown"),
        damage_type: validate_name("damage_type", sent.damage_type)?,
        zone: validate_name("zone", sent.zone)?.filter(|zone| zone != NO_PLACE),
        contract_id: validate_name("contract_id", sent.contract_id)?,
        contract_name: validate_name("contract_name", sent.contract_name)?,
        text: match kind {
            EventKind::BlueprintReceived => validate_name("text", sent.text)?,
            _ => clean_text(sent.text)?,
        },
        // Some logs write zeros instead of an id.
        mission_id: validate_name("mission_id", sent.mission_id)?
            .filter(|id| id.bytes().any(|b| b != b'0' && b != b'-')),
        issuer: validate_name("issuer", sent.issuer)?,
        contract_kind: validate_name("contract_kind", sent.contract_kind)?,
        outcome: validate_name("outcome", sent.outcome)?.filter(|_| kind == EventKind::MissionEnded),
        seconds: within("seconds", sent.seconds, MAX_SECONDS)?,
        // Other events are public, pay is not.
        amount: within("amount", sent.amount, MAX_AMOUNT)?.filter(|_| kind == EventKind::Payout),
    })
}

fn within(field: &'static str, value: Option<i64>, max: i64) -> Result<Option<i64>, EventError> {
    match value {
        Some(value) if !(0..=max).contains(&value) => Err(EventError::OutOfRange { field, value, max }),
        value => Ok(value),
    }
}

fn require_fields(event: &ValidEvent) -> Result<(), EventError> {
    use EventKind as K;
    let (nobody, details) = (|party: &Party| *party == Party::Nobody, &event.details);
    match event.identifier.kind() {
        K::Kill if nobody(&event.victim) => Err(EventError::Missing("victim")),
        K::SoftDeath | K::Destruction | K::InstantDestruction
            if nobody(&event.killer) && nobody(&event.victim) && event.details.vehicle_name.is_none() =>
        {
            Err(EventError::Missing("vehicle_name"))
        }
        K::SeatEntered | K::SeatExited if event.details.vehicle_name.is_none() => {
            Err(EventError::Missing("vehicle_name"))
        }
        K::MissionAccepted | K::MissionCompleted if event.contract_key().is_none() => {
            Err(EventError::Missing("contract_name"))
        }
        _ if !event.identifier.is_fight() && nobody(&event.player) => Err(EventError::Missing("player_name")),
        K::MissionEnded if event.contract_key().is_none() && details.mission_id.is_none() => {
            Err(EventError::Missing("mission_id"))
        }
        K::MissionEnded => require_one_of("outcome", details.outcome.as_deref(), &OUTCOMES),
        K::UniverseLeft => require_one_of("text", details.text.as_deref(), &DEPARTURES),
        K::GameCrashed | K::BlueprintReceived if details.text.is_none() => Err(EventError::Missing("text")),
        K::ShipCrashed if details.vehicle_name.is_none() => Err(EventError::Missing("vehicle_name")),
        K::Payout if details.amount.is_none() => Err(EventError::Missing("amount")),
        K::PlaceVisited if details.zone.is_none() => Err(EventError::Missing("zone")),
        _ => Ok(()),
    }
}

fn require_one_of(field: &'static str, value: Option<&str>, values: &'static [&'static str]) -> Result<(), EventError> {
    match value {
        None => Err(EventError::Missing(field)),
        Some(value) if values.contains(&value) => Ok(()),
        Some(value) => Err(EventError::NotOneOf { field, value: quote(value), values }),
    }
}

fn validate_name(field: &'static str, value: Option<String>) -> Result<Option<String>, EventError> {
    let Some(text) = value else { return Ok(None) };
    if text.chars().nth(MAX_NAME_CHARS).is_some() {
        return Err(EventError::TooLong { field, max: MAX_NAME_CHARS });
    }
    if text.chars().any(char::is_control) {
        return Err(EventError::ControlCharacter(field));
    }
    let trimmed = text.trim();
    if trimmed.is_empty() {
        Ok(None)
    } else if trimmed.len() == text.len() {
        Ok(Some(text))
    } else {
        Ok(Some(trimmed.to_owned()))
    }
}

fn clean_text(value: Option<String>) -> Result<Option<String>, EventError> {
    let Some(text) = value else { return Ok(None) };
    if text.chars().nth(MAX_TEXT_CHARS).is_some() {
        return Err(EventError::TooLong { field: "text", max: MAX_TEXT_CHARS });
    }
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Ok(Some(clean.trim().to_owned()).filter(|t| !t.is_empty()))
}

/// Class names of the game's data. Pages show them as they are, so free text is rejected.
fn validate_classes(event: &ValidEvent) -> Result<(), EventError> {
    let classes = [
        ("weapon", &event.details.weapon),
        ("vehicle_name", &event.details.vehicle_name),
        ("damage_type", &event.details.damage_type),
        ("zone", &event.details.zone),
        ("sub_game_mode", &event.details.sub_game_mode),
        ("mission_id", &event.details.mission_id),
        ("issuer", &event.details.issuer),
        ("contract_kind", &event.details.contract_kind),
    ];
    for (field, value) in classes {
        let is_valid = |value: &str| is_class(value) && without_entity_id(value).len() <= MAX_CLASS_CHARS;
        if let Some(value) = value.as_deref().filter(|value| !is_valid(value)) {
            return Err(EventError::InvalidClass { field, value: quote(value) });
        }
    }
    let exception = event.details.text.as_deref().filter(|_| event.identifier.kind() == EventKind::GameCrashed);
    if let Some(value) = exception.filter(|text| !is_class(text) || text.len() > MAX_CLASS_CHARS) {
        return Err(EventError::InvalidClass { field: "text", value: quote(value) });
    }
    let npc = |party: &Party| party.name().filter(|_| party.is_npc()).map(ToOwned::to_owned);
    // Some names of NPCs and contracts in real logs are longer.
    let long = [
        ("contract_id", event.details.contract_id.clone()),
        ("killer", npc(&event.killer)),
        ("victim", npc(&event.victim)),
        ("player_name", npc(&event.player)),
    ];
    match long.into_iter().find_map(|(field, value)| Some((field, value.filter(|value| !is_class(value))?))) {
        Some((field, value)) => Err(EventError::InvalidClass { field, value: quote(&value) }),
        None => Ok(()),
    }
}

fn is_class(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_. -".contains(&b))
}

fn is_geid(text: &str) -> bool {
    (6..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// The part of a value that an error repeats.
fn quote(value: &str) -> String {
    value.chars().take(MAX_QUOTED_CHARS).filter(|c| !c.is_control()).collect()
}

fn parse_party(field: &'static str, value: Option<String>, is_npc: Option<bool>) -> Result<Party, EventError> {
    let Some(name) = validate_name(field, value)? else { return Ok(Party::Nobody) };
    let kind = match (classify_name(&name), is_npc) {
        (NameKind::Nobody, _) => return Ok(Party::Nobody),
        (_, Some(true)) => NameKind::Npc,
        (_, Some(false)) => NameKind::Player,
        (kind, None) => kind,
    };
    match kind {
        NameKind::Npc => Ok(Party::Npc(name)),
        _ => match Handle::parse(&name) {
            Ok(handle) => Ok(Party::Player(handle)),
            Err(_) => Err(EventError::InvalidHandle { field, value: quote(&name) }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Identifier;

    const NOW: EpochMillis = EpochMillis(1_790_000_000_000);

    fn kill(killer: &str, victim: &str) -> Event {
        Event { killer: Some(killer.into()), victim: Some(victim.into()), ..Event::new(Identifier::Kill, NOW) }
    }

    #[test]
    fn every_identifier_is_parsed_from_its_name_and_code() {
        for &identifier in Identifier::ALL {
            assert_eq!(identifier.as_str().parse::<Identifier>(), Ok(identifier));
            assert_eq!(Identifier::from_code(identifier.code()), Some(identifier));
        }
        assert_eq!(Identifier::ALL.len(), 26);
    }

    #[test]
    fn the_name_unknown_refers_to_no_player() {
        let valid = validate(kill("unknown", "Tester_One"), NOW).unwrap();
        assert_eq!(valid.killer, Party::Nobody);
    }

    #[test]
    fn the_npc_flag_overrides_the_classification_by_name() {
        let event = Event { victim_is_npc: Some(true), ..kill("Tester_One", "Grunt") };
        assert_eq!(validate(event, NOW).unwrap().victim, Party::Npc("Grunt".into()));
        let event = Event { victim_is_npc: Some(false), ..kill("Tester_One", "Kopion_Hunter") };
        assert!(validate(event, NOW).unwrap().victim.player().is_some());
    }

    #[test]
    fn invalid_handles_are_rejected_by_field() {
        let error = validate(kill("Tester One", "Tester_Two"), NOW).unwrap_err();
        assert!(error.to_string().contains("killer"), "{error}");
    }

    #[test]
    fn times_out_of_range_are_rejected_with_a_reason() {
        let ahead = Event { event_time: EpochMillis(NOW.0 + MAX_CLOCK_SKEW_MS + 1), ..kill("Abc", "Bcd") };
        assert!(validate(ahead, NOW).unwrap_err().to_string().contains("clock"));
        let just = Event { event_time: EpochMillis(NOW.0 + MAX_CLOCK_SKEW_MS), ..kill("Abc", "Bcd") };
        assert!(validate(just, NOW).is_ok());
        let before = Event { event_time: EpochMillis(MIN_EVENT_TIME.0 - 1), ..kill("Abc", "Bcd") };
        assert!(validate(before, NOW).unwrap_err().to_string().contains("clock"));
    }

    #[test]
    fn control_characters_never_reach_the_database() {
        let event = Event { weapon: Some("a\0b".into()), ..kill("Abc", "Bcd") };
        assert_eq!(validate(event, NOW), Err(EventError::ControlCharacter("weapon")));
        let event = Event { text: Some("two\nlines".into()), ..kill("Abc", "Bcd") };
        assert_eq!(validate(event, NOW).unwrap().details.text.as_deref(), Some("two lines"));
    }

    #[test]
    fn missing_fields_of_an_identifier_are_rejected() {
        let seat = Event::new(Identifier::SeatEntered, NOW);
        assert_eq!(validate(seat, NOW), Err(EventError::Missing("vehicle_name")));
        let mission = Event { contract_name: Some("Haul".into()), ..Event::new(Identifier::MissionAccepted, NOW) };
        assert_eq!(validate(mission, NOW), Err(EventError::Missing("player_name")));
    }

    /// An event of the player Abc with these fields.
    fn own(identifier: &str, fields: serde_json::Value) -> Result<ValidEvent, EventError> {
        let mut json = serde_json::json!({"identifier": identifier, "event_time": NOW.0, "player_name": "Abc"});
        json.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        validate(serde_json::from_value(json).unwrap(), NOW)
    }

    #[test]
    fn each_kind_of_career_event_names_the_field_that_is_missing_or_wrong() {
        use serde_json::json;
        let ok = [
            ("universe_left", json!({"text": "quit"})),
            ("game_crashed", json!({"text": "STATUS_CRYENGINE_OUT_OF_SYSMEM"})),
            ("mission_ended", json!({"mission_id": "8f4ba5a6-3a5e", "outcome": "failed", "seconds": 90})),
            ("blueprint_received", json!({"text": "Morozov-SH Helmet Thule"})),
            ("downed", json!({})),
            ("ship_crashed", json!({"vehicle_name": "ANVL_C8R_Pisces_2790253947791"})),
            ("payout", json!({"amount": 28_375, "mission_id": "8f4ba5a6-3a5e"})),
            ("place_visited", json!({"zone": "Stanton1_Lorville"})),
        ];
        for (identifier, fields) in ok {
            assert!(own(identifier, fields).is_ok(), "{identifier}");
        }
        let wrong = [
            ("universe_left", json!({}), "missing text"),
            ("universe_left", json!({"text": "left"}), "expected one of disconnect, quit, crash, unknown"),
            ("game_crashed", json!({}), "missing text"),
            ("game_crashed", json!({"text": "visit <evil.example>"}), "invalid text"),
            ("mission_ended", json!({"outcome": "failed"}), "missing mission_id"),
            ("mission_ended", json!({"mission_id": "8f4b"}), "missing outcome"),
            ("mission_ended", json!({"mission_id": "8f4b", "outcome": "won"}), "expected one of failed, abandoned"),
            ("blueprint_received", json!({}), "missing text"),
            ("downed", json!({"player_name": null}), "missing player_name"),
            ("ship_crashed", json!({}), "missing vehicle_name"),
            ("payout", json!({}), "missing amount"),
            ("payout", json!({"amount": -1}), "invalid amount '-1': expected 0 to 1000000000"),
            ("place_visited", json!({"zone": "INVALID_LOCATION_ID"}), "missing zone"),
            ("connection_success", json!({"seconds": 2_592_001}), "invalid seconds"),
            ("downed", json!({"issuer": "buy <here>"}), "invalid issuer"),
        ];
        for (identifier, fields, sentence) in wrong {
            let error = own(identifier, fields).unwrap_err().to_string();
            assert!(error.contains(sentence), "{identifier}: {error}");
        }
    }

    #[test]
    fn public_events_keep_no_pay_and_own_events_no_other_player() {
        let fields = serde_json::json!({"contract_name": "Haul", "amount": 5, "outcome": "failed", "victim": "Foe"});
        let event = own("mission_complete", fields).unwrap();
        assert_eq!((event.details.amount, event.details.outcome, event.victim), (None, None, Party::Nobody));
    }

    #[test]
    fn a_mission_with_an_id_is_accepted_completed_and_ended_once_and_zeros_are_no_id() {
        let of = |identifier: &str, id: &str, title: &str| {
            let fields =
                serde_json::json!({"contract_name": title, "mission_id": id, "event_id": title, "outcome": "failed"});
            own(identifier, fields).unwrap().identity
        };
        let ids = ["mission_accepted", "mission_complete", "mission_ended"].map(|kind| of(kind, "8f4b-1", "Haul"));
        assert_eq!(
            ids,
            ["mission_accepted", "mission_complete", "mission_ended"].map(|kind| of(kind, "8f4b-1", "Other"))
        );
        assert!(ids[0] != ids[1] && ids[1] != ids[2]);
        assert_eq!(of("mission_completed", "8f4b-1", "Haul"), ids[1]);
        assert_ne!(of("mission_complete", "8f4b-2", "Haul"), ids[1]);
        let zeros = "00000000-0000-0000-0000-000000000000";
        assert_ne!(of("mission_complete", zeros, "Haul"), of("mission_complete", zeros, "Other"));
        assert_ne!(of("mission_updated", "8f4b-1", "Haul"), of("mission_updated", "8f4b-1", "Other"));
    }

    #[test]
    fn unknown_fields_are_ignored_and_a_geid_may_be_a_number() {
        let event: Event = serde_json::from_str(
            r#"{"identifier":"login","event_time":1790000000000,"player_name":"Abc","player_geid":200100,"mood":"good"}"#,
        )
        .unwrap();
        assert_eq!(event.player_geid.as_deref(), Some("200100"));
        assert_eq!(validate(event, NOW).unwrap().player_geid.as_deref(), Some("200100"));
    }

    #[test]
    fn free_text_is_not_accepted_as_a_class_name_an_entity_id_or_a_patch() {
        let spam = "free viagra at <evil.example>";
        let weapon = Event { weapon: Some(spam.into()), ..kill("Abc", "Bcd") };
        assert!(validate(weapon.clone(), NOW).unwrap_err().to_string().contains("weapon"));
        assert!(validate_stored(weapon, NOW).is_ok());
        let npc = Event { victim: Some(spam.into()), victim_is_npc: Some(true), ..kill("Abc", "Bcd") };
        assert!(validate(npc, NOW).unwrap_err().to_string().contains("victim"));
        let long = Event { zone: Some("z".repeat(81)), ..kill("Abc", "Bcd") };
        assert!(validate(long, NOW).unwrap_err().to_string().contains("zone"));
        let entity = format!("{}_2562525119604", "z".repeat(80));
        assert!(validate(Event { zone: Some(entity), ..kill("Abc", "Bcd") }, NOW).is_ok());
        for geid in ["12345", "123456789012345678901", "free viagra at evil.example", "20014.5"] {
            let event = Event { player_geid: Some(geid.into()), ..kill("Abc", "Bcd") };
            assert!(validate(event, NOW).unwrap_err().to_string().contains("6 to 20 digits"), "{geid}");
        }
        let patch = |text: &str| Event { patch: Some(text.into()), ..kill("Abc", "Bcd") };
        assert!(validate(patch("JOIN evil.example 999.9"), NOW).unwrap_err().to_string().contains("patch"));
        assert_eq!(validate_stored(patch("JOIN evil.example 999.9"), NOW).unwrap().patch, None);
        assert_eq!(validate(patch("sc-alpha-4.4.0-ptu"), NOW).unwrap().patch, None, "not the LIVE channel");
        assert_eq!(validate(patch(" 4.4.0 "), NOW).unwrap().patch.unwrap().as_str(), "ALPHA 4.4.0");
    }
}

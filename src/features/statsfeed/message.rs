//! The text of feed messages: one line per event.

use i18n::{Language, Texts};
use serde_json::{Value, json};

use crate::domain::events::EventKind;
use crate::views::activity::ActivityRow;
use crate::views::chat::{ACCENT_COLOR, MAX_DESCRIPTION_UNITS, MAX_FOOTER_UNITS, escape_markdown, truncate, utf16_len};

/// Below [`MAX_DESCRIPTION_UNITS`].
const MAX_UNITS: usize = 3_800;
const MAX_LINES: usize = 40;

/// Counts the leading lines that fit into one message; at least one.
pub fn count_fitting(lines: &[String]) -> usize {
    let mut units = 0;
    let fits = lines.iter().take(MAX_LINES).take_while(|line| {
        units += utf16_len(line) + 1;
        units <= MAX_UNITS
    });
    fits.count().clamp(1, lines.len().max(1))
}

/// Builds a message that mentions nobody.
pub fn message(lines: &[String], footer: &str) -> Value {
    let text = lines.join("\n");
    let text = truncate(&text, MAX_DESCRIPTION_UNITS);
    json!({
        "embeds": [{ "description": text, "color": ACCENT_COLOR, "footer": { "text": footer } }],
        "allowed_mentions": { "parse": [] },
    })
}

/// A footer of the site's name and the id of a message, by which the message can be found in its channel.
pub fn footer(site: &str, id: &str) -> String {
    let id = format!(" · {id}");
    format!("{}{id}", truncate(site, MAX_FOOTER_UNITS - utf16_len(&id)))
}

/// Builds the line of an event.
pub fn event_line(row: &ActivityRow, language: Language) -> String {
    format!("<t:{}:t> {}", row.event_time, sentence(row, language.bot()))
}

fn sentence(row: &ActivityRow, texts: &Texts) -> String {
    let name =
        |name: &Option<String>| name.as_deref().map_or_else(|| texts.text("unknown").to_owned(), escape_markdown);
    let (killer, victim) = (name(&row.killer_friendly_name), name(&row.victim_friendly_name));
    let (vehicle, player, contract) =
        (name(&row.vehicle_friendly_name), name(&row.player_name), name(&row.contract_name));
    let (blueprint, for_giver, in_time) = (name(&row.text), for_giver(row, texts), in_time(row, texts));
    let values = [
        ("killer", killer.as_str()),
        ("victim", &victim),
        ("vehicle", &vehicle),
        ("player", &player),
        ("contract", &contract),
        ("blueprint", &blueprint),
        ("for_giver", &for_giver),
        ("in_time", &in_time),
    ];
    let is_own = row.killer.is_none() || row.killer == row.victim;
    match row.identifier.map(|identifier| identifier.kind()) {
        Some(EventKind::Kill) if is_own => texts.format("own_death", &values) + &with_weapon(row, texts),
        Some(EventKind::Kill) => texts.format("killed", &values) + &with_weapon(row, texts),
        Some(EventKind::SoftDeath) => texts.format("disabled", &values),
        Some(EventKind::Destruction | EventKind::InstantDestruction) => texts.format("destroyed", &values),
        Some(EventKind::MissionAccepted) => texts.format("accepted", &values),
        Some(EventKind::MissionCompleted) => texts.format("completed", &values),
        Some(EventKind::BlueprintReceived) if row.text.is_none() => texts.format("some_blueprint", &values),
        Some(EventKind::BlueprintReceived) => texts.format("blueprint", &values),
        Some(EventKind::SeatEntered | EventKind::SeatExited) if row.is_first_flight => {
            texts.format("first_flight", &values)
        }
        _ => player.clone(),
    }
}

fn with_weapon(row: &ActivityRow, texts: &Texts) -> String {
    let with = |weapon: &str| texts.format("with", &[("weapon", &escape_markdown(weapon))]);
    row.weapon_friendly_name.as_deref().map(with).unwrap_or_default()
}

fn for_giver(row: &ActivityRow, texts: &Texts) -> String {
    let for_giver = |giver: &str| texts.format("for_giver", &[("giver", &escape_markdown(giver))]);
    row.issuer_friendly_name.as_deref().map(for_giver).unwrap_or_default()
}

fn in_time(row: &ActivityRow, texts: &Texts) -> String {
    let Some(secs) = row.seconds else { return String::new() };
    let unit = match secs {
        ..60 => "time_s",
        60..3_600 => "time_min",
        _ => "time_h",
    };
    let (hours, minutes) = ((secs / 3_600).to_string(), (secs / 60 % 60).to_string());
    let time = texts.format(unit, &[("seconds", &secs.to_string()), ("minutes", &minutes), ("hours", &hours)]);
    texts.format("in_time", &[("time", &time)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::events::Identifier;

    #[test]
    fn contracts_blueprints_and_first_flights_read_as_sentences() {
        let row = |identifier| ActivityRow {
            identifier: Some(identifier),
            player_name: Some("Ann-1".into()),
            contract_name: Some("Cargo Haul".into()),
            issuer_friendly_name: Some("Covalex Hauling".into()),
            vehicle_friendly_name: Some("Cutlass Black".into()),
            ..ActivityRow::default()
        };
        let (done, received) = (row(Identifier::MissionComplete), row(Identifier::BlueprintReceived));
        let told = |seconds| sentence(&ActivityRow { seconds: Some(seconds), ..done.clone() }, Language::En.bot());
        assert_eq!(told(3_420), "**Ann-1** completed Cargo Haul for Covalex Hauling in 57 min");
        assert!(told(59).ends_with(" in 59 s") && told(3_660).ends_with(" in 1 h 1 min"));
        let plain = ActivityRow { issuer_friendly_name: None, ..done };
        assert_eq!(sentence(&plain, Language::De.bot()), "**Ann-1** hat Cargo Haul abgeschlossen");
        // Names of blueprints are shown only when others have reported them.
        assert_eq!(sentence(&received, Language::En.bot()), "**Ann-1** received a blueprint");
        let named = ActivityRow { text: Some("Helmet_Thule".into()), ..received };
        assert_eq!(sentence(&named, Language::En.bot()), "**Ann-1** received the blueprint Helmet\\_Thule");
        let flight = ActivityRow { is_first_flight: true, ..row(Identifier::SeatExited) };
        assert_eq!(sentence(&flight, Language::En.bot()), "**Ann-1** flew the Cutlass Black for the first time");
    }

    #[test]
    fn a_message_stays_within_discords_limits() {
        assert_eq!(count_fitting(&vec!["x".to_owned(); 100]), MAX_LINES);
        assert_eq!(count_fitting(&vec!["é".repeat(1_000); 10]), 3);
        assert_eq!(count_fitting(&["y".repeat(9_000)]), 1);
        assert_eq!(count_fitting(&vec!["\u{1f680}".repeat(1_000); 10]), 1);
        for long in ["y".repeat(9_000), "\u{1f680}".repeat(9_000)] {
            let message = message(&[long], "");
            assert_eq!(utf16_len(message["embeds"][0]["description"].as_str().unwrap()), MAX_DESCRIPTION_UNITS);
        }
        assert_eq!(footer("Site", "board 7.1"), "Site · board 7.1");
        let long = footer(&"\u{1f680}".repeat(2_000), "17");
        assert!(utf16_len(&long) <= MAX_FOOTER_UNITS && long.ends_with(" · 17"), "{long}");
    }
}

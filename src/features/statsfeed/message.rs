//! The text of feed messages: one line per event.

use serde_json::{Value, json};

use crate::domain::events::EventKind;
use crate::i18n::Language;
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
pub fn message(lines: &[String]) -> Value {
    let text = lines.join("\n");
    let text = truncate(&text, MAX_DESCRIPTION_UNITS);
    json!({ "embeds": [{ "description": text, "color": ACCENT_COLOR }], "allowed_mentions": { "parse": [] } })
}

/// A footer of the site's name and the id of a message, by which the message can be found.
pub fn footer(site: &str, id: &str) -> String {
    let id = format!(" · {id}");
    format!("{}{id}", truncate(site, MAX_FOOTER_UNITS - utf16_len(&id)))
}

/// Adds a footer by which the message can be found in its channel.
pub fn add_footer(message: &mut Value, footer: &str) {
    if let Some(embed) = message.get_mut("embeds").and_then(|embeds| embeds.get_mut(0)) {
        embed["footer"] = json!({ "text": footer });
    }
}

/// Builds the line of an event.
pub fn event_line(row: &ActivityRow, language: Language) -> String {
    let texts = language.bot();
    let name =
        |name: &Option<String>| name.as_deref().map_or_else(|| texts.text("unknown").to_owned(), escape_markdown);
    let (killer, victim) = (name(&row.killer_friendly_name), name(&row.victim_friendly_name));
    let (vehicle, player, contract) =
        (name(&row.vehicle_friendly_name), name(&row.player_name), name(&row.contract_name));
    let values = [
        ("killer", killer.as_str()),
        ("victim", &victim),
        ("vehicle", &vehicle),
        ("player", &player),
        ("contract", &contract),
    ];
    let is_own = row.killer.is_none() || row.killer == row.victim;
    let mut text = match row.identifier.map(|identifier| identifier.kind()) {
        Some(EventKind::Kill) if is_own => texts.format("own_death", &values),
        Some(EventKind::Kill) => texts.format("killed", &values),
        Some(EventKind::SoftDeath) => texts.format("disabled", &values),
        Some(EventKind::Destruction | EventKind::InstantDestruction) => texts.format("destroyed", &values),
        Some(EventKind::MissionAccepted) => texts.format("accepted", &values),
        Some(EventKind::MissionCompleted) => texts.format("completed", &values),
        _ => player.clone(),
    };
    if let (Some(weapon), Some(EventKind::Kill)) = (&row.weapon_friendly_name, row.identifier.map(|i| i.kind())) {
        text.push_str(&texts.format("with", &[("weapon", &escape_markdown(weapon))]));
    }
    format!("<t:{}:t> {text}", row.event_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_within_discords_limits() {
        assert_eq!(count_fitting(&vec!["x".to_owned(); 100]), MAX_LINES);
        assert_eq!(count_fitting(&vec!["é".repeat(1_000); 10]), 3);
        assert_eq!(count_fitting(&["y".repeat(9_000)]), 1);
        assert_eq!(count_fitting(&vec!["\u{1f680}".repeat(1_000); 10]), 1);
        for long in ["y".repeat(9_000), "\u{1f680}".repeat(9_000)] {
            let message = message(&[long]);
            assert_eq!(utf16_len(message["embeds"][0]["description"].as_str().unwrap()), MAX_DESCRIPTION_UNITS);
        }
        assert_eq!(footer("Site", "board 7.1"), "Site · board 7.1");
        let long = footer(&"\u{1f680}".repeat(2_000), "17");
        assert!(utf16_len(&long) <= MAX_FOOTER_UNITS && long.ends_with(" · 17"), "{long}");
    }
}

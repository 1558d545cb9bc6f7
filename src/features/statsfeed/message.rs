//! The text of feed messages: one line per event.

use serde_json::{Value, json};

use crate::domain::events::EventKind;
use crate::i18n::Language;
use crate::views::activity::ActivityRow;
use crate::views::chat::{ACCENT_COLOR, escape_markdown};

/// Discord accepts 4,096 characters per embed.
const MAX_CHARS: usize = 3_800;
const MAX_LINES: usize = 40;

/// Counts the leading lines that fit into one message; at least one.
pub fn count_fitting(lines: &[String]) -> usize {
    let mut chars = 0;
    let fits = lines.iter().take(MAX_LINES).take_while(|line| {
        chars += line.chars().count() + 1;
        chars <= MAX_CHARS
    });
    fits.count().clamp(1, lines.len().max(1))
}

/// Builds a message that mentions nobody.
pub fn message(lines: &[String]) -> Value {
    let text: String = lines.join("\n").chars().take(4_000).collect();
    json!({ "embeds": [{ "description": text, "color": ACCENT_COLOR }], "allowed_mentions": { "parse": [] } })
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
        let long = message(&["y".repeat(9_000)]);
        assert!(long["embeds"][0]["description"].as_str().unwrap().chars().count() <= 4_096);
    }
}

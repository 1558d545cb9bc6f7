//! What a feed says: one line an event, many lines a message.

use serde_json::{Value, json};

use crate::domain::events::EventKind;
use crate::views::activity::ActivityRow;
use crate::views::chat::{ACCENT_COLOR, escape_markdown};
use crate::views::i18n::Language;

/// Discord takes 4,096 characters in one embed.
const CHARS: usize = 3_800;
const LINES: usize = 40;

/// How many of these lines fit into one message; at least one.
pub fn fitting(lines: &[String]) -> usize {
    let mut chars = 0;
    let fits = lines.iter().take(LINES).take_while(|line| {
        chars += line.chars().count() + 1;
        chars <= CHARS
    });
    fits.count().clamp(1, lines.len().max(1))
}

/// A message of lines; nobody is pinged by it.
pub fn message(lines: &[String]) -> Value {
    let text: String = lines.join("\n").chars().take(4_000).collect();
    json!({ "embeds": [{ "description": text, "color": ACCENT_COLOR }], "allowed_mentions": { "parse": [] } })
}

/// Signs a message, so that it can be found again in its channel.
pub fn sign(message: &mut Value, footer: &str) {
    if let Some(embed) = message.get_mut("embeds").and_then(|embeds| embeds.get_mut(0)) {
        embed["footer"] = json!({ "text": footer });
    }
}

/// The line of an event.
pub fn line(row: &ActivityRow, language: Language) -> String {
    let name =
        |name: &Option<String>| name.as_deref().map_or_else(|| language.text("unknown").to_owned(), escape_markdown);
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
    let mut what = match row.identifier.map(|identifier| identifier.kind()) {
        Some(EventKind::Kill) if is_own => language.format("own_death", &values),
        Some(EventKind::Kill) => language.format("killed", &values),
        Some(EventKind::SoftDeath) => language.format("disabled", &values),
        Some(EventKind::Destruction | EventKind::InstantDestruction) => language.format("destroyed", &values),
        Some(EventKind::MissionAccepted) => language.format("accepted", &values),
        Some(EventKind::MissionCompleted) => language.format("completed", &values),
        _ => player.clone(),
    };
    if let (Some(weapon), Some(EventKind::Kill)) = (&row.weapon_friendly_name, row.identifier.map(|i| i.kind())) {
        what.push_str(&language.format("with", &[("weapon", &escape_markdown(weapon))]));
    }
    format!("<t:{}:t> {what}", row.event_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_never_holds_more_than_discord_takes() {
        assert_eq!(fitting(&vec!["x".to_owned(); 100]), LINES);
        assert_eq!(fitting(&vec!["é".repeat(1_000); 10]), 3);
        assert_eq!(fitting(&["y".repeat(9_000)]), 1);
        let long = message(&["y".repeat(9_000)]);
        assert!(long["embeds"][0]["description"].as_str().unwrap().chars().count() <= 4_096);
    }
}

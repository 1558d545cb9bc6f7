//! Autocompletion of names and event groups.

use serde_json::{Value, json};

use super::interaction::Interaction;
use super::statsfeed::event_word;
use crate::app::App;
use crate::features::search;
use crate::features::statsfeed::EventGroup;
use crate::search::Kind;

/// Discord accepts at most 25 choices of at most 100 characters.
const MAX_CHOICES: usize = 20;
const MAX_CHARS: usize = 100;

pub fn choices(app: &App, call: &Interaction) -> Value {
    let found = call.typed().map(|(option, text)| match option {
        "events" => complete_last(text, |last| events(call, last)),
        "guilds" => complete_last(text, |last| names(app, Kind::Guild, last)),
        "players" => complete_last(text, |last| names(app, Kind::Player, last)),
        "tag" => names(app, Kind::Guild, text),
        _ => names(app, Kind::Player, text),
    });
    let choices: Vec<Value> = found
        .unwrap_or_default()
        .into_iter()
        .filter(|(_, value)| value.chars().count() <= MAX_CHARS)
        .map(|(name, value)| json!({ "name": name.chars().take(MAX_CHARS).collect::<String>(), "value": value }))
        .collect();
    json!({ "type": 8, "data": { "choices": choices } })
}

/// Completes the last item of a comma-separated list.
fn complete_last(text: &str, complete: impl FnOnce(&str) -> Vec<(String, String)>) -> Vec<(String, String)> {
    let (before, last) = text.rsplit_once(',').map_or((None, text), |(before, last)| (Some(before.trim()), last));
    let joined = |text: String| before.map_or(text.clone(), |before| format!("{before}, {text}"));
    complete(last.trim()).into_iter().map(|(name, value)| (joined(name), joined(value))).collect()
}

/// Search suggestions as `(label, value)`.
fn names(app: &App, kind: Kind, text: &str) -> Vec<(String, String)> {
    // Without suggestions the caller can still type the name.
    let found = search::suggest(&app.projections, kind, text, MAX_CHOICES).unwrap_or_default();
    found
        .into_iter()
        .filter_map(|hit| {
            let value = hit.handle.or(hit.short)?;
            let name = match (&hit.name, &hit.org_short) {
                (Some(name), _) if *name != value => format!("{value} – {name}"),
                (_, Some(tag)) if *tag != value => format!("{value} [{tag}]"),
                _ => value.clone(),
            };
            Some((name, value))
        })
        .collect()
}

fn events(call: &Interaction, text: &str) -> Vec<(String, String)> {
    let fits = |group: &EventGroup| group.as_str().starts_with(&text.to_ascii_lowercase());
    let named = |group: EventGroup| {
        let word = call.texts().text(event_word(group));
        (format!("{} – {word}", group.as_str()), group.as_str().to_owned())
    };
    EventGroup::ALL.into_iter().filter(fits).map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_item_of_a_list_is_completed() {
        let complete = |last: &str| vec![(format!("{last}!"), format!("{last}x"))];
        assert_eq!(complete_last("Ann, bo", complete), [("Ann, bo!".to_owned(), "Ann, box".to_owned())]);
        assert_eq!(complete_last("an", complete), [("an!".to_owned(), "anx".to_owned())]);
    }
}

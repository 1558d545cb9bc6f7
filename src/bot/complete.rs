//! Names while somebody types them.

use serde_json::{Value, json};

use super::interaction::Interaction;
use super::statsfeed::event_word;
use crate::app::App;
use crate::features::search;
use crate::features::statsfeed::Group;
use crate::search::Kind;

/// Discord shows at most 25, of at most 100 characters each.
const CHOICES: usize = 20;
const CHARS: usize = 100;

pub fn choices(app: &App, call: &Interaction) -> Value {
    let found = call.typed().map(|(option, text)| match option {
        "events" => several(text, |last| events(call, last)),
        "guilds" => several(text, |last| names(app, Kind::Guild, last)),
        "players" => several(text, |last| names(app, Kind::Player, last)),
        "tag" => names(app, Kind::Guild, text),
        _ => names(app, Kind::Player, text),
    });
    let choices: Vec<Value> = found
        .unwrap_or_default()
        .into_iter()
        .filter(|(_, value)| value.chars().count() <= CHARS)
        .map(|(name, value)| json!({ "name": name.chars().take(CHARS).collect::<String>(), "value": value }))
        .collect();
    json!({ "type": 8, "data": { "choices": choices } })
}

/// Completes the last of several words; the ones before it stay.
fn several(text: &str, complete: impl FnOnce(&str) -> Vec<(String, String)>) -> Vec<(String, String)> {
    let (before, last) = text.rsplit_once(',').map_or((None, text), |(before, last)| (Some(before.trim()), last));
    let joined = |text: String| before.map_or(text.clone(), |before| format!("{before}, {text}"));
    complete(last.trim()).into_iter().map(|(name, value)| (joined(name), joined(value))).collect()
}

/// `(shown, value)` of what is known under such a name.
fn names(app: &App, kind: Kind, text: &str) -> Vec<(String, String)> {
    // A list that cannot be made is an empty one: the caller can still type the name.
    let found = search::suggest(app, kind, text, CHOICES).unwrap_or_default();
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
    let fits = |group: &Group| group.as_str().starts_with(&text.to_ascii_lowercase());
    let named = |group: Group| {
        let word = call.language().text(event_word(group));
        (format!("{} – {word}", group.as_str()), group.as_str().to_owned())
    };
    Group::ALL.into_iter().filter(fits).map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_of_several_words_is_completed() {
        let complete = |last: &str| vec![(format!("{last}!"), format!("{last}x"))];
        assert_eq!(several("Ann, bo", complete), [("Ann, bo!".to_owned(), "Ann, box".to_owned())]);
        assert_eq!(several("an", complete), [("an!".to_owned(), "anx".to_owned())]);
    }
}

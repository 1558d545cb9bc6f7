//! Autocompletion of names and event groups.

use serde_json::{Value, json};

use super::interaction::Interaction;
use super::statsfeed::event_name;
use crate::app::App;
use crate::features::search;
use crate::features::statsfeed::EventGroup;
use crate::search::Kind;
use crate::views::chat::{MAX_CHOICE_UNITS, truncate, utf16_len};

/// Discord accepts at most 25 choices.
const MAX_CHOICES: usize = 20;

pub fn choices(app: &App, call: &Interaction) -> Value {
    let found = call.typed().map(|(option, text)| match option {
        "events" => complete_last(text, |last| events(call, last)),
        "guilds" => complete_last(text, |last| names(app, Kind::Guild, last)),
        "players" => complete_last(text, |last| names(app, Kind::Player, last)),
        "tag" => names(app, Kind::Guild, text),
        _ => names(app, Kind::Player, text),
    });
    let choices: Vec<Value> = found.unwrap_or_default().into_iter().filter_map(choice).collect();
    json!({ "type": 8, "data": { "choices": choices } })
}

/// A choice, unless its value is too long: a value that is cut would mean something else.
fn choice((name, value): (String, String)) -> Option<Value> {
    let fits = utf16_len(&value) <= MAX_CHOICE_UNITS;
    fits.then(|| json!({ "name": truncate(&name, MAX_CHOICE_UNITS), "value": value }))
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
        (format!("{} – {}", group.as_str(), event_name(group, call.texts())), group.as_str().to_owned())
    };
    EventGroup::ALL.into_iter().filter(fits).map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_choice_has_at_most_100_utf16_units() {
        let guild =
            "\u{1d519}\u{1d52c}\u{1d526}\u{1d521} \u{1f680}\u{1f6f0}\u{fe0f} Runners_of_the__Outer__Rim".repeat(5);
        let shown = choice((format!("LONGNAME – {guild}"), "LONGNAME".into())).unwrap();
        let name = shown["name"].as_str().unwrap();
        assert!((95..=100).contains(&utf16_len(name)) && format!("LONGNAME – {guild}").starts_with(name), "{name}");
        assert_eq!(shown["value"], "LONGNAME");
        assert!(choice(("x".into(), "\u{1f680}".repeat(50))).is_some());
        assert!(choice(("x".into(), "\u{1f680}".repeat(51))).is_none());
    }

    #[test]
    fn only_the_last_item_of_a_list_is_completed() {
        let complete = |last: &str| vec![(format!("{last}!"), format!("{last}x"))];
        assert_eq!(complete_last("Ann, bo", complete), [("Ann, bo!".to_owned(), "Ann, box".to_owned())]);
        assert_eq!(complete_last("an", complete), [("an!".to_owned(), "anx".to_owned())]);
    }
}

//! Definitions of the slash commands for registration with Discord, with descriptions in all languages.

use i18n::Language;
use serde_json::{Map, Value, json};

use crate::domain::scores::Metric;
use crate::domain::windows::Window;
use crate::features::statsfeed::FeedKind;

/// Names of all commands.
pub const NAMES: [&str; 7] = ["player", "guild", "top", "compare", "statsfeed", "link", "help"];

// Option types of Discord.
const SUBCOMMAND: u8 = 1;
const STRING: u8 = 3;
const INTEGER: u8 = 4;
const BOOLEAN: u8 = 5;
/// The permission *Manage Server*.
const MANAGE_SERVER: &str = "32";

/// The body of a registration request.
pub fn registration() -> Value {
    NAMES.into_iter().map(command).collect()
}

fn command(name: &str) -> Value {
    let options = match name {
        "player" => json!([required_name("handle"), private()]),
        "guild" => json!([required_name("tag"), private()]),
        "compare" => json!([required_name("first"), required_name("second"), private()]),
        "top" => {
            let windows: Value =
                Window::NAMES.into_iter().map(|(value, _)| choice(value, &format!("w_{value}"))).collect();
            let by = with(option(STRING, "by"), "choices", metric_choices());
            json!([by, with(option(STRING, "window"), "choices", windows), private()])
        }
        "statsfeed" => statsfeed(),
        _ => json!([private()]),
    };
    let command = with(with(translated(&format!("c_{name}")), "name", name), "options", options);
    if name != "statsfeed" {
        return command;
    }
    with(with(command, "default_member_permissions", MANAGE_SERVER), "contexts", json!([0]))
}

/// Sets a property.
fn with(mut item: Value, property: &str, value: impl Into<Value>) -> Value {
    item[property] = value.into();
    item
}

/// A description with its translations.
fn translated(word: &str) -> Value {
    json!({ "description": Language::En.bot().text(word), "description_localizations": translations(word) })
}

/// A word in each language except English, by Discord's locale.
fn translations(word: &str) -> Map<String, Value> {
    let of = |language: Language| {
        language.discord_locales().iter().map(move |locale| ((*locale).to_owned(), language.bot().text(word).into()))
    };
    Language::ALL.into_iter().flat_map(of).collect()
}

fn option(kind: u8, name: &str) -> Value {
    with(with(translated(&format!("o_{name}")), "type", kind), "name", name)
}

/// A required option with autocompletion.
fn required_name(name: &str) -> Value {
    with(completed(name), "required", true)
}

/// A text with autocompletion.
fn completed(name: &str) -> Value {
    with(option(STRING, name), "autocomplete", true)
}

fn private() -> Value {
    option(BOOLEAN, "private")
}

fn choice(value: &str, word: &str) -> Value {
    json!({ "name": Language::En.bot().text(word), "name_localizations": translations(word), "value": value })
}

fn metric_choices() -> Value {
    Metric::ALL.into_iter().map(|metric| choice(metric.as_str(), metric.as_str())).collect()
}

fn statsfeed() -> Value {
    let kinds: Value =
        FeedKind::ALL.into_iter().map(|kind| json!({ "name": kind.as_str(), "value": kind.as_str() })).collect();
    let kind = with(with(option(STRING, "kind"), "required", true), "choices", kinds);
    let minimum = with(option(INTEGER, "minimum"), "min_value", 0);
    let board = with(option(STRING, "leaderboard"), "choices", metric_choices());
    let names = ["guilds", "players", "events"].map(completed);
    let set: Vec<Value> = [kind].into_iter().chain(names).chain([minimum, board, private()]).collect();
    let subcommand = |name: &str, options: Vec<Value>| {
        let described = with(translated(&format!("c_{name}")), "type", SUBCOMMAND);
        with(with(described, "name", name), "options", options)
    };
    json!([subcommand("set", set), subcommand("remove", vec![private()]), subcommand("list", vec![private()])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::chat::utf16_len;

    /// Discord rejects all commands if one text is too long or empty.
    fn check(item: &Value) {
        let name = item["name"].as_str().unwrap();
        assert!(name.len() <= 32 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{name}");
        let texts = item["description_localizations"].as_object().unwrap().values();
        for text in texts.chain([&item["description"]]) {
            let length = utf16_len(text.as_str().unwrap());
            assert!((1..=100).contains(&length), "{name}: {text}");
        }
        for choice in item["choices"].as_array().into_iter().flatten() {
            let names = choice["name_localizations"].as_object().into_iter().flat_map(|names| names.values());
            assert!(names.chain([&choice["name"]]).all(|name| !name.as_str().unwrap().is_empty()), "{choice}");
        }
        let options: Vec<&Value> = item["options"].as_array().into_iter().flatten().collect();
        let first_free = options.iter().position(|o| o["required"] != true).unwrap_or(options.len());
        assert!(options.iter().skip(first_free).all(|o| o["required"] != true), "{name}: required options come first");
        options.into_iter().for_each(check);
    }

    #[test]
    fn names_and_descriptions_fit_discords_limits_in_every_language() {
        let commands = registration();
        assert_eq!(commands.as_array().unwrap().len(), NAMES.len());
        commands.as_array().unwrap().iter().for_each(check);
        assert_eq!(commands[0]["description_localizations"]["de"], "Statistiken eines Spielers anzeigen");
    }

    /// The commands that a text shows, such as `/top by:overall`.
    fn commands_in(text: &str) -> Vec<String> {
        let quoted = text.split('`').skip(1).step_by(2).filter(|code| code.starts_with('/'));
        quoted.map(ToOwned::to_owned).collect()
    }

    #[test]
    fn every_command_in_the_texts_is_registered() {
        let commands = registration();
        let texts = [
            include_str!("../../assets/pages/help_en.md"),
            include_str!("../../assets/pages/configuring-statsfeed-channels.md"),
            include_str!("../../docs/discord.md"),
        ];
        let calls: Vec<String> =
            texts.into_iter().flat_map(commands_in).filter(|call| !call.contains("/admin")).collect();
        assert!(calls.len() > 15, "{calls:?}");
        for call in calls {
            let mut words = call.trim_start_matches('/').split(' ');
            let name = words.next().unwrap();
            let Some(mut command) = commands.as_array().unwrap().iter().find(|c| c["name"] == name) else {
                // Paths of the site are quoted in the same way.
                assert!(["guides", "api", "metrics"].contains(&name) || name.contains('/'), "{call} is not a command");
                continue;
            };
            for word in words {
                let (option, _) = word.split_once(':').unwrap_or((word, ""));
                let known = command["options"].as_array().unwrap().iter().find(|o| o["name"] == option);
                let known = known.unwrap_or_else(|| panic!("{call}: unknown option {option}"));
                if known["type"] == SUBCOMMAND {
                    command = known;
                }
            }
        }
    }
}

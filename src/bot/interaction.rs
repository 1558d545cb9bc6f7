//! Interactions as Discord sends them, limited to the fields that the bot uses.

use i18n::{Language, Texts};
use serde::Deserialize;
use serde_json::Value;

// Types of interactions.
pub const PING: u8 = 1;
pub const COMMAND: u8 = 2;
pub const AUTOCOMPLETE: u8 = 4;

/// An interaction. All fields except the type may be missing.
#[derive(Debug, Clone, Deserialize)]
pub struct Interaction {
    pub r#type: u8,
    #[serde(default)]
    data: Data,
    /// Id of the server.
    pub guild_id: Option<String>,
    pub channel_id: Option<String>,
    #[serde(default)]
    member: Member,
    /// Authorizes a deferred response for 15 minutes.
    #[serde(default)]
    pub token: String,
    /// Locale of the caller.
    #[serde(default)]
    locale: String,
    /// Locale of the server.
    #[serde(default)]
    guild_locale: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Data {
    name: String,
    options: Vec<Choice>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Member {
    #[serde(default)]
    permissions: String,
}

/// An option with its value, or a subcommand.
#[derive(Debug, Clone, Deserialize)]
struct Choice {
    name: String,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    focused: bool,
    #[serde(default)]
    options: Vec<Choice>,
}

const SUBCOMMAND_KINDS: [&str; 3] = ["set", "remove", "list"];
const MANAGE_SERVER: u64 = 1 << 5;
const ADMINISTRATOR: u64 = 1 << 3;

impl Interaction {
    /// The caller's language.
    pub fn language(&self) -> Language {
        Language::of_locale(&self.locale)
    }

    /// The texts in the caller's language.
    pub fn texts(&self) -> &'static Texts {
        self.language().bot()
    }

    /// The server's language, or the caller's outside of servers.
    pub fn server_language(&self) -> Language {
        if self.guild_locale.is_empty() { self.language() } else { Language::of_locale(&self.guild_locale) }
    }

    pub fn name(&self) -> &str {
        &self.data.name
    }

    /// The subcommand, such as `set`.
    pub fn subcommand(&self) -> Option<&str> {
        let first = self.data.options.first()?;
        SUBCOMMAND_KINDS.contains(&first.name.as_str()).then_some(first.name.as_str())
    }

    fn options(&self) -> &[Choice] {
        match (self.subcommand(), self.data.options.first()) {
            (Some(_), Some(first)) => &first.options,
            _ => &self.data.options,
        }
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        let found = self.options().iter().find(|option| option.name == name)?;
        found.value.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    pub fn number(&self, name: &str) -> Option<i64> {
        self.options().iter().find(|option| option.name == name)?.value.as_i64()
    }

    /// The items of a comma-separated option.
    pub fn list(&self, name: &str) -> Vec<String> {
        let items = self.text(name).unwrap_or_default().split(',').map(str::trim);
        items.filter(|item| !item.is_empty()).map(ToOwned::to_owned).collect()
    }

    /// The focused option of an autocompletion: its name and the text so far.
    pub fn typed(&self) -> Option<(&str, &str)> {
        let found = self.options().iter().find(|option| option.focused)?;
        Some((&found.name, found.value.as_str().unwrap_or_default()))
    }

    /// Whether only the caller shall see the response.
    pub fn is_private(&self) -> bool {
        self.options().iter().any(|option| option.name == "private" && option.value.as_bool() == Some(true))
    }

    pub fn may_manage_server(&self) -> bool {
        let bits: u64 = self.member.permissions.parse().unwrap_or(0);
        bits & (MANAGE_SERVER | ADMINISTRATOR) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_subcommand_are_found() {
        let call: Interaction = serde_json::from_str(
            r#"{"type":2,"guild_id":"1","channel_id":"2","member":{"permissions":"32"},"data":{"name":"statsfeed",
                "options":[{"name":"set","type":1,"options":[{"name":"kind","type":3,"value":"arena-commander"}]}]}}"#,
        )
        .unwrap();
        assert_eq!(call.subcommand(), Some("set"));
        assert_eq!(call.text("kind"), Some("arena-commander"));
        assert!(call.may_manage_server());
    }

    #[test]
    fn missing_permissions_allow_nothing() {
        let call: Interaction = serde_json::from_str(r#"{"type":2,"data":{"name":"statsfeed"}}"#).unwrap();
        assert!(!call.may_manage_server());
        assert_eq!(call.subcommand(), None);
    }
}

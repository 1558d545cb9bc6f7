//! The definition of a setting: its key, flag, environment variable, default, documentation, check and place in [`Settings`].
//!
//! [`DEFINITIONS`] lists all of them. Loading, command-line flags, the example file and `apogee check` follow from the list.

mod checks;
mod list;

use std::fmt::Display;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::{Secret, Settings};
use crate::domain::addresses::canonical;

pub(super) use checks::is_web_url;
pub use list::DEFINITIONS;
pub(super) use list::{STICKERS, TABLES, WEBHOOKS};

const EXPECTED_URL: &str = "a URL that begins with http:// or https://, such as https://stats.example.org";

/// One setting.
pub struct Definition {
    /// Key in the settings file; `table.key` inside a table.
    pub key: &'static str,
    /// Environment variable.
    pub env: Option<&'static str>,
    /// Placeholder of the flag's value. The flag is `--` followed by the key. Secrets have no flag: flags are visible in the
    /// process list.
    pub flag: Option<&'static str>,
    /// Whether `--help` leaves the flag out.
    pub is_hidden: bool,
    pub doc: &'static str,
    pub default: DefaultValue,
    /// Checks a value and stores it.
    set: fn(&mut Settings, Input) -> Result<(), Invalid>,
    /// The current value as it may be displayed; secrets are masked.
    pub display: fn(&Settings) -> String,
}

/// The default of a setting.
#[derive(Debug, Clone, Copy)]
pub enum DefaultValue {
    /// A TOML value.
    Toml(&'static str),
    /// A path in the data directory, with a URL scheme in front.
    InDataDir { scheme: &'static str, name: &'static str },
    /// None. The example is a TOML value.
    Unset { example: &'static str },
}

impl DefaultValue {
    /// The default as `--help` shows it.
    pub fn text(self) -> Option<String> {
        match self {
            Self::Toml(toml) => Some(toml.trim_matches('"').to_owned()).filter(|text| !text.is_empty()),
            Self::InDataDir { scheme, name } => Some(format!("{scheme}{{data-dir}}/{name}")),
            Self::Unset { .. } => None,
        }
    }

    /// The default, or the example, as the example file shows it.
    pub fn toml(self) -> String {
        match self {
            Self::Toml(toml) | Self::Unset { example: toml } => toml.to_owned(),
            Self::InDataDir { scheme, name } => format!("\"{scheme}./data/{name}\""),
        }
    }
}

const fn define(
    key: &'static str,
    doc: &'static str,
    default: DefaultValue,
    set: fn(&mut Settings, Input) -> Result<(), Invalid>,
    display: fn(&Settings) -> String,
) -> Definition {
    Definition { key, env: None, flag: None, is_hidden: false, doc, default, set, display }
}

impl Definition {
    const fn env(self, name: &'static str) -> Self {
        Self { env: Some(name), ..self }
    }

    const fn flag(self, value_name: &'static str) -> Self {
        Self { flag: Some(value_name), ..self }
    }

    const fn hidden(self) -> Self {
        Self { is_hidden: true, ..self }
    }

    /// Table and key inside it; the table is empty for keys at the top of the file.
    pub fn table_and_key(&self) -> (&'static str, &'static str) {
        self.key.split_once('.').unwrap_or(("", self.key))
    }

    pub(super) fn set(&self, settings: &mut Settings, input: Input) -> Result<(), Invalid> {
        (self.set)(settings, input)
    }

    pub(super) fn set_default(&self, settings: &mut Settings) -> Result<(), Invalid> {
        match self.default {
            DefaultValue::Toml(toml) => {
                let value = ValueDeserializer::parse(toml).map_err(Invalid::Toml)?;
                self.set(settings, Input::Default(value))
            }
            DefaultValue::InDataDir { scheme, name } => {
                let path = format!("{scheme}{}", settings.data_dir.join(name).display());
                self.set(settings, Input::Text(&path))
            }
            DefaultValue::Unset { .. } => Ok(()),
        }
    }
}

/// A value before it is checked.
pub(super) enum Input<'a> {
    /// From a flag or the environment. Lists are separated by commas.
    Text(&'a str),
    /// From the settings file.
    File(Spanned<DeValue<'a>>),
    Default(ValueDeserializer<'a>),
}

/// Why a value is rejected.
#[derive(Debug)]
pub(super) enum Invalid {
    /// A value of the wrong type; the span points into the file.
    Toml(toml::de::Error),
    Value {
        value: String,
        expected: String,
    },
}

impl Invalid {
    fn value(value: impl Display, expected: &str) -> Self {
        Self::Value { value: value.to_string(), expected: expected.to_owned() }
    }
}

fn store<T>(field: &mut T, value: Result<T, Invalid>) -> Result<(), Invalid> {
    *field = value?;
    Ok(())
}

impl Input<'_> {
    /// A value of any type.
    fn value<T: DeserializeOwned>(self) -> Result<T, Invalid> {
        let read = match self {
            Self::Text(text) => ValueDeserializer::parse(text).and_then(T::deserialize),
            Self::File(value) => T::deserialize(ValueDeserializer::from(value)),
            Self::Default(value) => T::deserialize(value),
        };
        read.map_err(Invalid::Toml)
    }

    fn string(self) -> Result<String, Invalid> {
        match self {
            Self::Text(text) => Ok(text.to_owned()),
            other => other.value(),
        }
    }

    fn text(self, is_valid: fn(&str) -> bool, expected: &str) -> Result<String, Invalid> {
        let text = self.string()?;
        if is_valid(&text) { Ok(text) } else { Err(Invalid::value(text, expected)) }
    }

    /// Text that may contain a password, which an error masks.
    fn masked_text(self, is_valid: fn(&str) -> bool, expected: &str) -> Result<String, Invalid> {
        let text = self.string()?;
        if is_valid(&text) { Ok(text) } else { Err(Invalid::value(redact_password(&text), expected)) }
    }

    /// Text that `parse` accepts.
    fn parsed<T>(self, parse: fn(&str) -> Option<T>, expected: &str) -> Result<T, Invalid> {
        let text = self.string()?;
        parse(&text).ok_or_else(|| Invalid::value(text, expected))
    }

    /// Empty text is the same as none.
    fn optional_text(self, is_valid: fn(&str) -> bool, expected: &str) -> Result<Option<String>, Invalid> {
        let text = self.string()?;
        if text.is_empty() {
            return Ok(None);
        }
        if is_valid(&text) { Ok(Some(text)) } else { Err(Invalid::value(text, expected)) }
    }

    /// Text that no error shows.
    fn secret(self, is_valid: fn(&str) -> bool, expected: &str) -> Result<Option<Secret>, Invalid> {
        let text = self.string()?;
        if text.is_empty() {
            return Ok(None);
        }
        if is_valid(&text) { Ok(Some(Secret::new(text))) } else { Err(Invalid::value("***", expected)) }
    }

    /// A web address without a slash at the end.
    fn url(self) -> Result<String, Invalid> {
        Ok(self.text(is_web_url, EXPECTED_URL)?.trim_end_matches('/').to_owned())
    }

    fn optional_url(self) -> Result<Option<String>, Invalid> {
        let url = self.optional_text(is_web_url, EXPECTED_URL)?;
        Ok(url.map(|url| url.trim_end_matches('/').to_owned()))
    }

    /// A web address that pages show exactly as it is set; empty when it is not set.
    fn link(self) -> Result<String, Invalid> {
        Ok(self.optional_text(is_web_url, EXPECTED_URL)?.unwrap_or_default())
    }

    fn path(self) -> Result<PathBuf, Invalid> {
        self.string().map(PathBuf::from)
    }

    fn number<T: DeserializeOwned + Display + PartialOrd>(
        self,
        range: RangeInclusive<T>,
        expected: &str,
    ) -> Result<T, Invalid> {
        let number = self.value()?;
        if range.contains(&number) { Ok(number) } else { Err(Invalid::value(number, expected)) }
    }

    fn strings(self) -> Result<Vec<String>, Invalid> {
        match self {
            Self::Text(text) => {
                Ok(text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect())
            }
            other => other.value(),
        }
    }

    fn list(self, is_valid: fn(&str) -> bool, expected: &str) -> Result<Vec<String>, Invalid> {
        let items = self.strings()?;
        match items.iter().find(|item| !is_valid(item)) {
            Some(item) => Err(Invalid::value(item, expected)),
            None => Ok(items),
        }
    }

    fn addresses(self) -> Result<Vec<IpAddr>, Invalid> {
        let parse = |text: String| {
            let address = text.parse().map(canonical);
            address.map_err(|_| Invalid::value(text, "IP addresses such as 127.0.0.1, separated by commas"))
        };
        self.strings()?.into_iter().map(parse).collect()
    }
}

fn or_none(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(|| "(none)".into())
}

fn mask(value: &Option<Secret>) -> String {
    if value.is_some() { "*** (set)".into() } else { "(none)".into() }
}

fn join<T: ToString>(values: &[T]) -> String {
    if values.is_empty() { "(none)".into() } else { values.iter().map(T::to_string).collect::<Vec<_>>().join(", ") }
}

/// Masks the password in a URL, both in `user:password@` and in `password=`.
pub fn redact_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let rest = match rest.rsplit_once('@') {
        Some((credentials, host)) => format!("{}:***@{host}", credentials.split(':').next().unwrap_or_default()),
        None => rest.to_owned(),
    };
    match rest.split_once("password=") {
        Some((before, after)) => {
            let after = after.split_once('&').map(|(_, more)| format!("&{more}")).unwrap_or_default();
            format!("{scheme}://{before}password=***{after}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked_in_every_form() {
        for (url, masked) in [
            ("postgres://me:pa@ss@h/d", "postgres://me:***@h/d"),
            (
                "postgres://h/d?user=me&password=x&sslmode=require",
                "postgres://h/d?user=me&password=***&sslmode=require",
            ),
            ("sqlite:./a.db", "sqlite:./a.db"),
        ] {
            assert_eq!(redact_password(url), masked);
        }
    }

    #[test]
    fn keys_are_unique_and_their_tables_documented() {
        let mut keys: Vec<&str> = DEFINITIONS.iter().map(|definition| definition.key).collect();
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{keys:?}");
        for definition in DEFINITIONS {
            let (table, _) = definition.table_and_key();
            assert!(table.is_empty() || TABLES.iter().any(|(known, _)| *known == table), "{}", definition.key);
            assert!(definition.doc.ends_with('.'), "{}", definition.key);
        }
    }
}

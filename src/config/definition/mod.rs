//! The definition of a setting: its key, flag, environment variable, default, documentation, check and place in [`Settings`].
//!
//! The example file describes the settings, and [`FIELDS`] has their checks and places. Loading, command-line flags and `apogee check`
//! follow from the two.

mod checks;
mod list;

use std::fmt::{self, Display, Formatter};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::{ConfigError, Secret, Settings};
use crate::domain::patches::Patch;

pub(super) use checks::is_web_url;
use checks::{LOG_FORMAT, WEB_URL, last_fight_patch};
use list::FIELDS;

/// Shown for a setting without a value.
const NONE: &str = "(none)";

/// The settings file with every key, commented out, and its default.
pub const EXAMPLE: &str = include_str!("../../../assets/apogee.example.toml");

/// Flags, with the placeholder of their value. Secrets have none: flags are visible in the process list.
const FLAGS: [(&str, &str); 4] =
    [("listen", "ADDR"), ("data-dir", "DIR"), ("database-url", "URL"), ("public-url", "URL")];
/// Settings whose value in the example file is not a default.
const WITHOUT_DEFAULT: [&str; 2] = ["public-url", "jwt-secret"];
/// Begin of the paths in the example file that are in the data directory.
const DATA_DIR: &str = "./data/";

/// Every setting, as the example file describes it.
pub(super) static DEFINITIONS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let (mut definitions, mut table, mut comment) = (Vec::new(), "", "");
    for line in EXAMPLE.lines() {
        let Some(setting) = line.strip_prefix("#: ") else {
            comment = line.trim_start_matches("# ");
            continue;
        };
        if let Some(name) = setting.strip_prefix('[') {
            table = name.trim_end_matches(']');
        } else if let Some((key, default)) = setting.split_once(" = ") {
            definitions.extend(Definition::new(table, key, default, comment));
        }
    }
    definitions
});

/// One setting.
pub struct Definition {
    /// Key in the settings file; `table.key` inside a table.
    pub key: &'static str,
    /// Environment variable.
    pub env: Option<&'static str>,
    /// Placeholder of the flag's value. The flag is `--` followed by the key.
    pub flag: Option<&'static str>,
    pub doc: &'static str,
    /// A TOML value.
    default: &'static str,
    field: Place,
}

type Place = fn(&mut Settings) -> Field<'_>;

impl Definition {
    /// A setting of the example file; `None` inside an array of tables. The comment may end in the environment variable.
    fn new(table: &str, key: &str, default: &'static str, comment: &'static str) -> Option<Self> {
        let full = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        let &(key, field) = FIELDS.iter().find(|(known, _)| *known == full)?;
        let with_env = comment.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
        let (doc, env) = match with_env.filter(|(_, env)| env.starts_with("APOGEE_")) {
            Some((doc, env)) => (doc, Some(env)),
            None => (comment, None),
        };
        let flag = FLAGS.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
        Some(Self { key, env, flag, doc, default, field })
    }

    /// Table and key inside it; the table is empty for keys at the top of the file.
    pub fn table_and_key(&self) -> (&'static str, &'static str) {
        self.key.split_once('.').unwrap_or(("", self.key))
    }

    /// Checks a value and stores it.
    pub(super) fn set(&self, settings: &mut Settings, input: Input) -> Result<(), Invalid> {
        (self.field)(settings).set(input)
    }

    pub(super) fn set_default(&self, settings: &mut Settings) -> Result<(), Invalid> {
        if WITHOUT_DEFAULT.contains(&self.key) {
            return Ok(());
        }
        match self.default.trim_matches('"').split_once(DATA_DIR) {
            Some((scheme, name)) => {
                let path = format!("{scheme}{}", settings.data_dir.join(name).display());
                self.set(settings, Input::Text(&path))
            }
            None => self.set(settings, Input::Toml(DeValue::parse(self.default).map_err(Invalid::Toml)?)),
        }
    }

    /// The default as `--help` shows it.
    pub(super) fn shown_default(&self) -> Option<String> {
        let text = self.default.trim_matches('"').replace(DATA_DIR, "{data-dir}/");
        Some(text).filter(|text| !text.is_empty() && !WITHOUT_DEFAULT.contains(&self.key))
    }

    /// The current value as it may be displayed; secrets are masked.
    pub fn display(&self, settings: &mut Settings) -> String {
        (self.field)(settings).to_string()
    }
}

/// Which texts a setting takes, and what an error says that it takes.
#[derive(Clone, Copy)]
struct Check(fn(&str) -> bool, &'static str);

/// The least and the greatest value of a number, and what an error says that it takes.
#[derive(Clone, Copy)]
struct Range(i64, i64, &'static str);

/// The place of a setting in [`Settings`], and which values it takes.
enum Field<'s> {
    /// Text; a password in it is never shown.
    Text(&'s mut String, Check),
    /// Empty text is the same as none.
    OptionalText(&'s mut Option<String>, Check),
    /// Text that is never shown.
    Hidden(&'s mut Option<Secret>, Check),
    /// A web address without a slash at the end.
    Url(&'s mut String),
    OptionalUrl(&'s mut Option<String>),
    /// A web address that pages show exactly as it is set; empty when it is not set.
    Link(&'s mut String),
    Path(&'s mut PathBuf),
    List(&'s mut Vec<String>, Check),
    Addresses(&'s mut Vec<IpAddr>),
    Slogans(&'s mut Vec<String>),
    Flag(&'s mut bool),
    Number(&'s mut dyn Number, Range),
    LogFormat(&'s mut bool),
    LastPatch(&'s mut Option<i64>),
}

impl Field<'_> {
    fn set(self, input: Input) -> Result<(), Invalid> {
        match self {
            Self::Text(field, check) => *field = input.text(check)?,
            Self::OptionalText(field, check) => *field = input.optional(check, str::to_owned)?,
            Self::Hidden(field, check) => *field = input.optional(check, |_| "***".into())?.map(Secret::new),
            Self::Url(field) => *field = without_slash(input.text(WEB_URL)?),
            Self::OptionalUrl(field) => *field = input.optional(WEB_URL, str::to_owned)?.map(without_slash),
            Self::Link(field) => *field = input.optional(WEB_URL, str::to_owned)?.unwrap_or_default(),
            Self::Path(field) => *field = input.string()?.into(),
            Self::List(field, check) => *field = input.list(check)?,
            Self::Addresses(field) => *field = input.addresses()?,
            Self::Slogans(field) => *field = input.value()?,
            Self::Flag(field) => *field = input.value()?,
            Self::Number(field, range) => field.set(input, range)?,
            Self::LogFormat(field) => *field = input.text(LOG_FORMAT)? == "json",
            Self::LastPatch(field) => {
                let text = input.string()?;
                *field = last_fight_patch(&text).ok_or_else(|| Invalid::value(text, "a patch, such as 4.3, or any"))?;
            }
        }
        Ok(())
    }
}

impl Display for Field<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text, _) => f.write_str(&redact_password(text)),
            Self::Url(text) | Self::Link(text) => f.write_str(text),
            Self::OptionalText(text, _) | Self::OptionalUrl(text) => f.write_str(text.as_deref().unwrap_or(NONE)),
            Self::Hidden(secret, _) => f.write_str(if secret.is_some() { "*** (set)" } else { NONE }),
            Self::Path(path) => path.display().fmt(f),
            Self::List(items, _) => f.write_str(&join(items)),
            Self::Addresses(addresses) => f.write_str(&join(addresses)),
            Self::Slogans(slogans) => f.write_str(&slogans.join(" | ")),
            Self::Flag(flag) => flag.fmt(f),
            Self::Number(number, _) => number.fmt(f),
            Self::LogFormat(is_json) => f.write_str(if **is_json { "json" } else { "text" }),
            Self::LastPatch(version) => f.write_str(&version.map_or_else(|| "any".to_owned(), Patch::number_of)),
        }
    }
}

/// A number of any type.
trait Number: Display {
    fn set(&mut self, input: Input, range: Range) -> Result<(), Invalid>;
}

impl<T: DeserializeOwned + Display + Copy + TryInto<i64>> Number for T {
    fn set(&mut self, input: Input, Range(min, max, expected): Range) -> Result<(), Invalid> {
        let number: T = input.value()?;
        if !number.try_into().is_ok_and(|value| (min..=max).contains(&value)) {
            return Err(Invalid::value(number, expected));
        }
        *self = number;
        Ok(())
    }
}

fn without_slash(url: String) -> String {
    url.trim_end_matches('/').to_owned()
}

/// A value before it is checked.
pub(super) enum Input<'a> {
    /// From a flag or the environment. Lists are separated by commas.
    Text(&'a str),
    /// From the settings file, or the default.
    Toml(Spanned<DeValue<'a>>),
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

    /// The error about the setting with this key.
    pub(super) fn named(self, key: &'static str, of_toml: impl FnOnce(toml::de::Error) -> ConfigError) -> ConfigError {
        match self {
            Self::Value { value, expected } => ConfigError::Value { key, value, expected },
            Self::Toml(error) => of_toml(error),
        }
    }
}

impl Input<'_> {
    /// A value of any type.
    fn value<T: DeserializeOwned>(self) -> Result<T, Invalid> {
        let value = match self {
            Self::Text(text) => DeValue::parse(text).map_err(Invalid::Toml)?,
            Self::Toml(value) => value,
        };
        T::deserialize(ValueDeserializer::from(value)).map_err(Invalid::Toml)
    }

    fn string(self) -> Result<String, Invalid> {
        match self {
            Self::Text(text) => Ok(text.to_owned()),
            other => other.value(),
        }
    }

    fn text(self, Check(is_valid, expected): Check) -> Result<String, Invalid> {
        let text = self.string()?;
        if is_valid(&text) { Ok(text) } else { Err(Invalid::value(redact_password(&text), expected)) }
    }

    /// Empty text is the same as none.
    fn optional(self, Check(is_valid, expected): Check, shown: fn(&str) -> String) -> Result<Option<String>, Invalid> {
        let text = self.string()?;
        match text.is_empty() || is_valid(&text) {
            true => Ok(Some(text).filter(|text| !text.is_empty())),
            false => Err(Invalid::value(shown(&text), expected)),
        }
    }

    fn strings(self) -> Result<Vec<String>, Invalid> {
        match self {
            Self::Text(text) => {
                Ok(text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect())
            }
            other => other.value(),
        }
    }

    fn list(self, Check(is_valid, expected): Check) -> Result<Vec<String>, Invalid> {
        let items = self.strings()?;
        match items.iter().find(|item| !is_valid(item)) {
            Some(item) => Err(Invalid::value(item, expected)),
            None => Ok(items),
        }
    }

    fn addresses(self) -> Result<Vec<IpAddr>, Invalid> {
        let parse = |text: String| {
            let address = text.parse::<IpAddr>().map(|address| address.to_canonical());
            address.map_err(|_| Invalid::value(text, "IP addresses such as 127.0.0.1, separated by commas"))
        };
        self.strings()?.into_iter().map(parse).collect()
    }
}

fn join<T: ToString>(values: &[T]) -> String {
    if values.is_empty() { NONE.into() } else { values.iter().map(T::to_string).collect::<Vec<_>>().join(", ") }
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
    use crate::config::Flags;

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
    fn the_example_file_describes_every_setting() {
        let described: Vec<&str> = DEFINITIONS.iter().map(|definition| definition.key).collect();
        assert_eq!(described, FIELDS.iter().map(|(key, _)| *key).collect::<Vec<_>>());
        let flags: Vec<_> = DEFINITIONS.iter().filter_map(|d| Some((d.key, d.flag?))).collect();
        assert_eq!(flags, FLAGS);
        for definition in DEFINITIONS.iter() {
            assert!(definition.doc.ends_with('.'), "{}", definition.key);
            assert!(definition.env.is_some() || !definition.doc.contains("APOGEE_"), "{}", definition.key);
        }
    }

    #[test]
    fn the_example_file_is_accepted_and_sets_the_defaults() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("example.toml");
        let lines: Vec<&str> = EXAMPLE.lines().map(|line| line.strip_prefix("#: ").unwrap_or(line)).collect();
        std::fs::write(&path, lines.join("\n")).unwrap();
        let flags = Flags { config: Some(path.display().to_string()), ..Flags::default() };
        let mut read = Settings::load(&flags).unwrap();
        let mut defaults = Settings::load(&Flags::default().with("data-dir", "./data")).unwrap();
        for definition in DEFINITIONS.iter().filter(|d| !WITHOUT_DEFAULT.contains(&d.key)) {
            assert_eq!(definition.display(&mut read), definition.display(&mut defaults), "{}", definition.key);
        }
        assert_eq!((read.stickers.len(), read.webhooks.len()), (1, 1));
    }
}

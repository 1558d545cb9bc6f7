//! Reads the settings file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::ConfigError;
use super::definition::{DEFINITIONS, Definition};

/// Arrays of tables, which hold more than single settings.
const ARRAYS: [&str; 2] = ["webhooks", "stickers"];

/// The default path of the settings file.
pub fn default_path(data_dir: &Path) -> PathBuf {
    data_dir.join("apogee.toml")
}

/// Reads the file named with `--config`, which must exist, or the default one, which may be missing.
pub fn read(named: Option<&str>, data_dir: &Path) -> Result<(PathBuf, String), ConfigError> {
    let path = named.map_or_else(|| default_path(data_dir), PathBuf::from);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok((path, text)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && named.is_none() => Ok((path, String::new())),
        Err(why) => Err(ConfigError::Read { path: path.display().to_string(), why }),
    }
}

/// The values of a settings file by key, `table.key` inside a table.
pub struct FileValues<'t> {
    pub path: PathBuf,
    text: &'t str,
    values: BTreeMap<String, Spanned<DeValue<'t>>>,
}

impl<'t> FileValues<'t> {
    /// Parses the file. A key that no definition has is an error that names it.
    pub fn parse(path: PathBuf, text: &'t str) -> Result<Self, ConfigError> {
        let mut this = Self { path, text, values: BTreeMap::new() };
        let root = DeTable::parse(text).map_err(|error| this.error(error.message(), error.span()))?;
        for (key, value) in root.into_inner() {
            let name = key.get_ref().to_string();
            if !DEFINITIONS.iter().any(|definition| definition.table_and_key().0 == name) {
                this.insert("", &name, key.span(), value)?;
                continue;
            }
            let span = value.span();
            let DeValue::Table(table) = value.into_inner() else {
                return Err(this.error("invalid type: expected a table", Some(span)));
            };
            for (key, value) in table {
                let inner = key.get_ref().to_string();
                this.insert(&name, &inner, key.span(), value)?;
            }
        }
        Ok(this)
    }

    fn insert(
        &mut self,
        table: &str,
        key: &str,
        span: Range<usize>,
        value: Spanned<DeValue<'t>>,
    ) -> Result<(), ConfigError> {
        let in_table = DEFINITIONS.iter().map(Definition::table_and_key).filter(|(known, _)| *known == table);
        let known: Vec<&str> = in_table.map(|(_, name)| name).collect();
        if !(known.contains(&key) || table.is_empty() && ARRAYS.contains(&key)) {
            let message = format!("unknown field `{key}`, expected one of `{}`", known.join("`, `"));
            return Err(self.error(&message, Some(span)));
        }
        let name = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        self.values.insert(name, value);
        Ok(())
    }

    /// Takes the value of a key out.
    pub fn take(&mut self, key: &str) -> Option<Spanned<DeValue<'t>>> {
        self.values.remove(key)
    }

    /// Takes an array of tables out.
    pub fn take_array<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<Vec<T>>, ConfigError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let read = Vec::deserialize(ValueDeserializer::from(value));
        read.map(Some).map_err(|error| self.error(error.message(), error.span()))
    }

    /// An error with line, key and problem. The line itself is not shown: it may hold a secret.
    pub fn error(&self, message: &str, span: Option<Range<usize>>) -> ConfigError {
        ConfigError::Content { path: self.path.display().to_string(), why: describe(self.text, message, span) }
    }
}

fn describe(text: &str, message: &str, span: Option<Range<usize>>) -> String {
    let message = message.trim().replace('\n', ", ");
    let Some(before) = span.and_then(|span| text.get(..span.start)) else { return message };
    let number = before.matches('\n').count();
    let name = |line: &str| line.trim().trim_matches(['[', ']']).trim().to_owned();
    let line = text.lines().nth(number).unwrap_or_default();
    let table = text.lines().take(number + 1).filter(|line| line.trim_start().starts_with('[')).last().map(name);
    let key = line.split_once('=').map(|(key, _)| name(key)).filter(|_| !line.trim_start().starts_with('['));
    let key = match (table, key) {
        (Some(table), Some(key)) => format!(", {table}.{key}"),
        (Some(only), None) | (None, Some(only)) => format!(", {only}"),
        (None, None) => String::new(),
    };
    format!("line {}{key}: {message}", number + 1)
}

#[cfg(test)]
mod tests {
    use crate::config::{Flags, Settings};
    use crate::domain::stickers::Rule;
    use crate::domain::times::Day;

    fn load(text: &str) -> Result<Settings, String> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("apogee.toml"), text).unwrap();
        let flags = Flags::default().with("data-dir", dir.path().display().to_string());
        Settings::load(&flags).map_err(|error| error.to_string())
    }

    #[test]
    fn an_unknown_key_is_named() {
        assert!(load("lisen = \"x\"").unwrap_err().contains("lisen"));
        assert!(load("[discord]\ntoken = \"x\"").unwrap_err().contains("token"));
        assert!(load("[[webhooks]]\nnam = \"x\"").unwrap_err().contains("nam"));
        assert!(load("discord = 5").unwrap_err().contains("line 1, discord"));
    }

    #[test]
    fn an_error_is_one_sentence_with_line_and_key() {
        for (text, expected) in [
            ("listen = 5", "line 1, listen: invalid type: integer `5`, expected a string"),
            ("log = \"info\"\n\nlisen = \"x\"", "line 3, lisen: unknown field `lisen`"),
            ("[limits]\nreads = 1\npages = \"many\"", "line 3, limits.pages: invalid type: string"),
            ("[discord]\nclient-secret = \"hush", "line 2, discord.client-secret: "),
            ("[discord\n", "line 1, discord: "),
        ] {
            let error = load(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains('\n') && !error.contains('|') && !error.contains("hush"), "{error}");
        }
    }

    #[test]
    fn sticker_rules_are_parsed_with_their_days() {
        let sticker = |rule: &str| {
            format!(
                "[[stickers]]\nid = \"202611\"\nname = \"Comet\"\ndescription = \"Seen once\"\nrarity = \"rare\"\n\
                 requirement = \"Be there\"\ncategory = \"in-game\"\nrule = {rule}"
            )
        };
        for (rule, expected) in [
            ("\"granted\"", Rule::Granted),
            ("{ player-kills = 5 }", Rule::PlayerKills(5)),
            ("{ played-between = [\"2025-06-01\", \"2025-08-31\"] }", Rule::PlayedBetween(Day(20_240), Day(20_331))),
            ("{ life-hours = 10 }", Rule::LifeHours(10)),
            ("{ entered = [\"anvl\"] }", Rule::Entered(vec!["anvl".into()])),
        ] {
            assert_eq!(load(&sticker(rule)).unwrap().stickers[0].rule, expected);
        }
        let wrong = load(&sticker("{ played-between = [\"2025-06-31\", \"2025-08-31\"] }")).unwrap_err();
        assert!(wrong.contains("2025-06-31"), "{wrong}");
        assert!(load(&sticker("{ kills = 5 }")).unwrap_err().contains("kills"));
    }
}

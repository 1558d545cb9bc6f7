//! The settings as a file.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::limits::{Backups, Limits, Rosters};
use super::site::{Retention, SiteTexts};
use crate::domain::stickers::Sticker;

/// Why the settings file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("the settings file {path} cannot be read: {why}")]
    Read { path: String, why: std::io::Error },
    #[error("the settings file {path} is wrong: {why}")]
    Content { path: String, why: String },
}

/// What the file may hold. A key that is not here is an error that names it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ConfigFile {
    pub listen: Option<String>,
    pub data_dir: Option<PathBuf>,
    pub database_url: Option<String>,
    pub public_url: Option<String>,
    pub jwt_secret: Option<String>,
    pub game_site_url: Option<String>,
    pub admin_discord_ids: Option<Vec<String>>,
    pub trusted_proxies: Option<Vec<String>>,
    pub uploads_url: Option<String>,
    pub log: Option<String>,
    pub log_format: Option<String>,
    pub metrics_open: Option<bool>,
    pub patch: Option<String>,
    pub discord: DiscordTable,
    pub github: GithubTable,
    pub site: Option<SiteTexts>,
    pub retention: Option<Retention>,
    pub webhooks: Vec<WebhookTable>,
    pub backups: Option<Backups>,
    pub limits: Option<Limits>,
    pub rosters: Option<Rosters>,
    pub stickers: Option<Vec<Sticker>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DiscordTable {
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    pub public_key: Option<String>,
    pub bot_token: Option<String>,
    pub api_url: Option<String>,
    pub authorize_url: Option<String>,
    pub cdn_url: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GithubTable {
    pub api_url: Option<String>,
    pub repos: Option<Vec<String>>,
    pub webhook_secret: Option<String>,
}

/// One `[[webhooks]]`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WebhookTable {
    pub name: String,
    pub url: String,
    pub secret: String,
    pub events: Option<Vec<String>>,
}

// The secret must not print.
impl std::fmt::Debug for WebhookTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookTable").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ConfigFile {
    /// Reads the named file, which must be there, or the default one, which need not.
    pub fn find(named: Option<&str>, data_dir: &Path) -> Result<Self, FileError> {
        let path = named.map_or_else(|| super::default_file(data_dir), PathBuf::from);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text).map_err(|why| FileError::Content { path: path.display().to_string(), why }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound && named.is_none() => Ok(Self::default()),
            Err(why) => Err(FileError::Read { path: path.display().to_string(), why }),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| sentence(text, &error))
    }
}

/// The line, the key and what is wrong with it. The line itself is not shown: it may hold a secret.
fn sentence(text: &str, error: &toml::de::Error) -> String {
    let what = error.message().trim().replace('\n', ", ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else { return what };
    let number = before.matches('\n').count();
    let name = |line: &str| line.trim().trim_matches(['[', ']']).trim().to_owned();
    let line = text.lines().nth(number).unwrap_or_default();
    let table = text.lines().take(number + 1).filter(|line| line.trim_start().starts_with('[')).last().map(name);
    let key = line.split_once('=').map(|(key, _)| name(key)).filter(|_| !line.trim_start().starts_with('['));
    let place = match (table, key) {
        (Some(table), Some(key)) => format!(", {table}.{key}"),
        (Some(only), None) | (None, Some(only)) => format!(", {only}"),
        (None, None) => String::new(),
    };
    format!("line {}{place}: {what}", number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::stickers::Rule;
    use crate::domain::times::Day;

    #[test]
    fn an_unknown_key_is_named() {
        assert!(ConfigFile::parse("lisen = \"x\"").unwrap_err().contains("lisen"));
        assert!(ConfigFile::parse("[discord]\ntoken = \"x\"").unwrap_err().contains("token"));
    }

    #[test]
    fn an_error_is_one_sentence_with_line_and_key() {
        for (text, begins) in [
            ("listen = 5", "line 1, listen: invalid type: integer `5`, expected a string"),
            ("log = \"info\"\n\nlisen = \"x\"", "line 3, lisen: unknown field `lisen`"),
            ("[limits]\nreads = 1\npages = \"many\"", "line 3, limits.pages: invalid type: string"),
            ("[discord]\nclient-secret = \"hush", "line 2, discord.client-secret: "),
            ("[discord\n", "line 1, discord: "),
        ] {
            let error = ConfigFile::parse(text).unwrap_err();
            assert!(error.starts_with(begins), "{error}");
            assert!(!error.contains('\n') && !error.contains('|') && !error.contains("hush"), "{error}");
        }
    }

    #[test]
    fn sticker_rules_are_read_with_days_as_they_are_written() {
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
            ("{ entered = [\"anvl\"] }", Rule::Entered(vec!["anvl".into()])),
        ] {
            let read = ConfigFile::parse(&sticker(rule)).unwrap().stickers.unwrap();
            assert_eq!(read[0].rule, expected);
        }
        let wrong = ConfigFile::parse(&sticker("{ played-between = [\"2025-06-31\", \"2025-08-31\"] }")).unwrap_err();
        assert!(wrong.contains("2025-06-31"), "{wrong}");
        assert!(ConfigFile::parse(&sticker("{ kills = 5 }")).unwrap_err().contains("kills"));
    }
}

//! Settings: their definitions, and loading them from flags, the environment, the settings file and defaults.
//! `cli` loads them once at start and passes values to the services that it builds.
//! Never here: reading the environment later, or a secret in anything that prints.

mod definition;
mod file;
mod flags;
mod limits;
mod site;

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

pub use definition::{EXAMPLE, redact_password};
pub use file::default_path;
pub use flags::Flags;
pub use limits::{Backups, Limits, Retention, Rosters};
pub use site::SiteTexts;

use serde::Deserialize;

use crate::domain::stickers::{self, Sticker};
use crate::domain::trust::TrustRules;
use definition::{DEFINITIONS, Definition, Input};
use file::FileValues;

/// Text that is never printed.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: String) -> Self {
        Self(text)
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the settings file {path}: {why}")]
    Read { path: String, why: std::io::Error },
    #[error("invalid settings file {path}: {why}")]
    Content { path: String, why: String },
    #[error("invalid stickers: {0}")]
    Stickers(String),
    #[error("invalid {key} '{value}': expected {expected}")]
    Value { key: &'static str, value: String, expected: String },
}

impl ConfigError {
    fn value(key: &'static str, value: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Value { key, value: value.into(), expected: expected.into() }
    }
}

/// Where the value of a setting came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The flag with this key.
    Flag(&'static str),
    Environment(&'static str),
    File(PathBuf),
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(key) => write!(f, "from --{key}"),
            Self::Environment(name) => write!(f, "from {name}"),
            Self::File(path) => write!(f, "from {}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A setting with its value, secrets masked, and origin.
#[derive(Debug, Clone)]
pub struct EffectiveSetting {
    pub key: &'static str,
    pub value: String,
    pub origin: Origin,
}

/// Sign-in and bot. A missing value disables what needs it.
#[derive(Debug, Clone, Default)]
pub struct Discord {
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    /// Ed25519 key that verifies interactions, in hexadecimal.
    pub public_key: Option<String>,
    pub bot_token: Option<Secret>,
    pub api_url: String,
    pub authorize_url: String,
    /// Base URL of Discord's image host.
    pub cdn_url: String,
}

/// The commit feed.
#[derive(Debug, Clone, Default)]
pub struct Github {
    pub api_url: String,
    /// Polled repositories, as `owner/name`.
    pub repos: Vec<String>,
    pub webhook_secret: Option<Secret>,
}

/// A receiver of outgoing webhooks: one `[[webhooks]]` of the settings file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Webhook {
    pub name: String,
    pub url: String,
    /// Signs each request.
    pub secret: Secret,
    /// Subscribed events, a subset of [`Webhook::EVENTS`].
    #[serde(default = "Webhook::all_events")]
    pub events: Vec<String>,
}

impl Webhook {
    /// Feed rows, new commits, problems for the admin.
    pub const EVENTS: [&str; 3] = ["activity", "commit", "note"];
    const MIN_SECRET_BYTES: usize = 16;

    fn all_events() -> Vec<String> {
        Self::EVENTS.map(ToOwned::to_owned).into()
    }

    fn check(&self) -> Result<(), ConfigError> {
        let Self { name, url, secret, events } = self;
        let invalid = |expected: &str| Err(ConfigError::value("webhooks", name, expected));
        let is_name = !name.is_empty()
            && name.len() <= 40
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !is_name {
            return invalid("a name of 1 to 40 lowercase letters, digits and dashes");
        }
        if !definition::is_web_url(url) {
            return invalid("a url that begins with http:// or https://");
        }
        if secret.reveal().len() < Self::MIN_SECRET_BYTES {
            return invalid("a secret of at least 16 characters");
        }
        if events.is_empty() || events.iter().any(|event| !Self::EVENTS.contains(&event.as_str())) {
            return invalid("events out of activity, commit and note");
        }
        Ok(())
    }
}

/// All settings. Each value comes from the first of flag, environment, file and default that has one.
///
/// [`EXAMPLE`] documents them. `Default` is empty; defaults of the settings come from [`Settings::load`].
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub listen: String,
    pub data_dir: PathBuf,
    pub database_url: String,
    pub public_url: Option<String>,
    pub jwt_secret: Option<Secret>,
    pub discord: Discord,
    pub game_site_url: String,
    pub github: Github,
    pub admin_discord_ids: Vec<String>,
    pub trusted_proxies: Vec<IpAddr>,
    pub uploads_url: String,
    pub log: String,
    pub log_json: bool,
    pub metrics_open: bool,
    pub patch: String,
    /// The rules for reports of accounts.
    pub trust: TrustRules,
    pub site: SiteTexts,
    pub retention: Retention,
    /// Receivers of outgoing webhooks; only in the settings file.
    pub webhooks: Vec<Webhook>,
    pub backups: Backups,
    pub limits: Limits,
    pub rosters: Rosters,
    /// Stickers of player profiles; only in the settings file.
    pub stickers: Vec<Sticker>,
}

impl Settings {
    pub fn load(flags: &Flags) -> Result<Self, ConfigError> {
        Self::load_with_origins(flags).map(|(settings, _)| settings)
    }

    /// Loads the settings, and lists each with its value and origin.
    pub fn load_with_origins(flags: &Flags) -> Result<(Self, Vec<EffectiveSetting>), ConfigError> {
        let data_dir = PathBuf::from(flags.get("data-dir").unwrap_or("./data"));
        check_data_dir(&data_dir)?;
        let (path, text) = file::read(flags.config.as_deref(), &data_dir)?;
        let mut file = FileValues::parse(path, &text)?;
        let mut settings = Self::default();
        let mut effective = Vec::with_capacity(DEFINITIONS.len() + 2);
        for definition in DEFINITIONS.iter() {
            let origin = settings.apply(definition, flags, &mut file)?;
            effective.push(EffectiveSetting { key: definition.key, value: definition.display(&mut settings), origin });
        }
        check_data_dir(&settings.data_dir)?;
        let (webhooks, stickers) = (file.take_array("webhooks")?, file.take_array("stickers")?);
        let mut count = |key, is_set: bool, count: usize| {
            let origin = if is_set { Origin::File(file.path.clone()) } else { Origin::Default };
            effective.push(EffectiveSetting { key, value: format!("{count} entries"), origin });
        };
        let is_set = stickers.is_some();
        settings.stickers = stickers.unwrap_or_else(stickers::default_catalogue);
        count("stickers", is_set, settings.stickers.len());
        let is_set = webhooks.is_some();
        settings.webhooks = webhooks.unwrap_or_default();
        count("webhooks", is_set, settings.webhooks.len());
        settings.check_arrays()?;
        Ok((settings, effective))
    }

    /// Sets one setting from the first layer that has it. The value of the file is checked even if another one overrides it.
    fn apply(
        &mut self,
        definition: &Definition,
        flags: &Flags,
        file: &mut FileValues<'_>,
    ) -> Result<Origin, ConfigError> {
        let key = definition.key;
        let in_file = file.take(key);
        let is_in_file = in_file.is_some();
        if let Some(value) = in_file {
            let set = definition.set(self, Input::Toml(value));
            set.map_err(|invalid| invalid.named(key, |error| file.error(error.message(), error.span())))?;
        }
        if let Some((value, origin)) = flags.given(key) {
            let set = definition.set(self, Input::Text(value));
            set.map_err(|invalid| invalid.named(key, |error| ConfigError::value(key, value, error.message())))?;
            return Ok(origin.clone());
        }
        if is_in_file {
            return Ok(Origin::File(file.path.clone()));
        }
        let set = definition.set_default(self);
        set.map_err(|invalid| invalid.named(key, |error| ConfigError::value(key, "default", error.message())))?;
        Ok(Origin::Default)
    }

    fn check_arrays(&self) -> Result<(), ConfigError> {
        for (at, webhook) in self.webhooks.iter().enumerate() {
            webhook.check()?;
            if self.webhooks.iter().take(at).any(|other| other.name == webhook.name) {
                return Err(ConfigError::value("webhooks", &webhook.name, "a unique name"));
            }
        }
        stickers::find_problem(&self.stickers).map_or(Ok(()), |why| Err(ConfigError::Stickers(why)))
    }

    /// Directory of the search index.
    pub fn index_dir(&self) -> PathBuf {
        self.data_dir.join("search")
    }

    /// Directory of files that replace embedded ones.
    pub fn static_dir(&self) -> PathBuf {
        self.data_dir.join("static")
    }

    pub fn is_admin(&self, discord_id: &str) -> bool {
        self.admin_discord_ids.iter().any(|id| id == discord_id)
    }
}

/// Requires that the data directory is a directory or does not exist yet.
fn check_data_dir(data_dir: &Path) -> Result<(), ConfigError> {
    let expected = match std::fs::metadata(data_dir) {
        Ok(found) if !found.is_dir() => "a directory, found a file",
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => "a directory, found a path below a file",
        _ => return Ok(()),
    };
    Err(ConfigError::value("data-dir", data_dir.display().to_string(), expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags() -> Flags {
        Flags::default().with("data-dir", "./no-such-folder")
    }

    /// The key that an error names.
    fn rejected(key: &'static str, value: &str) -> Option<&'static str> {
        match Settings::load(&flags().with(key, value)) {
            Err(ConfigError::Value { key, expected, .. }) => Some(key).filter(|_| !expected.is_empty()),
            _ => None,
        }
    }

    #[test]
    fn each_invalid_setting_is_named() {
        for (key, value) in [
            ("listen", "127.0.0.1"),
            ("database-url", "mysql://h/d"),
            ("uploads-url", "ftp://h"),
            ("public-url", "stats.example"),
            ("discord.public-key", "xyz"),
            ("discord.client-id", "my-app"),
            ("discord.bot-token", "a b"),
            ("discord.api-url", "discord.com"),
            ("admin-discord-ids", "42, ada#1"),
            ("trusted-proxies", "proxy.example"),
            ("github.repos", "a/b/c"),
            ("log", "apogee=loud"),
            ("log-format", "xml"),
            ("retention.visits-days", "36501"),
            ("retention.unused-uploads-days", "-1"),
            ("backups.every-hours", "87601"),
            ("backups.keep", "0"),
            ("rosters.pages-per-minute", "61"),
            ("limits.reads", "0"),
            ("limits.block-minutes", "525601"),
            ("site.source_url", "javascript:alert(1)"),
        ] {
            assert_eq!(rejected(key, value), Some(key), "{value}");
        }
        let error = Settings::load(&flags().with("log-format", "xml")).unwrap_err();
        assert_eq!(error.to_string(), "invalid log-format 'xml': expected 'text' or 'json'");
        let error = Settings::load(&flags().with("database-url", "mysql://u:hush@h/d")).unwrap_err();
        assert!(!error.to_string().contains("hush"), "{error}");
    }

    #[test]
    fn an_overridden_value_of_the_file_is_checked() {
        let dir = tempfile::tempdir().unwrap();
        let load = |text: &str, flags: Flags| {
            std::fs::write(dir.path().join("apogee.toml"), text).unwrap();
            Settings::load(&flags.with("data-dir", dir.path().display().to_string())).map_err(|error| error.to_string())
        };
        for (text, key, variable, given, expected) in [
            ("listen = 5", "listen", "APOGEE_LISTEN", "127.0.0.1:0", "line 1, listen: invalid type: integer `5`"),
            ("log = [\"info\"]", "log", "APOGEE_LOG", "info", "line 1, log: invalid type: sequence"),
        ] {
            let flag = load(text, Flags::default().with(key, given)).unwrap_err();
            assert!(flag.contains(expected), "{flag}");
            let variable = load(text, Flags::default().with_variable(variable, given).unwrap()).unwrap_err();
            assert!(variable.contains(expected), "{variable}");
        }
        let overridden = load("listen = \"127.0.0.1:1\"", Flags::default().with("listen", "127.0.0.1:2")).unwrap();
        assert_eq!(overridden.listen, "127.0.0.1:2");
    }

    #[test]
    fn a_flag_overrides_the_file_and_the_file_the_default() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("apogee.toml"), "log = \"warn\"\npatch = \"X\"\n[discord]\nclient-id = \"\"\n")
            .unwrap();
        let flags = Flags::default().with("data-dir", dir.path().display().to_string()).with("log", "debug");
        let (settings, effective) = Settings::load_with_origins(&flags).unwrap();
        assert_eq!((settings.log.as_str(), settings.patch.as_str()), ("debug", "X"));
        assert_eq!(settings.discord.client_id, None, "empty text is the same as none");
        assert_eq!(settings.database_url, format!("sqlite:{}", dir.path().join("apogee.db").display()));
        let origin = |key: &str| effective.iter().find(|setting| setting.key == key).unwrap().origin.clone();
        assert_eq!(origin("log"), Origin::Flag("log"));
        assert_eq!(origin("patch"), Origin::File(dir.path().join("apogee.toml")));
        assert_eq!(origin("limits.reads"), Origin::Default);
    }
}

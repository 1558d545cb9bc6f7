//! Every setting of Apogee: its key, what it means, its default, its check.
//! `cli` reads them once at start, from flags, environment and file; rooms get their values when they are built.
//! Never here: reading the environment later on, or a secret in anything that prints.

mod file;
mod flags;
pub mod keys;
mod limits;
mod site;
mod validate;

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

pub use file::{ConfigFile, FileError};
pub use flags::Flags;
pub use limits::{Backups, Limits, Rosters};
pub use site::{Retention, SiteTexts};

use crate::domain::addresses::canonical;
use crate::domain::stickers::{self, Sticker};

/// A value that never prints.
#[derive(Clone, PartialEq, Eq)]
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

/// Why the settings cannot be used; the sentence names the key and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{0}")]
    File(#[from] FileError),
    #[error("{key}: {why}")]
    Value { key: &'static str, why: String },
}

/// Sign-in and bot; what is absent is "not configured".
#[derive(Debug, Clone)]
pub struct Discord {
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    /// Hex of the Ed25519 key that interactions are signed with.
    pub public_key: Option<String>,
    pub bot_token: Option<Secret>,
    pub api_url: String,
    pub authorize_url: String,
    /// Base of the host that serves Discord's pictures.
    pub cdn_url: String,
}

/// Where the source code's commits come from.
#[derive(Debug, Clone)]
pub struct Github {
    pub api_url: String,
    /// `owner/name`, each polled.
    pub repos: Vec<String>,
    pub webhook_secret: Option<Secret>,
}

/// An address that is told what happens here.
#[derive(Debug, Clone)]
pub struct Webhook {
    pub name: String,
    pub url: String,
    /// Each call is signed with it.
    pub secret: Secret,
    /// Of [`Webhook::EVENTS`]; those it is told of.
    pub events: Vec<String>,
}

impl From<file::WebhookTable> for Webhook {
    fn from(table: file::WebhookTable) -> Self {
        let file::WebhookTable { name, url, secret, events } = table;
        let events = events.unwrap_or_else(|| Self::EVENTS.map(ToOwned::to_owned).to_vec());
        Self { name, url, secret: Secret(secret), events }
    }
}

impl Webhook {
    /// What can be told: rows of the feed, new commits, and what an admin should look at.
    pub const EVENTS: [&str; 3] = ["activity", "commit", "note"];
    const MIN_SECRET_BYTES: usize = 16;

    fn check(&self) -> Result<(), String> {
        let Self { name, url, secret, events } = self;
        let named = |why: &str| Err(format!("'{name}' {why}"));
        let is_name = !name.is_empty()
            && name.len() <= 40
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !is_name {
            return named("is no name: it takes 1 to 40 small letters, digits and dashes");
        }
        if !validate::is_web(url) {
            return named("needs a url that begins with http:// or https://");
        }
        if secret.reveal().len() < Self::MIN_SECRET_BYTES {
            return named("needs a secret of at least 16 characters");
        }
        if events.is_empty() || events.iter().any(|event| !Self::EVENTS.contains(&event.as_str())) {
            return named("needs events out of activity, commit and note");
        }
        Ok(())
    }
}

/// All settings, each from the first of flag, environment, file and default that has it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Address to serve on; port 0 picks one.
    pub listen: String,
    /// Database, uploads, search index, generated secret.
    pub data_dir: PathBuf,
    /// `sqlite:PATH` or `postgres://…`.
    pub database_url: String,
    /// Origin of links, cards and the OAuth redirect; without one, the address that was bound.
    pub public_url: Option<String>,
    /// Signing secret; without one it is made at first start and kept in the data directory.
    pub jwt_secret: Option<Secret>,
    pub discord: Discord,
    /// Base of `/citizens/{handle}` and `/orgs/{SID}`.
    pub game_site_url: String,
    pub github: Github,
    /// Discord ids of those who get the admin view.
    pub admin_discord_ids: Vec<String>,
    /// Only these peers' `Forwarded` and `X-Forwarded-For` are believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// `file:PATH` or `s3://bucket/prefix`.
    pub uploads_url: String,
    /// Filter of the log, as `tracing` has it.
    pub log: String,
    pub log_json: bool,
    /// Whether `/metrics` answers to more than loopback.
    pub metrics_open: bool,
    /// Shown while no event has told of a patch.
    pub patch: String,
    pub site: SiteTexts,
    pub retention: Retention,
    /// Addresses that are told what happens here; only in the file.
    pub webhooks: Vec<Webhook>,
    pub backups: Backups,
    pub limits: Limits,
    /// Member lists of guilds, read in the background.
    pub rosters: Rosters,
    /// What can be worn on a profile, and what unlocks it.
    pub stickers: Vec<Sticker>,
}

impl Settings {
    /// Puts the layers together: a flag or the environment wins over the file, the file over the default.
    pub fn load(flags: &Flags) -> Result<Self, ConfigError> {
        let data_dir = PathBuf::from(flags.data_dir.clone().unwrap_or_else(|| "./data".into()));
        check_data_dir(&data_dir)?;
        let file = ConfigFile::find(flags.config.as_deref(), &data_dir)?;
        let data_dir = flags.data_dir.is_none().then(|| file.data_dir.clone()).flatten().unwrap_or(data_dir);
        check_data_dir(&data_dir)?;
        let pick = |flag: &Option<String>, file: Option<String>| flag.clone().filter(|v| !v.is_empty()).or(file);
        let discord = Discord {
            client_id: pick(&flags.discord_client_id, file.discord.client_id),
            client_secret: pick(&flags.discord_client_secret, file.discord.client_secret).map(Secret),
            public_key: pick(&flags.discord_public_key, file.discord.public_key),
            bot_token: pick(&flags.discord_bot_token, file.discord.bot_token).map(Secret),
            api_url: base(pick(&flags.discord_api_url, file.discord.api_url), "https://discord.com/api/v10"),
            authorize_url: base(
                pick(&flags.discord_authorize_url, file.discord.authorize_url),
                "https://discord.com/oauth2/authorize",
            ),
            cdn_url: base(pick(&flags.discord_cdn_url, file.discord.cdn_url), "https://cdn.discordapp.com"),
        };
        let github = Github {
            api_url: base(pick(&flags.github_api_url, file.github.api_url), "https://api.github.com"),
            repos: flags.github_repos.as_deref().map(list).or(file.github.repos).unwrap_or_default(),
            webhook_secret: pick(&flags.github_webhook_secret, file.github.webhook_secret).map(Secret),
        };
        let settings = Self {
            listen: pick(&flags.listen, file.listen).unwrap_or_else(|| "127.0.0.1:8080".into()),
            database_url: pick(&flags.database_url, file.database_url)
                .unwrap_or_else(|| format!("sqlite:{}", data_dir.join("apogee.db").display())),
            public_url: pick(&flags.public_url, file.public_url).map(|url| url.trim_end_matches('/').to_owned()),
            jwt_secret: pick(&flags.jwt_secret, file.jwt_secret).map(Secret),
            discord,
            game_site_url: base(pick(&flags.game_site_url, file.game_site_url), "https://robertsspaceindustries.com"),
            github,
            admin_discord_ids: flags
                .admin_discord_ids
                .as_deref()
                .map(list)
                .or(file.admin_discord_ids)
                .unwrap_or_default(),
            trusted_proxies: addresses(flags.trusted_proxies.as_deref().map(list).or(file.trusted_proxies))?,
            uploads_url: pick(&flags.uploads_url, file.uploads_url)
                .unwrap_or_else(|| format!("file:{}", data_dir.join("uploads").display())),
            log: pick(&flags.log, file.log).unwrap_or_else(|| "info".into()),
            log_json: is_json(pick(&flags.log_format, file.log_format))?,
            metrics_open: file.metrics_open.unwrap_or(false),
            patch: file.patch.unwrap_or_else(|| "ALPHA 4.3.2".into()),
            site: file.site.unwrap_or_default(),
            retention: file.retention.unwrap_or_default(),
            webhooks: file.webhooks.into_iter().map(Webhook::from).collect(),
            backups: file.backups.unwrap_or_default(),
            limits: file.limits.unwrap_or_default(),
            rosters: file.rosters.unwrap_or_default(),
            stickers: file.stickers.unwrap_or_else(stickers::default_catalogue),
            data_dir,
        };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), ConfigError> {
        validate::check(self)?;
        let wrong = |key, why: &str| Err(ConfigError::Value { key, why: why.to_owned() });
        for (at, webhook) in self.webhooks.iter().enumerate() {
            webhook.check().map_err(|why| ConfigError::Value { key: "webhooks", why })?;
            if self.webhooks.iter().take(at).any(|other| other.name == webhook.name) {
                return wrong("webhooks", &format!("'{}' stands there twice", webhook.name));
            }
        }
        let l = &self.limits;
        if [l.reads, l.pages, l.writes, l.uploads, l.ingests, l.streams, l.block_after].contains(&0) {
            return wrong("limits", "takes numbers above 0; `enabled = false` switches all of them off");
        }
        if !(1..=60).contains(&self.rosters.pages_per_minute) {
            return wrong(
                "rosters.pages-per-minute",
                "takes a number from 1 to 60; `enabled = false` reads no rosters",
            );
        }
        if !(1..=8_760).contains(&self.rosters.every_hours) {
            return wrong("rosters.every-hours", "takes a number of hours from 1 to 8760");
        }
        if self.backups.keep == 0 {
            return wrong("backups.keep", "takes a number above 0; `every-hours = 0` makes no backups");
        }
        if let Some(why) = stickers::find_problem(&self.stickers) {
            return wrong("stickers", &why);
        }
        Ok(())
    }

    /// Where the search index lies.
    pub fn index_dir(&self) -> PathBuf {
        self.data_dir.join("search")
    }

    /// Where files lie that take the place of embedded ones.
    pub fn static_dir(&self) -> PathBuf {
        self.data_dir.join("static")
    }

    /// Where the site's own backups lie.
    pub fn backups_dir(&self) -> PathBuf {
        self.backups.dir.clone().unwrap_or_else(|| self.data_dir.join("backups"))
    }

    pub fn is_admin(&self, discord_id: &str) -> bool {
        self.admin_discord_ids.iter().any(|id| id == discord_id)
    }
}

/// The data directory is a folder, or is not there yet.
fn check_data_dir(data_dir: &Path) -> Result<(), ConfigError> {
    let why = match std::fs::metadata(data_dir) {
        Ok(found) if !found.is_dir() => format!("{} is a file: it takes a directory", data_dir.display()),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            format!("{} lies below a file: it takes a directory", data_dir.display())
        }
        _ => return Ok(()),
    };
    Err(ConfigError::Value { key: "data-dir", why })
}

/// The default place of the settings file.
pub fn default_file(data_dir: &Path) -> PathBuf {
    data_dir.join("apogee.toml")
}

fn is_json(format: Option<String>) -> Result<bool, ConfigError> {
    match format.as_deref() {
        None | Some("text") => Ok(false),
        Some("json") => Ok(true),
        Some(other) => {
            let why = format!("'{other}' is not valid: it takes text or json");
            Err(ConfigError::Value { key: "log-format", why })
        }
    }
}

fn base(url: Option<String>, default: &str) -> String {
    url.as_deref().unwrap_or(default).trim_end_matches('/').to_owned()
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

fn addresses(given: Option<Vec<String>>) -> Result<Vec<IpAddr>, ConfigError> {
    let read = |text: String| {
        let why = format!("'{text}' is no address; it takes addresses such as 127.0.0.1, separated by commas");
        text.parse().map(canonical).map_err(|_| ConfigError::Value { key: "trusted-proxies", why })
    };
    given.unwrap_or_default().into_iter().map(read).collect()
}

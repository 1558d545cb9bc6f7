//! The form of single settings: what can be seen to be wrong without asking anyone.

use std::net::SocketAddr;

use reqwest::Url;
use tracing_subscriber::EnvFilter;

use super::{ConfigError, Settings, keys};

/// A hundred years, in days; more overflows times that are counted back.
const RETENTION_MAX_DAYS: i64 = 36_500;
/// Ten years, in hours.
const BACKUP_MAX_HOURS: u64 = 87_600;
/// A year, in minutes.
const BLOCK_MAX_MINUTES: u64 = 525_600;
const EXPECTED_WEB_URL: &str = "an address that begins with http:// or https://, such as https://stats.example.org";

/// Finds the first setting with an invalid form.
pub(super) fn check(settings: &Settings) -> Result<(), ConfigError> {
    addresses(settings)?;
    discord(settings)?;
    numbers(settings)?;
    if let Err(why) = EnvFilter::builder().parse(&settings.log) {
        return invalid("log", &settings.log, &format!("a filter such as info or apogee=debug,info ({why})"));
    }
    let is_repo = |repo: &str| repo.split_once('/').is_some_and(|(owner, name)| is_plain(owner) && is_plain(name));
    match settings.github.repos.iter().find(|repo| !is_repo(repo)) {
        Some(repo) => invalid("github.repos", repo, "owner/name"),
        None => Ok(()),
    }
}

/// A sentence that names the setting, its value and what it takes.
fn invalid<T>(key: &'static str, value: &str, takes: &str) -> Result<T, ConfigError> {
    Err(ConfigError::Value { key, why: format!("'{value}' is not valid: it takes {takes}") })
}

fn addresses(settings: &Settings) -> Result<(), ConfigError> {
    if !is_listen(&settings.listen) {
        return invalid("listen", &settings.listen, "ADDRESS:PORT, such as 127.0.0.1:8080 or [::]:8080");
    }
    let database = &settings.database_url;
    let is_database = database.strip_prefix("sqlite:").is_some_and(|path| !path.trim_start_matches('/').is_empty())
        || ["postgres://", "postgresql://"].iter().any(|scheme| database.starts_with(scheme));
    if !is_database {
        return invalid("database-url", &keys::redact_password(database), "sqlite:PATH or postgres://USER@HOST/NAME");
    }
    let uploads = &settings.uploads_url;
    let is_place = uploads.strip_prefix("file:").is_some_and(|path| !path.trim_start_matches('/').is_empty())
        || uploads.strip_prefix("s3://").is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    if !is_place {
        return invalid("uploads-url", uploads, "file:FOLDER or s3://BUCKET/PREFIX");
    }
    let named: [(&'static str, &str); 6] = [
        ("public-url", settings.public_url.as_deref().unwrap_or_default()),
        ("discord.api-url", &settings.discord.api_url),
        ("discord.authorize-url", &settings.discord.authorize_url),
        ("discord.cdn-url", &settings.discord.cdn_url),
        ("game-site-url", &settings.game_site_url),
        ("github.api-url", &settings.github.api_url),
    ];
    match named.into_iter().chain(settings.site.links()).find(|(_, url)| !url.is_empty() && !is_web(url)) {
        Some((key, url)) => invalid(key, url, EXPECTED_WEB_URL),
        None => Ok(()),
    }
}

fn discord(settings: &Settings) -> Result<(), ConfigError> {
    let discord = &settings.discord;
    let is_id = |id: &str| (1..=20).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(id) = discord.client_id.as_deref().filter(|id| !is_id(id)) {
        return invalid("discord.client-id", id, "the digits of the application's id");
    }
    let is_key = |key: &str| key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(key) = discord.public_key.as_deref().filter(|key| !is_key(key)) {
        return invalid("discord.public-key", key, "the 64 hexadecimal digits of the application's page");
    }
    // Secrets are not shown, whatever is wrong with them.
    let is_token = |token: &str| token.bytes().all(|byte| byte.is_ascii_graphic());
    if discord.bot_token.as_ref().is_some_and(|token| !is_token(token.reveal())) {
        return invalid("discord.bot-token", "***", "the token of the application's page, without spaces");
    }
    match settings.admin_discord_ids.iter().find(|id| !is_id(id)) {
        Some(id) => invalid("admin-discord-ids", id, "ids of Discord, which are digits, separated by commas"),
        None => Ok(()),
    }
}

fn numbers(settings: &Settings) -> Result<(), ConfigError> {
    let retention = &settings.retention;
    for (key, days) in [
        ("retention.visits-days", retention.visits_days),
        ("retention.unused-uploads-days", retention.unused_uploads_days),
    ] {
        if !(0..=RETENTION_MAX_DAYS).contains(&days) {
            return invalid(key, &days.to_string(), &format!("0 to {RETENTION_MAX_DAYS} days"));
        }
    }
    let (hours, minutes) = (settings.backups.every_hours, settings.limits.block_minutes);
    if hours > BACKUP_MAX_HOURS {
        return invalid("backups.every-hours", &hours.to_string(), &format!("0 to {BACKUP_MAX_HOURS} hours"));
    }
    if minutes > BLOCK_MAX_MINUTES {
        return invalid("limits.block-minutes", &minutes.to_string(), &format!("0 to {BLOCK_MAX_MINUTES} minutes"));
    }
    Ok(())
}

/// `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
fn is_listen(text: &str) -> bool {
    let is_host = |host: &str| {
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
    };
    let is_named = |(host, port): (&str, &str)| is_host(host) && port.parse::<u16>().is_ok();
    text.parse::<SocketAddr>().is_ok() || text.rsplit_once(':').is_some_and(is_named)
}

pub(super) fn is_web(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Flags, Secret};

    fn sound() -> Settings {
        Settings::load(&Flags { data_dir: Some("./no-such-folder".into()), ..Flags::default() }).unwrap()
    }

    /// The key that is named once a setting is changed.
    fn named(change: impl FnOnce(&mut Settings)) -> Option<&'static str> {
        let mut settings = sound();
        change(&mut settings);
        match check(&settings) {
            Err(ConfigError::Value { key, why }) => {
                assert!(why.contains("is not valid: it takes "), "{why}");
                Some(key)
            }
            _ => None,
        }
    }

    #[test]
    fn each_setting_with_a_wrong_form_is_named() {
        assert_eq!(named(|_| {}), None);
        let text = |value: &str| value.to_owned();
        for invalid in ["", "127.0.0.1", "localhost:", ":8080", "a b:80", "127.0.0.1:99999", "::1:x"] {
            assert_eq!(named(|s| s.listen = text(invalid)), Some("listen"), "{invalid}");
        }
        for invalid in ["mysql://h/d", "sqlite:", "apogee.db"] {
            assert_eq!(named(|s| s.database_url = text(invalid)), Some("database-url"), "{invalid}");
        }
        for invalid in ["ftp://h", "file:", "s3://", "s3:///prefix"] {
            assert_eq!(named(|s| s.uploads_url = text(invalid)), Some("uploads-url"), "{invalid}");
        }
        for invalid in ["stats.example", "https://", "ftp://example.org", "https://a b"] {
            assert_eq!(named(|s| s.public_url = Some(text(invalid))), Some("public-url"), "{invalid}");
        }
        assert_eq!(named(|s| s.site.source_url = text("javascript:alert(1)")), Some("site.source_url"));
        for invalid in ["xyz", &"g".repeat(64), &"a".repeat(63)] {
            assert_eq!(named(|s| s.discord.public_key = Some(text(invalid))), Some("discord.public-key"), "{invalid}");
        }
        assert_eq!(named(|s| s.discord.client_id = Some(text("my-app"))), Some("discord.client-id"));
        assert_eq!(named(|s| s.discord.bot_token = Some(Secret::new(text("a b")))), Some("discord.bot-token"));
        assert_eq!(named(|s| s.admin_discord_ids = vec![text("ada#1")]), Some("admin-discord-ids"));
        assert_eq!(named(|s| s.github.repos = vec![text("a/b/c")]), Some("github.repos"));
        assert_eq!(named(|s| s.log = text("apogee=loud")), Some("log"));
        assert_eq!(named(|s| s.retention.visits_days = i64::MAX), Some("retention.visits-days"));
        assert_eq!(named(|s| s.retention.unused_uploads_days = -1), Some("retention.unused-uploads-days"));
        assert_eq!(named(|s| s.backups.every_hours = u64::MAX), Some("backups.every-hours"));
        assert_eq!(named(|s| s.limits.block_minutes = u64::MAX), Some("limits.block-minutes"));
    }

    #[test]
    fn usual_forms_are_taken() {
        for listen in ["0.0.0.0:0", "[::]:8080", "localhost:8080", "stats_1.internal:80"] {
            assert_eq!(named(|s| s.listen = listen.into()), None, "{listen}");
        }
        for database in ["sqlite:a.db", "sqlite:///srv/a.db", "postgres://u:p@h/d", "postgresql:///d?host=/run"] {
            assert_eq!(named(|s| s.database_url = database.into()), None, "{database}");
        }
        assert_eq!(named(|s| s.uploads_url = "s3://bucket".into()), None);
        assert_eq!(named(|s| s.discord.public_key = Some("0aF".repeat(21) + "0")), None);
    }
}

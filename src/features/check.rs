//! Checks settings, database, directories and upstreams, and reports problems before they occur.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::config::{self, EffectiveSetting, Origin, Settings};
use crate::features::data_lock;
use crate::files::Files;
use crate::store::{conn, snapshot};
use crate::upstream::http_client::probe;

/// Less free disk space than this is a warning.
const MIN_FREE_BYTES: u64 = 1 << 30;
/// A lower limit of open files is a warning: each live stream needs one.
const MIN_OPEN_FILES: u64 = 4_096;
/// Timeout of listing the uploads.
const BUCKET_TIMEOUT: Duration = Duration::from_secs(10);

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Ok,
    Warning,
    Error,
}

/// The result of one check.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    pub level: Level,
    pub about: &'static str,
    pub text: String,
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, level: Level, about: &'static str, text: impl Into<String>) {
        self.0.push(Finding { level, about, text: text.into() });
    }

    fn ok(&mut self, about: &'static str, text: impl Into<String>) {
        self.add(Level::Ok, about, text);
    }

    fn warn(&mut self, about: &'static str, text: impl Into<String>) {
        self.add(Level::Warning, about, text);
    }

    fn error(&mut self, about: &'static str, text: impl Into<String>) {
        self.add(Level::Error, about, text);
    }
}

/// Runs all checks. Writes nothing except temporary probe files.
pub async fn check(settings: &Settings, effective: &[EffectiveSetting]) -> Vec<Finding> {
    let mut findings = Findings::default();
    address(settings, &mut findings);
    data_dir(settings, &mut findings);
    secrets(settings, &mut findings);
    database(settings, &mut findings);
    uploads(settings, &mut findings).await;
    discord(settings, &mut findings);
    proxies(settings, &mut findings);
    backups(settings, &mut findings);
    upstreams(settings, effective, &mut findings).await;
    findings.0
}

fn address(settings: &Settings, findings: &mut Findings) {
    match std::net::TcpListener::bind(&settings.listen) {
        Ok(_) => findings.ok("listen", format!("{} is free", settings.listen)),
        Err(e) if e.kind() == std::io::ErrorKind::AddrInUse => {
            findings.warn("listen", format!("{} is in use; expected if this site is running", settings.listen));
        }
        Err(e) => findings.error(
            "listen",
            format!("cannot listen on {}: {e}. Choose another address with --listen", settings.listen),
        ),
    }
    match &settings.public_url {
        None if !is_loopback(&settings.listen) => findings.warn(
            "public-url",
            "links, share cards and sign-in point to the bound address: set APOGEE_PUBLIC_URL to the public one",
        ),
        Some(url) if url.starts_with("http://") && !is_loopback(url) => {
            findings.warn("public-url", format!("{url} is not https: sign-in tokens are sent unencrypted"));
        }
        _ => {}
    }
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(files) if files < MIN_OPEN_FILES => findings.warn(
            "open files",
            format!(
                "the system allows {files}, which limits connections: raise it (LimitNOFILE= in systemd, ulimit -n)"
            ),
        ),
        Ok(files) => findings.ok("open files", format!("the system allows {files}")),
        Err(why) => findings.warn("open files", format!("the limit is unknown: {why}")),
    }
}

/// Whether a URL or an address is of this machine.
fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]")
}

fn data_dir(settings: &Settings, findings: &mut Findings) {
    let dir = &settings.data_dir;
    let shown = dir.display();
    if let Err(why) = probe_writable(dir) {
        return findings.error(
            "data-dir",
            format!("{shown} is not writable: {why}. Create it and make it writable for the user that runs apogee"),
        );
    }
    findings.ok("data-dir", format!("{shown} is writable"));
    match fs4::available_space(dir) {
        Ok(free) if free < MIN_FREE_BYTES => {
            findings.warn("data-dir", format!("only {} MiB free in {shown}", free >> 20))
        }
        Ok(free) => findings.ok("data-dir", format!("{} MiB free", free >> 20)),
        Err(why) => findings.warn("data-dir", format!("the free space of {shown} is unknown: {why}")),
    }
    match data_lock::holder(settings) {
        Some(holder) => findings.ok("data-dir", format!("in use by {holder}")),
        None => findings.ok("data-dir", "not in use by a running site"),
    }
}

/// Creates a file in a directory, which is created if missing, and removes it again.
fn probe_writable(dir: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    let probe = dir.join(format!(".check-{}.partial", std::process::id()));
    snapshot::open_private(&probe)?;
    std::fs::remove_file(probe)
}

fn secrets(settings: &Settings, findings: &mut Findings) {
    const SHORT: &str = "has fewer than 32 characters: use a longer one, such as the output of `openssl rand -hex 32`";
    if let Some(secret) = &settings.jwt_secret {
        if secret.reveal().len() < 32 {
            findings.error("jwt-secret", format!("the secret {SHORT}"));
        }
        return;
    }
    let path = settings.data_dir.join("secret");
    match std::fs::read_to_string(&path) {
        Ok(text) if text.trim().len() < 32 => {
            findings.error("jwt-secret", format!("{} {SHORT}, or remove the file", path.display()))
        }
        Ok(_) => open_to_others(&path, "jwt-secret", findings),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => findings.ok("jwt-secret", "generated at the first start"),
        Err(why) => findings.error("jwt-secret", format!("{} cannot be read: {why}", path.display())),
    }
    let file = config::default_path(&settings.data_dir);
    let has_secret = std::fs::read_to_string(&file)
        .is_ok_and(|text| ["secret", "token", "password", "postgres://"].iter().any(|word| text.contains(word)));
    if has_secret {
        open_to_others(&file, "settings", findings);
    }
}

#[cfg(unix)]
fn open_to_others(path: &Path, about: &'static str, findings: &mut Findings) {
    use std::os::unix::fs::PermissionsExt;
    match std::fs::metadata(path) {
        Ok(meta) if meta.permissions().mode() & 0o077 != 0 => {
            findings.warn(about, format!("other users can read {0}: run chmod 600 {0}", path.display()));
        }
        _ => findings.ok(about, format!("only its owner can read {}", path.display())),
    }
}

#[cfg(not(unix))]
fn open_to_others(path: &Path, about: &'static str, findings: &mut Findings) {
    findings.ok(about, format!("{} exists", path.display()));
}

fn database(settings: &Settings, findings: &mut Findings) {
    let shown = config::redact_password(&settings.database_url);
    match snapshot::inspect(&settings.database_url) {
        Ok(None) => findings.ok("database", format!("{shown} is created at the first start")),
        Ok(Some(state)) => {
            let schema = state.schema.as_deref().unwrap_or("none");
            let [players, guilds, events, users] = state.counts;
            findings.ok(
                "database",
                format!("{shown}: schema {schema}, {players} players, {guilds} guilds, {events} events, {users} users"),
            );
            if state.pending > 0 && state.schema.is_some() {
                findings.warn(
                    "database",
                    format!("{} migrations run at the next start; SQLite databases are copied first", state.pending),
                );
            }
            if let Some(file) = conn::sqlite_path(&settings.database_url) {
                match snapshot::check_integrity(&file) {
                    Ok(()) => findings.ok("database", "integrity check passed"),
                    Err(why) => {
                        findings.error("database", format!("{why}. Restore a backup with `apogee restore --force`"))
                    }
                }
            }
        }
        Err(why) => findings.error("database", format!("{shown}: {why}")),
    }
}

async fn uploads(settings: &Settings, findings: &mut Findings) {
    let shown = config::redact_password(&settings.uploads_url);
    let files = match Files::open(&settings.uploads_url) {
        Ok(files) => files,
        Err(why) => return findings.error("uploads-url", format!("{shown}: {why}")),
    };
    if let Some(folder) = settings.uploads_url.strip_prefix("file:") {
        let folder = Path::new(folder.strip_prefix("//").unwrap_or(folder));
        if let Err(why) = probe_writable(folder) {
            return findings.error("uploads-url", format!("{} is not writable: {why}", folder.display()));
        }
    }
    match tokio::time::timeout(BUCKET_TIMEOUT, files.list()).await {
        Ok(Ok(list)) => findings.ok("uploads-url", format!("{shown}: {} pictures", list.len())),
        Ok(Err(why)) => findings.error("uploads-url", format!("{shown}: {why}")),
        Err(_) => {
            findings.error("uploads-url", format!("{shown} did not respond within {} s", BUCKET_TIMEOUT.as_secs()))
        }
    }
}

fn discord(settings: &Settings, findings: &mut Findings) {
    let discord = &settings.discord;
    match (&discord.client_id, &discord.client_secret) {
        (None, None) => findings.ok("discord", "sign-in is not configured"),
        (Some(_), None) => {
            findings.error("discord.client-secret", "client id without client secret: nobody can sign in")
        }
        (None, Some(_)) => findings.error("discord.client-id", "client secret without client id: nobody can sign in"),
        (Some(id), Some(_)) if !is_snowflake(id) => {
            findings.error("discord.client-id", format!("invalid id '{id}': expected 15 to 20 digits"));
        }
        (Some(_), Some(_)) => {
            let origin = settings.public_url.clone().unwrap_or_else(|| format!("http://{}", settings.listen));
            findings.ok("discord", format!("sign-in is configured; register the redirect {origin}/link with Discord"));
        }
    }
    match (&discord.bot_token, &discord.client_id) {
        (Some(_), None) => {
            findings.error("discord.client-id", "bot token without client id: commands cannot be registered")
        }
        (Some(_), Some(_)) if discord.public_key.is_none() => {
            findings.error("discord.public-key", "bot token without public key: every slash command would be rejected");
        }
        _ => {}
    }
    for id in settings.admin_discord_ids.iter().filter(|id| !is_snowflake(id)) {
        findings.error("admin-discord-ids", format!("invalid id '{id}': expected 15 to 20 digits, not a name"));
    }
}

fn is_snowflake(text: &str) -> bool {
    (15..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

fn proxies(settings: &Settings, findings: &mut Findings) {
    let is_behind = settings.public_url.as_deref().is_some_and(|url| url.starts_with("https://"));
    if is_behind && settings.trusted_proxies.is_empty() {
        findings.warn(
            "trusted-proxies",
            "the site is behind https and no proxy is trusted: all visitors share one rate limit. Add the proxy's address",
        );
    }
    if settings.metrics_open {
        findings.warn("metrics-open", "anyone who reaches this address can read /metrics");
    }
    if !settings.limits.enabled {
        findings.warn("limits.enabled", "rate limits are off: one address can use all resources");
    }
}

fn backups(settings: &Settings, findings: &mut Findings) {
    if settings.backups.every_hours == 0 {
        return findings.warn("backups", "automatic backups are off; `apogee backup FILE` creates one");
    }
    let dir = &settings.backups.dir;
    match probe_writable(dir) {
        Ok(()) => findings.ok(
            "backups",
            format!("every {} h in {}, {} kept", settings.backups.every_hours, dir.display(), settings.backups.keep),
        ),
        Err(why) => findings.error("backups.dir", format!("{} is not writable: {why}", dir.display())),
    }
}

/// A configured upstream that does not respond is an error; a default one is a warning.
async fn upstreams(settings: &Settings, effective: &[EffectiveSetting], findings: &mut Findings) {
    let is_default = |key: &str| {
        effective.iter().find(|setting| setting.key == key).is_none_or(|setting| setting.origin == Origin::Default)
    };
    let mut sites = vec![("game-site-url", settings.game_site_url.clone())];
    if settings.discord.client_id.is_some() {
        sites.push(("discord.api-url", format!("{}/gateway", settings.discord.api_url)));
    }
    if !settings.github.repos.is_empty() {
        sites.push(("github.api-url", settings.github.api_url.clone()));
    }
    let probes = sites.into_iter().map(|(about, url)| async move { (about, probe(&url).await, url) });
    for (about, outcome, url) in futures_util::future::join_all(probes).await {
        match outcome {
            Ok(status) if status < 500 => findings.ok(about, format!("{url} responds")),
            Ok(status) => findings.warn(about, format!("{url} responds with {status}")),
            Err(why) if is_default(about) => findings.warn(about, format!("{url}: {why}")),
            Err(why) => findings.error(about, format!("{url}: {why}")),
        }
    }
}

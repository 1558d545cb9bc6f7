//! The list itself: a line for each setting, in the order of the example file.

use super::{Key, redact_password};
use crate::config::{Secret, Settings};

const fn key(
    name: &'static str,
    (env, flag): (Option<&'static str>, Option<&'static str>),
    doc: &'static str,
    example: &'static str,
    display: fn(&Settings) -> String,
) -> Key {
    Key { name, env, flag, doc, example, display }
}

fn text(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(|| "(none)".into())
}

fn secret(value: &Option<Secret>) -> String {
    if value.is_some() { "*** (set)".into() } else { "(none)".into() }
}

fn list<T: ToString>(values: &[T]) -> String {
    if values.is_empty() { "(none)".into() } else { values.iter().map(T::to_string).collect::<Vec<_>>().join(", ") }
}

const NO_ENV: (Option<&str>, Option<&str>) = (None, None);

/// Every setting, in the order of the example file.
pub const KEYS: &[Key] = &[
    key(
        "listen",
        (Some("APOGEE_LISTEN"), Some("--listen")),
        "Address to serve on; port 0 picks one.",
        "\"127.0.0.1:8080\"",
        |s| s.listen.clone(),
    ),
    key(
        "data-dir",
        (Some("APOGEE_DATA_DIR"), Some("--data-dir")),
        "Database, uploads, search index, generated secret. Only read from a file named with --config.",
        "\"./data\"",
        |s| s.data_dir.display().to_string(),
    ),
    key(
        "database-url",
        (Some("APOGEE_DATABASE_URL"), Some("--database-url")),
        "sqlite:PATH or postgres://user:password@host/database",
        "\"sqlite:./data/apogee.db\"",
        |s| redact_password(&s.database_url),
    ),
    key(
        "public-url",
        (Some("APOGEE_PUBLIC_URL"), Some("--public-url")),
        "Origin of links, share cards and the sign-in redirect; without it, the address that was bound.",
        "\"https://stats.example.org\"",
        |s| text(&s.public_url),
    ),
    key(
        "jwt-secret",
        (Some("APOGEE_JWT_SECRET"), None),
        "Signing secret; without one it is made at first start and kept in the data directory.",
        "\"at least 32 random characters\"",
        |s| secret(&s.jwt_secret),
    ),
    key(
        "game-site-url",
        (Some("APOGEE_GAME_SITE_URL"), None),
        "Where citizen and organization pages are read.",
        "\"https://robertsspaceindustries.com\"",
        |s| s.game_site_url.clone(),
    ),
    key(
        "admin-discord-ids",
        (Some("APOGEE_ADMIN_DISCORD_IDS"), None),
        "Discord ids of those who get the admin view.",
        "[]",
        |s| list(&s.admin_discord_ids),
    ),
    key(
        "trusted-proxies",
        (Some("APOGEE_TRUSTED_PROXIES"), None),
        "Only these peers' Forwarded and X-Forwarded-For headers are believed.",
        "[]",
        |s| list(&s.trusted_proxies),
    ),
    key(
        "uploads-url",
        (Some("APOGEE_UPLOADS_URL"), None),
        "file:PATH or s3://bucket/prefix with the usual AWS variables.",
        "\"file:./data/uploads\"",
        |s| redact_password(&s.uploads_url),
    ),
    key(
        "log",
        (Some("APOGEE_LOG"), None),
        "What is logged, as a filter of tracing: \"info\", \"warn\", \"apogee=debug,info\" …",
        "\"info\"",
        |s| s.log.clone(),
    ),
    key("log-format", (Some("APOGEE_LOG_FORMAT"), None), "\"text\", or \"json\" for JSON lines.", "\"text\"", |s| {
        if s.log_json { "json" } else { "text" }.into()
    }),
    key("metrics-open", NO_ENV, "Let /metrics answer to more than loopback.", "false", |s| s.metrics_open.to_string()),
    key("patch", NO_ENV, "Shown while no event has told of a patch.", "\"ALPHA 4.3.2\"", |s| s.patch.clone()),
    key(
        "discord.client-id",
        (Some("APOGEE_DISCORD_CLIENT_ID"), None),
        "Of the application; without it nobody can sign in.",
        "\"\"",
        |s| text(&s.discord.client_id),
    ),
    key(
        "discord.client-secret",
        (Some("APOGEE_DISCORD_CLIENT_SECRET"), None),
        "Of the application, for sign-in.",
        "\"\"",
        |s| secret(&s.discord.client_secret),
    ),
    key(
        "discord.public-key",
        (Some("APOGEE_DISCORD_PUBLIC_KEY"), None),
        "Of the application; interactions of the bot are signed with it.",
        "\"\"",
        |s| text(&s.discord.public_key),
    ),
    key(
        "discord.bot-token",
        (Some("APOGEE_DISCORD_BOT_TOKEN"), None),
        "Of the application's bot, for slash commands and feeds.",
        "\"\"",
        |s| secret(&s.discord.bot_token),
    ),
    key(
        "discord.api-url",
        (Some("APOGEE_DISCORD_API_URL"), None),
        "Base of Discord's API.",
        "\"https://discord.com/api/v10\"",
        |s| s.discord.api_url.clone(),
    ),
    key(
        "discord.authorize-url",
        (Some("APOGEE_DISCORD_AUTHORIZE_URL"), None),
        "Where people are sent to sign in.",
        "\"https://discord.com/oauth2/authorize\"",
        |s| s.discord.authorize_url.clone(),
    ),
    key(
        "discord.cdn-url",
        (Some("APOGEE_DISCORD_CDN_URL"), None),
        "Base of the host that serves Discord's pictures. Avatars are fetched from there and served from this site.",
        "\"https://cdn.discordapp.com\"",
        |s| s.discord.cdn_url.clone(),
    ),
    key(
        "github.api-url",
        (Some("APOGEE_GITHUB_API_URL"), None),
        "Base of GitHub's API.",
        "\"https://api.github.com\"",
        |s| s.github.api_url.clone(),
    ),
    key(
        "github.repos",
        (Some("APOGEE_GITHUB_REPOS"), None),
        "Repositories whose commits are shown, each as owner/name.",
        "[]",
        |s| list(&s.github.repos),
    ),
    key("github.webhook-secret", (Some("APOGEE_GITHUB_WEBHOOK_SECRET"), None), "Of the push webhook.", "\"\"", |s| {
        secret(&s.github.webhook_secret)
    }),
    key("retention.visits-days", NO_ENV, "Days that single page visits are kept; daily sums stay.", "5", |s| {
        s.retention.visits_days.to_string()
    }),
    key("retention.unused-uploads-days", NO_ENV, "Days that pictures are kept which no settings name.", "1", |s| {
        s.retention.unused_uploads_days.to_string()
    }),
    key(
        "backups.every-hours",
        NO_ENV,
        "Hours between two backups that the running site makes by itself; 0 makes none.",
        "24",
        |s| s.backups.every_hours.to_string(),
    ),
    key("backups.keep", NO_ENV, "How many of them are kept.", "7", |s| s.backups.keep.to_string()),
    key("backups.dir", NO_ENV, "Where they lie; another disk is better.", "\"./data/backups\"", |s| {
        s.backups_dir().display().to_string()
    }),
    key("rosters.enabled", NO_ENV, "Whether member lists of guilds are read from the game's site.", "true", |s| {
        s.rosters.enabled.to_string()
    }),
    key(
        "rosters.pages-per-minute",
        NO_ENV,
        "Pages of 32 members that are read each minute, from 1 to 60. People who wait for the game's site come first.",
        "6",
        |s| s.rosters.pages_per_minute.to_string(),
    ),
    key(
        "rosters.every-hours",
        NO_ENV,
        "Hours between two readings of a guild that is claimed or viewed; all others are read once a week.",
        "24",
        |s| s.rosters.every_hours.to_string(),
    ),
    key("limits.enabled", NO_ENV, "Whether requests are counted at all.", "true", |s| s.limits.enabled.to_string()),
    key(
        "limits.loopback",
        NO_ENV,
        "Whether requests from this machine are counted; those of a trusted proxy count for whom it names.",
        "false",
        |s| s.limits.loopback.to_string(),
    ),
    key(
        "limits.reads",
        NO_ENV,
        "Reading calls of the API, each minute and address (IPv6: /64), and each account. As many may come at once.",
        "1200",
        |s| s.limits.reads.to_string(),
    ),
    key(
        "limits.pages",
        NO_ENV,
        "Pages and share cards, each minute; their scripts and pictures are free.",
        "300",
        |s| s.limits.pages.to_string(),
    ),
    key("limits.writes", NO_ENV, "Calls that change something, each minute.", "120", |s| s.limits.writes.to_string()),
    key("limits.uploads", NO_ENV, "Pictures sent in, each minute.", "30", |s| s.limits.uploads.to_string()),
    key("limits.ingests", NO_ENV, "Batches of events, each minute.", "600", |s| s.limits.ingests.to_string()),
    key("limits.streams", NO_ENV, "Live streams opened, each minute.", "120", |s| s.limits.streams.to_string()),
    key("limits.streams-per-address", NO_ENV, "Live streams of one address, open at the same time.", "30", |s| {
        s.limits.streams_per_address.to_string()
    }),
    key("limits.streams-in-all", NO_ENV, "Live streams of everybody, open at the same time.", "10000", |s| {
        s.limits.streams_in_all.to_string()
    }),
    key(
        "limits.connections",
        NO_ENV,
        "Connections of everybody; never more than the system's limit of open files leaves room for.",
        "40000",
        |s| s.limits.connections.to_string(),
    ),
    key(
        "limits.block-after",
        NO_ENV,
        "Refused requests within a minute after which an address is shut out.",
        "300",
        |s| s.limits.block_after.to_string(),
    ),
    key("limits.block-minutes", NO_ENV, "For how many minutes.", "10", |s| s.limits.block_minutes.to_string()),
    key("site.name", NO_ENV, "Name of the site.", "\"Apogee\"", |s| s.site.name.clone()),
    key("site.game", NO_ENV, "Name of the game.", "\"Star Citizen\"", |s| s.site.game.clone()),
    key(
        "site.community_url",
        NO_ENV,
        "Chat community of the site. Links without an address are not shown.",
        "\"\"",
        |s| s.site.community_url.clone(),
    ),
    key("site.support_url", NO_ENV, "Where visitors get help.", "\"\"", |s| s.site.support_url.clone()),
    key("site.kanban_url", NO_ENV, "Board with the plans for the site.", "\"\"", |s| s.site.kanban_url.clone()),
    key(
        "site.bot_invite_url",
        NO_ENV,
        "Invites the bot to a server; empty uses the Discord client id, when one is set.",
        "\"\"",
        |s| s.site.bot_invite_url.clone(),
    ),
    key("site.installer_url", NO_ENV, "Download of the log reader.", "\"\"", |s| s.site.installer_url.clone()),
    key("site.source_url", NO_ENV, "Source code of the site.", "\"\"", |s| s.site.source_url.clone()),
    key(
        "site.support_contact",
        NO_ENV,
        "Mail address or other contact that the texts name. Sentences with the contact are left out while it is empty.",
        "\"\"",
        |s| s.site.support_contact.clone(),
    ),
    key("site.effective_date", NO_ENV, "Of terms and privacy notice.", "\"June 30, 2025\"", |s| {
        s.site.effective_date.clone()
    }),
    key("site.bot_servers", NO_ENV, "How many servers the bot is in, while no bot token tells.", "\"600+\"", |s| {
        s.site.bot_servers.clone()
    }),
    key("site.bot_users", NO_ENV, "How many people the bot reaches.", "\"100k+\"", |s| s.site.bot_users.clone()),
    key(
        "site.trademark",
        NO_ENV,
        "At the foot of every page.",
        "\"Star Citizen® is a registered trademark of Cloud Imperium Rights LLC. This site is made by players and is not affiliated with the game's makers.\"",
        |s| s.site.trademark.clone(),
    ),
    key(
        "site.slogans",
        NO_ENV,
        "One of them greets on the home page.",
        "[\"Every flight leaves a trace.\", \"Your verse, by the numbers.\", \"Fly it. Log it. Own it.\", \"The record of every dogfight.\", \"Know who rules the black.\"]",
        |s| s.site.slogans.join(" | "),
    ),
];

pub(super) const TABLES: [(&str, &str); 7] = [
    ("discord", "Sign-in and bot. Without them the site says \"not configured\"."),
    ("github", "The commit feed."),
    ("retention", "How long things are kept."),
    ("backups", "Copies of database and uploads, made beside the running site."),
    ("rosters", "Member lists of guilds, read from the game's site in the background."),
    ("limits", "How much one address or account may ask for."),
    ("site", "Texts and outside links."),
];

/// Tables of which there may be many: told apart from single keys.
pub(super) const STICKERS: &str = "
# Stickers of player profiles, in place of the nine that come with the program; one table for each. Its picture is
# static/stickers/ID.png in the data directory. rarity: common, rare or epic; category: social, gameplay, default or in-game.
# rule: { player-kills = N }, { soft-deaths = N }, { views = N }, { entered = [\"class\", …] } (beginnings of vehicle classes in
# lower case), { played-between = [\"YYYY-MM-DD\", \"YYYY-MM-DD\"] }, { claimed-between = [the same] }, or \"granted\" (by hand).
#: [[stickers]]
#: id = \"683583\"
#: name = \"Banana for scale\"
#: description = \"Everything is measured against it\"
#: rarity = \"common\"
#: requirement = \"Get your first player kill\"
#: category = \"default\"
#: rule = { player-kills = 1 }
";

pub(super) const WEBHOOKS: &str = "
# Addresses that are told what happens here, signed as standardwebhooks.com describes; one table for each.
# events: activity (rows of the feed), commit, note (what an admin should look at). The key has at least 16 characters.
#: [[webhooks]]
#: name = \"my-service\"
#: url = \"https://example.org/apogee\"
#: secret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"
#: events = [\"activity\", \"commit\", \"note\"]
";

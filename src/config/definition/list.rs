//! Every setting, in the order of the example file.

use super::checks::*;
use super::{DefaultValue, Definition, define, join, mask, or_none, redact_password, store};
use crate::domain::patches::Patch;

/// A hundred years; more overflows epoch milliseconds.
const MAX_RETENTION_DAYS: i64 = 36_500;
/// Ten years.
const MAX_BACKUP_HOURS: u64 = 87_600;
/// One year.
const MAX_ROSTER_HOURS: u32 = 8_760;
/// Far more than anybody does.
const MAX_TRUST_COUNT: u32 = 1_000_000;
/// One year.
const MAX_BLOCK_MINUTES: u64 = 525_600;

pub const DEFINITIONS: &[Definition] = &[
    define(
        "listen",
        "Address to listen on; port 0 picks a free port.",
        DefaultValue::Toml("\"127.0.0.1:8080\""),
        |s, v| store(&mut s.listen, v.text(is_listen_address, "ADDRESS:PORT, such as 127.0.0.1:8080 or [::]:8080")),
        |s| s.listen.clone(),
    )
    .env("APOGEE_LISTEN")
    .flag("ADDR"),
    define(
        "data-dir",
        "Directory of the database, uploads, search index and generated secret.",
        DefaultValue::Toml("\"./data\""),
        |s, v| store(&mut s.data_dir, v.path()),
        |s| s.data_dir.display().to_string(),
    )
    .env("APOGEE_DATA_DIR")
    .flag("DIR"),
    define(
        "database-url",
        "`sqlite:PATH` or `postgres://USER:PASSWORD@HOST/DATABASE`.",
        DefaultValue::InDataDir { scheme: "sqlite:", name: "apogee.db" },
        |s, v| store(&mut s.database_url, v.masked_text(is_database_url, "sqlite:PATH or postgres://USER@HOST/NAME")),
        |s| redact_password(&s.database_url),
    )
    .env("APOGEE_DATABASE_URL")
    .flag("URL"),
    define(
        "public-url",
        "Origin of links, share cards and the sign-in redirect. Without it, the bound address is used.",
        DefaultValue::Unset { example: "\"https://stats.example.org\"" },
        |s, v| store(&mut s.public_url, v.optional_url()),
        |s| or_none(&s.public_url),
    )
    .env("APOGEE_PUBLIC_URL")
    .flag("URL")
    .hidden(),
    define(
        "jwt-secret",
        "Signing secret. Without it, one is generated at the first start and stored in the data directory.",
        DefaultValue::Unset { example: "\"at least 32 random characters\"" },
        |s, v| store(&mut s.jwt_secret, v.secret(accept_any, "text")),
        |s| mask(&s.jwt_secret),
    )
    .env("APOGEE_JWT_SECRET"),
    define(
        "game-site-url",
        "Site that citizen and organization pages are read from.",
        DefaultValue::Toml("\"https://robertsspaceindustries.com\""),
        |s, v| store(&mut s.game_site_url, v.url()),
        |s| s.game_site_url.clone(),
    )
    .env("APOGEE_GAME_SITE_URL"),
    define(
        "admin-discord-ids",
        "Discord ids of the admins.",
        DefaultValue::Toml("[]"),
        |s, v| {
            store(&mut s.admin_discord_ids, v.list(is_discord_id, "Discord ids, which are digits, separated by commas"))
        },
        |s| join(&s.admin_discord_ids),
    )
    .env("APOGEE_ADMIN_DISCORD_IDS"),
    define(
        "trusted-proxies",
        "Addresses of the proxies whose `Forwarded` and `X-Forwarded-For` headers are trusted.",
        DefaultValue::Toml("[]"),
        |s, v| store(&mut s.trusted_proxies, v.addresses()),
        |s| join(&s.trusted_proxies),
    )
    .env("APOGEE_TRUSTED_PROXIES"),
    define(
        "uploads-url",
        "`file:DIR`, or `s3://BUCKET/PREFIX` with the usual AWS variables.",
        DefaultValue::InDataDir { scheme: "file:", name: "uploads" },
        |s, v| store(&mut s.uploads_url, v.masked_text(is_uploads_url, "file:DIR or s3://BUCKET/PREFIX")),
        |s| redact_password(&s.uploads_url),
    )
    .env("APOGEE_UPLOADS_URL"),
    define(
        "log",
        "Log filter in the syntax of tracing, such as \"info\", \"warn\" or \"apogee=debug,info\".",
        DefaultValue::Toml("\"info\""),
        |s, v| store(&mut s.log, v.text(is_log_filter, "a filter such as info or apogee=debug,info")),
        |s| s.log.clone(),
    )
    .env("APOGEE_LOG"),
    define(
        "log-format",
        "\"text\", or \"json\" for JSON lines.",
        DefaultValue::Toml("\"text\""),
        |s, v| {
            store(
                &mut s.log_json,
                v.text(|text| matches!(text, "text" | "json"), "'text' or 'json'").map(|text| text == "json"),
            )
        },
        |s| if s.log_json { "json" } else { "text" }.into(),
    )
    .env("APOGEE_LOG_FORMAT"),
    define(
        "metrics-open",
        "Whether /metrics answers callers other than loopback.",
        DefaultValue::Toml("false"),
        |s, v| store(&mut s.metrics_open, v.value()),
        |s| s.metrics_open.to_string(),
    ),
    define(
        "patch",
        "Name of the current patch until an event names one.",
        DefaultValue::Toml("\"ALPHA 4.3.2\""),
        |s, v| store(&mut s.patch, v.value()),
        |s| s.patch.clone(),
    ),
    define(
        "discord.client-id",
        "Application id. Without it, nobody can sign in.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.discord.client_id, v.optional_text(is_discord_id, "the digits of the application id")),
        |s| or_none(&s.discord.client_id),
    )
    .env("APOGEE_DISCORD_CLIENT_ID"),
    define(
        "discord.client-secret",
        "Client secret of the application, for sign-in.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.discord.client_secret, v.secret(accept_any, "text")),
        |s| mask(&s.discord.client_secret),
    )
    .env("APOGEE_DISCORD_CLIENT_SECRET"),
    define(
        "discord.public-key",
        "Public key of the application. It verifies interactions.",
        DefaultValue::Toml("\"\""),
        |s, v| {
            store(
                &mut s.discord.public_key,
                v.optional_text(is_public_key, "the 64 hexadecimal digits of the public key"),
            )
        },
        |s| or_none(&s.discord.public_key),
    )
    .env("APOGEE_DISCORD_PUBLIC_KEY"),
    define(
        "discord.bot-token",
        "Token of the bot, for slash commands and feeds.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.discord.bot_token, v.secret(is_token, "the bot token, without spaces")),
        |s| mask(&s.discord.bot_token),
    )
    .env("APOGEE_DISCORD_BOT_TOKEN"),
    define(
        "discord.api-url",
        "Base URL of the Discord API.",
        DefaultValue::Toml("\"https://discord.com/api/v10\""),
        |s, v| store(&mut s.discord.api_url, v.url()),
        |s| s.discord.api_url.clone(),
    )
    .env("APOGEE_DISCORD_API_URL"),
    define(
        "discord.authorize-url",
        "Page of Discord that starts a sign-in.",
        DefaultValue::Toml("\"https://discord.com/oauth2/authorize\""),
        |s, v| store(&mut s.discord.authorize_url, v.url()),
        |s| s.discord.authorize_url.clone(),
    )
    .env("APOGEE_DISCORD_AUTHORIZE_URL"),
    define(
        "discord.cdn-url",
        "Base URL of Discord's image host. Avatars are fetched from it and served by this site.",
        DefaultValue::Toml("\"https://cdn.discordapp.com\""),
        |s, v| store(&mut s.discord.cdn_url, v.url()),
        |s| s.discord.cdn_url.clone(),
    )
    .env("APOGEE_DISCORD_CDN_URL"),
    define(
        "github.api-url",
        "Base URL of the GitHub API.",
        DefaultValue::Toml("\"https://api.github.com\""),
        |s, v| store(&mut s.github.api_url, v.url()),
        |s| s.github.api_url.clone(),
    )
    .env("APOGEE_GITHUB_API_URL"),
    define(
        "github.repos",
        "Repositories whose commits are shown, each as OWNER/NAME.",
        DefaultValue::Toml("[]"),
        |s, v| store(&mut s.github.repos, v.list(is_repository, "OWNER/NAME")),
        |s| join(&s.github.repos),
    )
    .env("APOGEE_GITHUB_REPOS"),
    define(
        "github.webhook-secret",
        "Secret of the push webhook.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.github.webhook_secret, v.secret(accept_any, "text")),
        |s| mask(&s.github.webhook_secret),
    )
    .env("APOGEE_GITHUB_WEBHOOK_SECRET"),
    define(
        "retention.visits-days",
        "Days to keep single page visits; daily totals are kept forever.",
        DefaultValue::Toml("5"),
        |s, v| store(&mut s.retention.visits_days, v.number(0..=MAX_RETENTION_DAYS, "0 to 36500 days")),
        |s| s.retention.visits_days.to_string(),
    ),
    define(
        "retention.unused-uploads-days",
        "Days to keep uploaded pictures that no profile or guild uses.",
        DefaultValue::Toml("1"),
        |s, v| store(&mut s.retention.unused_uploads_days, v.number(0..=MAX_RETENTION_DAYS, "0 to 36500 days")),
        |s| s.retention.unused_uploads_days.to_string(),
    ),
    define(
        "backups.every-hours",
        "Hours between two automatic backups; 0 disables them.",
        DefaultValue::Toml("24"),
        |s, v| store(&mut s.backups.every_hours, v.number(0..=MAX_BACKUP_HOURS, "0 to 87600 hours")),
        |s| s.backups.every_hours.to_string(),
    ),
    define(
        "backups.keep",
        "Number of automatic backups to keep.",
        DefaultValue::Toml("7"),
        |s, v| {
            store(&mut s.backups.keep, v.number(1..=usize::MAX, "a number from 1; `every-hours = 0` disables backups"))
        },
        |s| s.backups.keep.to_string(),
    ),
    define(
        "backups.dir",
        "Directory of the automatic backups; another disk is safer.",
        DefaultValue::InDataDir { scheme: "", name: "backups" },
        |s, v| store(&mut s.backups.dir, v.path()),
        |s| s.backups.dir.display().to_string(),
    ),
    define(
        "rosters.enabled",
        "Whether member lists of guilds are read from the game's site.",
        DefaultValue::Toml("true"),
        |s, v| store(&mut s.rosters.enabled, v.value()),
        |s| s.rosters.enabled.to_string(),
    ),
    define(
        "rosters.pages-per-minute",
        "Pages of 32 members to read per minute, 1 to 60. Requests that a visitor waits for come first.",
        DefaultValue::Toml("6"),
        |s, v| store(&mut s.rosters.pages_per_minute, v.number(1..=60, "1 to 60; `enabled = false` disables rosters")),
        |s| s.rosters.pages_per_minute.to_string(),
    ),
    define(
        "rosters.every-hours",
        "Hours between two readings of a claimed or viewed guild; other guilds are read once a week.",
        DefaultValue::Toml("24"),
        |s, v| store(&mut s.rosters.every_hours, v.number(1..=MAX_ROSTER_HOURS, "1 to 8760 hours")),
        |s| s.rosters.every_hours.to_string(),
    ),
    define(
        "limits.enabled",
        "Whether rate limits apply.",
        DefaultValue::Toml("true"),
        |s, v| store(&mut s.limits.enabled, v.value()),
        |s| s.limits.enabled.to_string(),
    ),
    define(
        "limits.loopback",
        "Whether rate limits apply to requests from this machine. Requests through a trusted proxy count for the client.",
        DefaultValue::Toml("false"),
        |s, v| store(&mut s.limits.loopback, v.value()),
        |s| s.limits.loopback.to_string(),
    ),
    define(
        "limits.reads",
        "Read requests to the API per minute, for each address (IPv6: /64) and each account; also the burst size.",
        DefaultValue::Toml("1200"),
        |s, v| {
            store(&mut s.limits.reads, v.number(1..=u32::MAX, "a number from 1; `enabled = false` disables all limits"))
        },
        |s| s.limits.reads.to_string(),
    ),
    define(
        "limits.pages",
        "Pages and share cards per minute; scripts and pictures are not counted.",
        DefaultValue::Toml("300"),
        |s, v| {
            store(&mut s.limits.pages, v.number(1..=u32::MAX, "a number from 1; `enabled = false` disables all limits"))
        },
        |s| s.limits.pages.to_string(),
    ),
    define(
        "limits.writes",
        "Requests that change something, per minute.",
        DefaultValue::Toml("120"),
        |s, v| {
            store(
                &mut s.limits.writes,
                v.number(1..=u32::MAX, "a number from 1; `enabled = false` disables all limits"),
            )
        },
        |s| s.limits.writes.to_string(),
    ),
    define(
        "limits.uploads",
        "Uploaded pictures per minute.",
        DefaultValue::Toml("30"),
        |s, v| {
            store(
                &mut s.limits.uploads,
                v.number(1..=u32::MAX, "a number from 1; `enabled = false` disables all limits"),
            )
        },
        |s| s.limits.uploads.to_string(),
    ),
    define(
        "limits.ingests",
        "Batches of events per minute.",
        DefaultValue::Toml("600"),
        |s, v| {
            store(
                &mut s.limits.ingests,
                v.number(1..=u32::MAX, "a number from 1; `enabled = false` disables all limits"),
            )
        },
        |s| s.limits.ingests.to_string(),
    ),
    define(
        "limits.streams",
        "New live streams per minute.",
        DefaultValue::Toml("120"),
        |s, v| {
            store(
                &mut s.limits.streams,
                v.number(1..=u32::MAX, "a number from 1; `enabled = false` disables all limits"),
            )
        },
        |s| s.limits.streams.to_string(),
    ),
    define(
        "limits.streams-per-address",
        "Open live streams per address.",
        DefaultValue::Toml("30"),
        |s, v| store(&mut s.limits.streams_per_address, v.value()),
        |s| s.limits.streams_per_address.to_string(),
    ),
    define(
        "limits.streams-in-all",
        "Open live streams in total.",
        DefaultValue::Toml("10000"),
        |s, v| store(&mut s.limits.streams_in_all, v.value()),
        |s| s.limits.streams_in_all.to_string(),
    ),
    define(
        "limits.connections",
        "Open connections in total. The limit of open files lowers it.",
        DefaultValue::Toml("40000"),
        |s, v| store(&mut s.limits.connections, v.value()),
        |s| s.limits.connections.to_string(),
    ),
    define(
        "limits.block-after",
        "Rejected requests per minute after which an address is blocked.",
        DefaultValue::Toml("300"),
        |s, v| {
            store(
                &mut s.limits.block_after,
                v.number(1..=u32::MAX, "a number from 1; `enabled = false` disables all limits"),
            )
        },
        |s| s.limits.block_after.to_string(),
    ),
    define(
        "limits.block-minutes",
        "Minutes that an address is blocked.",
        DefaultValue::Toml("10"),
        |s, v| store(&mut s.limits.block_minutes, v.number(0..=MAX_BLOCK_MINUTES, "0 to 525600 minutes")),
        |s| s.limits.block_minutes.to_string(),
    ),
    define(
        "trust.fights-per-minute",
        "Kills and vehicle losses of one killer in 60 s that an account can report.",
        DefaultValue::Toml("20"),
        |s, v| store(&mut s.trust.limits[0].count, v.number(0..=MAX_TRUST_COUNT, "0 to 1000000")),
        |s| s.trust.limits[0].count.to_string(),
    ),
    define(
        "trust.fights-per-ten-minutes",
        "The same in 10 minutes.",
        DefaultValue::Toml("60"),
        |s, v| store(&mut s.trust.limits[1].count, v.number(0..=MAX_TRUST_COUNT, "0 to 1000000")),
        |s| s.trust.limits[1].count.to_string(),
    ),
    define(
        "trust.fights-per-hour",
        "The same in an hour.",
        DefaultValue::Toml("200"),
        |s, v| store(&mut s.trust.limits[2].count, v.number(0..=MAX_TRUST_COUNT, "0 to 1000000")),
        |s| s.trust.limits[2].count.to_string(),
    ),
    define(
        "trust.player-kills-per-hour",
        "Kills of players by one killer in an hour that an account can report.",
        DefaultValue::Toml("30"),
        |s, v| store(&mut s.trust.limits[3].count, v.number(0..=MAX_TRUST_COUNT, "0 to 1000000")),
        |s| s.trust.limits[3].count.to_string(),
    ),
    define(
        "trust.player-kills-per-day",
        "The same in a day.",
        DefaultValue::Toml("100"),
        |s, v| store(&mut s.trust.limits[4].count, v.number(0..=MAX_TRUST_COUNT, "0 to 1000000")),
        |s| s.trust.limits[4].count.to_string(),
    ),
    define(
        "trust.contracts-per-hour",
        "Completed contracts in an hour that an account can report.",
        DefaultValue::Toml("40"),
        |s, v| store(&mut s.trust.limits[5].count, v.number(0..=MAX_TRUST_COUNT, "0 to 1000000")),
        |s| s.trust.limits[5].count.to_string(),
    ),
    define(
        "trust.contracts-per-day",
        "The same in a day.",
        DefaultValue::Toml("200"),
        |s, v| store(&mut s.trust.limits[6].count, v.number(0..=MAX_TRUST_COUNT, "0 to 1000000")),
        |s| s.trust.limits[6].count.to_string(),
    ),
    define(
        "trust.events-per-day",
        "Events that one account can report in a UTC day.",
        DefaultValue::Toml("50000"),
        |s, v| store(&mut s.trust.events_per_day, v.number(0..=MAX_TRUST_COUNT, "0 to 1000000")),
        |s| s.trust.events_per_day.to_string(),
    ),
    define(
        "trust.last-fight-patch",
        "Last patch whose builds write kills and vehicle losses to the log. Accounts' reports of them from later builds are \
         rejected; `any` rejects none.",
        DefaultValue::Toml("\"4.3\""),
        |s, v| store(&mut s.trust.last_fight_patch, v.parsed(last_fight_patch, "a patch, such as 4.3, or any")),
        |s| s.trust.last_fight_patch.map_or_else(|| "any".to_owned(), Patch::number_of),
    )
    .env("APOGEE_TRUST_LAST_FIGHT_PATCH"),
    define(
        "site.name",
        "Name of the site.",
        DefaultValue::Toml("\"Apogee\""),
        |s, v| store(&mut s.site.name, v.value()),
        |s| s.site.name.clone(),
    ),
    define(
        "site.game",
        "Name of the game.",
        DefaultValue::Toml("\"Star Citizen\""),
        |s, v| store(&mut s.site.game, v.value()),
        |s| s.site.game.clone(),
    ),
    define(
        "site.community_url",
        "Chat community of the site. Links without an address are not shown.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.site.community_url, v.link()),
        |s| s.site.community_url.clone(),
    ),
    define(
        "site.support_url",
        "Support page.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.site.support_url, v.link()),
        |s| s.site.support_url.clone(),
    ),
    define(
        "site.kanban_url",
        "Roadmap of the site.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.site.kanban_url, v.link()),
        |s| s.site.kanban_url.clone(),
    ),
    define(
        "site.bot_invite_url",
        "Invite link of the bot; empty builds one from the Discord client id, if set.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.site.bot_invite_url, v.link()),
        |s| s.site.bot_invite_url.clone(),
    ),
    define(
        "site.installer_url",
        "Download of the log reader.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.site.installer_url, v.link()),
        |s| s.site.installer_url.clone(),
    ),
    define(
        "site.source_url",
        "Source code of the site.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.site.source_url, v.link()),
        |s| s.site.source_url.clone(),
    ),
    define(
        "site.support_contact",
        "Mail address or other contact for the texts. While it is empty, sentences with the contact are left out.",
        DefaultValue::Toml("\"\""),
        |s, v| store(&mut s.site.support_contact, v.value()),
        |s| s.site.support_contact.clone(),
    ),
    define(
        "site.effective_date",
        "Date of the terms and the privacy notice.",
        DefaultValue::Toml("\"June 30, 2025\""),
        |s, v| store(&mut s.site.effective_date, v.value()),
        |s| s.site.effective_date.clone(),
    ),
    define(
        "site.bot_servers",
        "Number of servers with the bot, shown until Discord reports it.",
        DefaultValue::Toml("\"600+\""),
        |s, v| store(&mut s.site.bot_servers, v.value()),
        |s| s.site.bot_servers.clone(),
    ),
    define(
        "site.bot_users",
        "Number of users that the bot reaches.",
        DefaultValue::Toml("\"100k+\""),
        |s, v| store(&mut s.site.bot_users, v.value()),
        |s| s.site.bot_users.clone(),
    ),
    define(
        "site.trademark",
        "Notice at the foot of every page.",
        DefaultValue::Toml(
            "\"Star Citizen® is a registered trademark of Cloud Imperium Rights LLC. This site is made by players and is not affiliated with the game's makers.\"",
        ),
        |s, v| store(&mut s.site.trademark, v.value()),
        |s| s.site.trademark.clone(),
    ),
    define(
        "site.slogans",
        "Slogans of the home page, which shows one at random.",
        DefaultValue::Toml(
            "[\"Every flight leaves a trace.\", \"Your verse, by the numbers.\", \"Fly it. Log it. Own it.\", \"The record of every dogfight.\", \"Know who rules the black.\"]",
        ),
        |s, v| store(&mut s.site.slogans, v.value()),
        |s| s.site.slogans.join(" | "),
    ),
];

/// The tables of the file that hold single settings, with a sentence about each.
pub(in crate::config) const TABLES: [(&str, &str); 8] = [
    ("discord", "Sign-in and bot. Without these settings the site says \"not configured\"."),
    ("github", "Commit feed."),
    ("retention", "How long data is kept."),
    ("backups", "Automatic backups of database and uploads while the site runs."),
    ("rosters", "Member lists of guilds, read from the game's site in the background."),
    ("trust", "How much one account can report."),
    ("limits", "Rate limits and quotas per address and account."),
    ("site", "Texts and links."),
];

/// Arrays of tables: they have no single default.
pub(in crate::config) const STICKERS: &str = "
# Stickers of player profiles. They replace the built-in ones; one table per sticker. The picture is
# static/stickers/ID.png in the data directory. rarity: common, rare or epic; category: social, gameplay, default or in-game.
# rule: { player-kills = N }, { soft-deaths = N }, { views = N }, { entered = [\"class\", …] } (prefixes of vehicle classes in
# lower case), { contracts = N } (completed), { givers = N } (of completed contracts), { ships = N }, { blueprints = N },
# { crashes = N } (of ships and the game), { life-hours = N } (in the universe without dying),
# { played-between = [\"YYYY-MM-DD\", \"YYYY-MM-DD\"] }, { claimed-between = [the same] }, or \"granted\" (by an admin).
#: [[stickers]]
#: id = \"683583\"
#: name = \"Banana for scale\"
#: description = \"Everything is measured against it\"
#: rarity = \"common\"
#: requirement = \"Get your first player kill\"
#: category = \"default\"
#: rule = { player-kills = 1 }
";

pub(in crate::config) const WEBHOOKS: &str = "
# Outgoing webhooks, signed as standardwebhooks.com describes; one table per receiver.
# events: activity (feed rows), commit, note (problems for the admin).
# The secret has at least 16 characters.
#: [[webhooks]]
#: name = \"my-service\"
#: url = \"https://example.org/apogee\"
#: secret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"
#: events = [\"activity\", \"commit\", \"note\"]
";

//! Every setting, in the order of the example file.

use super::DefaultValue::*;
use super::Field::*;
use super::checks::*;
use super::{Definition, Range, define};

/// A hundred years; more overflows epoch milliseconds.
const RETENTION_DAYS: Range = Range(0, 36_500, "0 to 36500 days");
/// At most ten years.
const BACKUP_HOURS: Range = Range(0, 87_600, "0 to 87600 hours");
const BACKUPS: Range = Range(1, i64::MAX, "a number from 1; `every-hours = 0` disables backups");
const ROSTER_PAGES: Range = Range(1, 60, "1 to 60; `enabled = false` disables rosters");
/// At most one year.
const ROSTER_HOURS: Range = Range(1, 8_760, "1 to 8760 hours");
const LIMIT: Range = Range(1, i64::MAX, "a number from 1; `enabled = false` disables all limits");
const OPEN: Range = Range(0, i64::MAX, "a number from 0");
/// At most one year.
const BLOCK_MINUTES: Range = Range(0, 525_600, "0 to 525600 minutes");
/// Far more than anybody does.
const REPORTS: Range = Range(0, 1_000_000, "0 to 1000000");

/// In TOML, as all defaults.
const TRADEMARK: &str = "\"Star Citizen® is a registered trademark of Cloud Imperium Rights LLC. This site is made by \
    players and is not affiliated with the game's makers.\"";
const SLOGANS: &str = "[\"Every flight leaves a trace.\", \"Your verse, by the numbers.\", \
    \"Fly it. Log it. Own it.\", \"The record of every dogfight.\", \"Know who rules the black.\"]";

pub const DEFINITIONS: &[Definition] = &[
    define("listen", Toml("\"127.0.0.1:8080\""), |s| Text(&mut s.listen, LISTEN))
        .doc("Address to listen on; port 0 picks a free port.")
        .env("APOGEE_LISTEN")
        .flag("ADDR"),
    define("data-dir", Toml("\"./data\""), |s| Path(&mut s.data_dir))
        .doc("Directory of the database, uploads, search index and generated secret.")
        .env("APOGEE_DATA_DIR")
        .flag("DIR"),
    define("database-url", InDataDir("sqlite:", "apogee.db"), |s| Text(&mut s.database_url, DATABASE))
        .doc("`sqlite:PATH` or `postgres://USER:PASSWORD@HOST/DATABASE`.")
        .env("APOGEE_DATABASE_URL")
        .flag("URL"),
    define("public-url", Unset("\"https://stats.example.org\""), |s| OptionalUrl(&mut s.public_url))
        .doc("Origin of links, share cards and the sign-in redirect. Without it, the bound address is used.")
        .env("APOGEE_PUBLIC_URL")
        .flag("URL")
        .hidden(),
    define("jwt-secret", Unset("\"at least 32 random characters\""), |s| Hidden(&mut s.jwt_secret, ANY_TEXT))
        .doc("Signing secret. Without it, one is generated at the first start and stored in the data directory.")
        .env("APOGEE_JWT_SECRET"),
    define("game-site-url", Toml("\"https://robertsspaceindustries.com\""), |s| Url(&mut s.game_site_url))
        .doc("Site that citizen and organization pages are read from.")
        .env("APOGEE_GAME_SITE_URL"),
    define("admin-discord-ids", Toml("[]"), |s| List(&mut s.admin_discord_ids, DISCORD_IDS))
        .doc("Discord ids of the admins.")
        .env("APOGEE_ADMIN_DISCORD_IDS"),
    define("trusted-proxies", Toml("[]"), |s| Addresses(&mut s.trusted_proxies))
        .doc("Addresses of the proxies whose `Forwarded` and `X-Forwarded-For` headers are trusted.")
        .env("APOGEE_TRUSTED_PROXIES"),
    define("uploads-url", InDataDir("file:", "uploads"), |s| Text(&mut s.uploads_url, UPLOADS))
        .doc("`file:DIR`, or `s3://BUCKET/PREFIX` with the usual AWS variables.")
        .env("APOGEE_UPLOADS_URL"),
    define("log", Toml("\"info\""), |s| Text(&mut s.log, LOG_FILTER))
        .doc("Log filter in the syntax of tracing, such as \"info\", \"warn\" or \"apogee=debug,info\".")
        .env("APOGEE_LOG"),
    define("log-format", Toml("\"text\""), |s| LogFormat(&mut s.log_json))
        .doc("\"text\", or \"json\" for JSON lines.")
        .env("APOGEE_LOG_FORMAT"),
    define("metrics-open", Toml("false"), |s| Flag(&mut s.metrics_open))
        .doc("Whether /metrics answers callers other than loopback."),
    define("patch", Toml("\"ALPHA 4.3.2\""), |s| Text(&mut s.patch, ANY_TEXT))
        .doc("Name of the current patch until an event names one."),
    define("discord.client-id", Toml("\"\""), |s| OptionalText(&mut s.discord.client_id, APPLICATION_ID))
        .doc("Application id. Without it, nobody can sign in.")
        .env("APOGEE_DISCORD_CLIENT_ID"),
    define("discord.client-secret", Toml("\"\""), |s| Hidden(&mut s.discord.client_secret, ANY_TEXT))
        .doc("Client secret of the application, for sign-in.")
        .env("APOGEE_DISCORD_CLIENT_SECRET"),
    define("discord.public-key", Toml("\"\""), |s| OptionalText(&mut s.discord.public_key, PUBLIC_KEY))
        .doc("Public key of the application. It verifies interactions.")
        .env("APOGEE_DISCORD_PUBLIC_KEY"),
    define("discord.bot-token", Toml("\"\""), |s| Hidden(&mut s.discord.bot_token, TOKEN))
        .doc("Token of the bot, for slash commands and feeds.")
        .env("APOGEE_DISCORD_BOT_TOKEN"),
    define("discord.api-url", Toml("\"https://discord.com/api/v10\""), |s| Url(&mut s.discord.api_url))
        .doc("Base URL of the Discord API.")
        .env("APOGEE_DISCORD_API_URL"),
    define("discord.authorize-url", Toml("\"https://discord.com/oauth2/authorize\""), |s| {
        Url(&mut s.discord.authorize_url)
    })
    .doc("Page of Discord that starts a sign-in.")
    .env("APOGEE_DISCORD_AUTHORIZE_URL"),
    define("discord.cdn-url", Toml("\"https://cdn.discordapp.com\""), |s| Url(&mut s.discord.cdn_url))
        .doc("Base URL of Discord's image host. Avatars are fetched from it and served by this site.")
        .env("APOGEE_DISCORD_CDN_URL"),
    define("github.api-url", Toml("\"https://api.github.com\""), |s| Url(&mut s.github.api_url))
        .doc("Base URL of the GitHub API.")
        .env("APOGEE_GITHUB_API_URL"),
    define("github.repos", Toml("[]"), |s| List(&mut s.github.repos, REPOSITORY))
        .doc("Repositories whose commits are shown, each as OWNER/NAME.")
        .env("APOGEE_GITHUB_REPOS"),
    define("github.webhook-secret", Toml("\"\""), |s| Hidden(&mut s.github.webhook_secret, ANY_TEXT))
        .doc("Secret of the push webhook.")
        .env("APOGEE_GITHUB_WEBHOOK_SECRET"),
    define("retention.visits-days", Toml("5"), |s| Number(&mut s.retention.visits_days, RETENTION_DAYS))
        .doc("Days to keep single page visits; daily totals are kept forever."),
    define("retention.unused-uploads-days", Toml("1"), |s| {
        Number(&mut s.retention.unused_uploads_days, RETENTION_DAYS)
    })
    .doc("Days to keep uploaded pictures that no profile or guild uses."),
    define("backups.every-hours", Toml("24"), |s| Number(&mut s.backups.every_hours, BACKUP_HOURS))
        .doc("Hours between two automatic backups; 0 disables them."),
    define("backups.keep", Toml("7"), |s| Number(&mut s.backups.keep, BACKUPS))
        .doc("Number of automatic backups to keep."),
    define("backups.dir", InDataDir("", "backups"), |s| Path(&mut s.backups.dir))
        .doc("Directory of the automatic backups; another disk is safer."),
    define("rosters.enabled", Toml("true"), |s| Flag(&mut s.rosters.enabled))
        .doc("Whether member lists of guilds are read from the game's site."),
    define("rosters.pages-per-minute", Toml("6"), |s| Number(&mut s.rosters.pages_per_minute, ROSTER_PAGES))
        .doc("Pages of 32 members to read per minute, 1 to 60. Requests that a visitor waits for come first."),
    define("rosters.every-hours", Toml("24"), |s| Number(&mut s.rosters.every_hours, ROSTER_HOURS))
        .doc("Hours between two readings of a claimed or viewed guild; other guilds are read once a week."),
    define("limits.enabled", Toml("true"), |s| Flag(&mut s.limits.enabled)).doc("Whether rate limits apply."),
    define("limits.loopback", Toml("false"), |s| Flag(&mut s.limits.loopback)).doc(
        "Whether rate limits apply to requests from this machine. \
             Requests through a trusted proxy count for the client.",
    ),
    define("limits.reads", Toml("1200"), |s| Number(&mut s.limits.reads, LIMIT)).doc(
        "Read requests to the API per minute, for each address \
             (IPv6: /64) and each account; also the burst size.",
    ),
    define("limits.pages", Toml("300"), |s| Number(&mut s.limits.pages, LIMIT))
        .doc("Pages and share cards per minute; scripts and pictures are not counted."),
    define("limits.writes", Toml("120"), |s| Number(&mut s.limits.writes, LIMIT))
        .doc("Requests that change something, per minute."),
    define("limits.uploads", Toml("30"), |s| Number(&mut s.limits.uploads, LIMIT)).doc("Uploaded pictures per minute."),
    define("limits.ingests", Toml("600"), |s| Number(&mut s.limits.ingests, LIMIT))
        .doc("Batches of events per minute."),
    define("limits.streams", Toml("120"), |s| Number(&mut s.limits.streams, LIMIT)).doc("New live streams per minute."),
    define("limits.streams-per-address", Toml("30"), |s| Number(&mut s.limits.streams_per_address, OPEN))
        .doc("Open live streams per address."),
    define("limits.streams-in-all", Toml("10000"), |s| Number(&mut s.limits.streams_in_all, OPEN))
        .doc("Open live streams in total."),
    define("limits.connections", Toml("40000"), |s| Number(&mut s.limits.connections, OPEN))
        .doc("Open connections in total. The limit of open files lowers it."),
    define("limits.block-after", Toml("300"), |s| Number(&mut s.limits.block_after, LIMIT))
        .doc("Rejected requests per minute after which an address is blocked."),
    define("limits.block-minutes", Toml("10"), |s| Number(&mut s.limits.block_minutes, BLOCK_MINUTES))
        .doc("Minutes that an address is blocked."),
    define("trust.fights-per-minute", Toml("20"), |s| Number(&mut s.trust.limits[0].count, REPORTS))
        .doc("Kills and vehicle losses of one killer in 60 s that an account can report."),
    define("trust.fights-per-ten-minutes", Toml("60"), |s| Number(&mut s.trust.limits[1].count, REPORTS))
        .doc("The same in 10 minutes."),
    define("trust.fights-per-hour", Toml("200"), |s| Number(&mut s.trust.limits[2].count, REPORTS))
        .doc("The same in an hour."),
    define("trust.player-kills-per-hour", Toml("30"), |s| Number(&mut s.trust.limits[3].count, REPORTS))
        .doc("Kills of players by one killer in an hour that an account can report."),
    define("trust.player-kills-per-day", Toml("100"), |s| Number(&mut s.trust.limits[4].count, REPORTS))
        .doc("The same in a day."),
    define("trust.contracts-per-hour", Toml("40"), |s| Number(&mut s.trust.limits[5].count, REPORTS))
        .doc("Completed contracts in an hour that an account can report."),
    define("trust.contracts-per-day", Toml("200"), |s| Number(&mut s.trust.limits[6].count, REPORTS))
        .doc("The same in a day."),
    define("trust.events-per-day", Toml("50000"), |s| Number(&mut s.trust.events_per_day, REPORTS))
        .doc("Events that one account can report in a UTC day."),
    define("trust.last-fight-patch", Toml("\"4.3\""), |s| LastPatch(&mut s.trust.last_fight_patch))
        .doc(
            "Last patch whose builds write kills and vehicle losses to the log. Accounts' reports of them from later \
             builds are rejected; `any` rejects none.",
        )
        .env("APOGEE_TRUST_LAST_FIGHT_PATCH"),
    define("site.name", Toml("\"Apogee\""), |s| Text(&mut s.site.name, ANY_TEXT)).doc("Name of the site."),
    define("site.game", Toml("\"Star Citizen\""), |s| Text(&mut s.site.game, ANY_TEXT)).doc("Name of the game."),
    define("site.community_url", Toml("\"\""), |s| Link(&mut s.site.community_url))
        .doc("Chat community of the site. Links without an address are not shown."),
    define("site.support_url", Toml("\"\""), |s| Link(&mut s.site.support_url)).doc("Support page."),
    define("site.kanban_url", Toml("\"\""), |s| Link(&mut s.site.kanban_url)).doc("Roadmap of the site."),
    define("site.bot_invite_url", Toml("\"\""), |s| Link(&mut s.site.bot_invite_url))
        .doc("Invite link of the bot; empty builds one from the Discord client id, if set."),
    define("site.installer_url", Toml("\"\""), |s| Link(&mut s.site.installer_url)).doc("Download of the log reader."),
    define("site.source_url", Toml("\"\""), |s| Link(&mut s.site.source_url)).doc("Source code of the site."),
    define("site.support_contact", Toml("\"\""), |s| Text(&mut s.site.support_contact, ANY_TEXT)).doc(
        "Mail address or other contact for the texts. While it is empty, \
             sentences with the contact are left out.",
    ),
    define("site.effective_date", Toml("\"June 30, 2025\""), |s| Text(&mut s.site.effective_date, ANY_TEXT))
        .doc("Date of the terms and the privacy notice."),
    define("site.bot_servers", Toml("\"600+\""), |s| Text(&mut s.site.bot_servers, ANY_TEXT))
        .doc("Number of servers with the bot, shown until Discord reports it."),
    define("site.bot_users", Toml("\"100k+\""), |s| Text(&mut s.site.bot_users, ANY_TEXT))
        .doc("Number of users that the bot reaches."),
    define("site.trademark", Toml(TRADEMARK), |s| Text(&mut s.site.trademark, ANY_TEXT))
        .doc("Notice at the foot of every page."),
    define("site.slogans", Toml(SLOGANS), |s| Slogans(&mut s.site.slogans))
        .doc("Slogans of the home page, which shows one at random."),
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

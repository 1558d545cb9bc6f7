//! The place of every setting, and which values it takes.

use super::Field::*;
use super::checks::*;
use super::{Place, Range};

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

/// In the order of the example file.
pub(super) const FIELDS: &[(&str, Place)] = &[
    ("listen", |s| Text(&mut s.listen, LISTEN)),
    ("data-dir", |s| Path(&mut s.data_dir)),
    ("database-url", |s| Text(&mut s.database_url, DATABASE)),
    ("public-url", |s| OptionalUrl(&mut s.public_url)),
    ("jwt-secret", |s| Hidden(&mut s.jwt_secret, ANY_TEXT)),
    ("game-site-url", |s| Url(&mut s.game_site_url)),
    ("admin-discord-ids", |s| List(&mut s.admin_discord_ids, DISCORD_IDS)),
    ("trusted-proxies", |s| Addresses(&mut s.trusted_proxies)),
    ("uploads-url", |s| Text(&mut s.uploads_url, UPLOADS)),
    ("log", |s| Text(&mut s.log, LOG_FILTER)),
    ("log-format", |s| LogFormat(&mut s.log_json)),
    ("metrics-open", |s| Flag(&mut s.metrics_open)),
    ("patch", |s| Text(&mut s.patch, ANY_TEXT)),
    ("discord.client-id", |s| OptionalText(&mut s.discord.client_id, APPLICATION_ID)),
    ("discord.client-secret", |s| Hidden(&mut s.discord.client_secret, ANY_TEXT)),
    ("discord.public-key", |s| OptionalText(&mut s.discord.public_key, PUBLIC_KEY)),
    ("discord.bot-token", |s| Hidden(&mut s.discord.bot_token, TOKEN)),
    ("discord.api-url", |s| Url(&mut s.discord.api_url)),
    ("discord.authorize-url", |s| Url(&mut s.discord.authorize_url)),
    ("discord.cdn-url", |s| Url(&mut s.discord.cdn_url)),
    ("github.api-url", |s| Url(&mut s.github.api_url)),
    ("github.repos", |s| List(&mut s.github.repos, REPOSITORY)),
    ("github.webhook-secret", |s| Hidden(&mut s.github.webhook_secret, ANY_TEXT)),
    ("retention.visits-days", |s| Number(&mut s.retention.visits_days, RETENTION_DAYS)),
    ("retention.unused-uploads-days", |s| Number(&mut s.retention.unused_uploads_days, RETENTION_DAYS)),
    ("backups.every-hours", |s| Number(&mut s.backups.every_hours, BACKUP_HOURS)),
    ("backups.keep", |s| Number(&mut s.backups.keep, BACKUPS)),
    ("backups.dir", |s| Path(&mut s.backups.dir)),
    ("rosters.enabled", |s| Flag(&mut s.rosters.enabled)),
    ("rosters.pages-per-minute", |s| Number(&mut s.rosters.pages_per_minute, ROSTER_PAGES)),
    ("rosters.every-hours", |s| Number(&mut s.rosters.every_hours, ROSTER_HOURS)),
    ("limits.enabled", |s| Flag(&mut s.limits.enabled)),
    ("limits.loopback", |s| Flag(&mut s.limits.loopback)),
    ("limits.reads", |s| Number(&mut s.limits.reads, LIMIT)),
    ("limits.pages", |s| Number(&mut s.limits.pages, LIMIT)),
    ("limits.writes", |s| Number(&mut s.limits.writes, LIMIT)),
    ("limits.uploads", |s| Number(&mut s.limits.uploads, LIMIT)),
    ("limits.ingests", |s| Number(&mut s.limits.ingests, LIMIT)),
    ("limits.streams", |s| Number(&mut s.limits.streams, LIMIT)),
    ("limits.streams-per-address", |s| Number(&mut s.limits.streams_per_address, OPEN)),
    ("limits.streams-in-all", |s| Number(&mut s.limits.streams_in_all, OPEN)),
    ("limits.connections", |s| Number(&mut s.limits.connections, OPEN)),
    ("limits.block-after", |s| Number(&mut s.limits.block_after, LIMIT)),
    ("limits.block-minutes", |s| Number(&mut s.limits.block_minutes, BLOCK_MINUTES)),
    ("trust.fights-per-minute", |s| Number(&mut s.trust.limits[0].count, REPORTS)),
    ("trust.fights-per-ten-minutes", |s| Number(&mut s.trust.limits[1].count, REPORTS)),
    ("trust.fights-per-hour", |s| Number(&mut s.trust.limits[2].count, REPORTS)),
    ("trust.player-kills-per-hour", |s| Number(&mut s.trust.limits[3].count, REPORTS)),
    ("trust.player-kills-per-day", |s| Number(&mut s.trust.limits[4].count, REPORTS)),
    ("trust.contracts-per-hour", |s| Number(&mut s.trust.limits[5].count, REPORTS)),
    ("trust.contracts-per-day", |s| Number(&mut s.trust.limits[6].count, REPORTS)),
    ("trust.events-per-day", |s| Number(&mut s.trust.events_per_day, REPORTS)),
    ("trust.last-fight-patch", |s| LastPatch(&mut s.trust.last_fight_patch)),
    ("site.name", |s| Text(&mut s.site.name, ANY_TEXT)),
    ("site.game", |s| Text(&mut s.site.game, ANY_TEXT)),
    ("site.community_url", |s| Link(&mut s.site.community_url)),
    ("site.support_url", |s| Link(&mut s.site.support_url)),
    ("site.kanban_url", |s| Link(&mut s.site.kanban_url)),
    ("site.bot_invite_url", |s| Link(&mut s.site.bot_invite_url)),
    ("site.installer_url", |s| Link(&mut s.site.installer_url)),
    ("site.source_url", |s| Link(&mut s.site.source_url)),
    ("site.support_contact", |s| Text(&mut s.site.support_contact, ANY_TEXT)),
    ("site.effective_date", |s| Text(&mut s.site.effective_date, ANY_TEXT)),
    ("site.bot_servers", |s| Text(&mut s.site.bot_servers, ANY_TEXT)),
    ("site.bot_users", |s| Text(&mut s.site.bot_users, ANY_TEXT)),
    ("site.trademark", |s| Text(&mut s.site.trademark, ANY_TEXT)),
    ("site.slogans", |s| Slogans(&mut s.site.slogans)),
];

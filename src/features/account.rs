//! Export and deletion of everything that is stored about the signed-in user.

use std::sync::Arc;

use crate::app::App;
use crate::domain::claims::{ATTEMPT_WINDOW_MS, CODE_TTL_MS};
use crate::domain::times::Day;
use crate::domain::viewer::{Member, Viewer};
use crate::error::AppError;
use crate::features::settings::{clear_guild, clear_player};
use crate::features::{avatars, players, sessions, uploads};
pub use crate::store::activity::FeedCursor;
use crate::store::activity::FeedPage;
use crate::store::changes::{self, Change};
use crate::store::players::PlayerRow;
use crate::store::{
    Store, Tx, account, activity as feed, claims, guilds, ingest, keys, logs, players as stored,
    sessions as user_sessions, settings, uploads as pictures, users,
};
use crate::views::account::{AccountExport, FormerHandle, GuildExport, PlaySessionExport, PlayerExport, StickerGrant};
use crate::views::activity::{ActivityRow, Names};
use crate::views::players::DayValue;
use crate::views::secs;

/// The number of events in one part of an export.
const EVENTS_PER_PART: i64 = 1_000;

/// The export without events, which may be many: see [`events`].
pub async fn export(app: &App, member: &Member) -> Result<AccountExport, AppError> {
    let (id, now) = (member.user_id, app.store.now());
    let user = sessions::me(app, member).await?;
    let player = match member.player_id {
        Some(player_id) => player(app, member, player_id).await?,
        None => None,
    };
    let export = app
        .store
        .read(move |conn| {
            let row = users::find(conn, id)?;
            let guild_id = row.as_ref().and_then(|user| user.guild_id);
            let guild = match guild_id {
                Some(guild_id) => guilds::find_many(conn, &[guild_id])?.into_iter().next(),
                None => None,
            };
            let (last_seen_at, discord_avatar_hash) =
                row.map_or((0, None), |user| (user.last_seen_at, user.discord_avatar));
            Ok(AccountExport {
                exported_at: now.secs(),
                user,
                discord_avatar_hash,
                last_seen_at: secs(last_seen_at),
                sessions: list(user_sessions::list_by_user(conn, id)?),
                claims: list(claims::list_by_user(conn, id)?),
                claim_attempts: account::claim_attempts(conn, id)?.into_iter().map(secs).collect(),
                keys: list(keys::list(conn, Some(id))?),
                logs: logs::list_by_user(conn, id)?,
                pictures: pictures::list_by_user(conn, id)?,
                guild: guild.map(GuildExport::from),
                player,
                events: Vec::new(),
            })
        })
        .await?;
    Ok(export)
}

fn list<Row, View: From<Row>>(rows: Vec<Row>) -> Vec<View> {
    rows.into_iter().map(View::from).collect()
}

async fn player(app: &App, member: &Member, id: i64) -> Result<Option<PlayerExport>, AppError> {
    let parts = app
        .store
        .read(move |conn| {
            Ok((
                stored::find_by_id(conn, id)?,
                account::former_handles(conn, id)?,
                settings::grants(conn, id)?,
                account::play_sessions(conn, id)?,
                stored::days(conn, id, i32::MIN)?,
                ingest::opt_in_reports(conn, id)?,
            ))
        })
        .await?;
    let (Some(row), former, grants, sessions, days, shared) = parts else { return Ok(None) };
    let PlayerRow { handle, citizen_record, guild_rank, sharing, site_avatar_url, site_read_at, .. } = row;
    let viewer = Viewer::Member(member.clone());
    Ok(Some(PlayerExport {
        profile: players::profile(app, &viewer, &handle).await?,
        former_handles: former.into_iter().map(|(handle, at)| FormerHandle { handle, until: secs(at) }).collect(),
        sticker_grants: grants.into_iter().map(|(id, at)| StickerGrant { id, granted_at: secs(at) }).collect(),
        citizen_record,
        guild_rank,
        site_avatar_url,
        site_read_at: site_read_at.map(secs),
        weapons: players::weapons(&app.store, &viewer, &handle, None, usize::MAX).await?,
        vehicles: players::vehicles(&app.store, &viewer, &handle, None, usize::MAX).await?,
        missions: players::missions(&app.store, &viewer, &handle, usize::MAX).await?,
        history: days
            .into_iter()
            .map(|(day, scores)| DayValue { day: Day(day).iso(), value: scores.overall() })
            .collect(),
        play_sessions: sessions
            .into_iter()
            .map(|s| PlaySessionExport {
                login_at: secs(s.login_at),
                logout_at: s.logout_at.map(secs),
                last_seen_at: secs(s.last_seen_at),
            })
            .collect(),
        sharing,
        shared: list(shared),
    }))
}

/// A part of the events of the user's player, newest first, and the start of the next part; `None` after the last one.
pub async fn events(
    store: &Store,
    member: &Member,
    before: Option<FeedCursor>,
) -> Result<(Vec<ActivityRow>, Option<FeedCursor>), AppError> {
    let Some(id) = member.player_id else { return Ok((Vec::new(), None)) };
    let rows = store
        .read(move |conn| {
            let page = FeedPage { category: None, before, limit: EVENTS_PER_PART, offset: 0, with_unlisted: true };
            let events = feed::list_by_player(conn, id, page)?;
            let mut names = Names::read(conn, &events)?;
            // The user's own hidden player is named; other hidden players are not.
            if let Some(own) = names.players.get_mut(&id) {
                own.is_hidden = false;
            }
            let last = events.last().map(|e| FeedCursor { event_time: e.event_time, event_id: e.id });
            let next = last.filter(|_| events.len() as i64 == EVENTS_PER_PART);
            Ok((events.iter().map(|e| names.row(e)).collect(), next))
        })
        .await?;
    Ok(rows)
}

/// Deletes the user with sessions, claims, keys, pictures and settings. A hidden player remains hidden, and ingested events remain
/// without a reference to the user.
pub async fn delete(app: &Arc<App>, member: &Member) -> Result<(), AppError> {
    let (id, now) = (member.user_id, app.store.now().0);
    let (user, paths) = app
        .store
        .write(move |tx| {
            users::lock(tx, id)?;
            let user = users::find(tx, id)?
                .ok_or_else(|| AppError::Unauthorized("You are not signed in, or this session has ended.".into()))?;
            let mut paths: Vec<String> = pictures::list_by_user(tx, id)?.into_iter().map(|row| row.path).collect();
            // Other players may show an admin's pictures.
            let mut entities = uploads::clear_references(tx, &paths)?;
            if let Some(player_id) = user.player_id {
                paths.extend(clear_player(tx, player_id)?);
                entities.players.push(player_id);
            }
            if let Some(guild_id) = user.guild_id {
                paths.extend(clear_guild(tx, guild_id)?);
                entities.guilds.push(guild_id);
            }
            users::delete(tx, id, now)?;
            changes::record(tx, Change::IngestKeys)?;
            changes::record(tx, Change::Entities(entities))?;
            Ok::<_, AppError>((user, paths))
        })
        .await?;
    uploads::delete_files(&app.uploads, &paths).await;
    avatars::remove_cached(&app.settings, &user).await;
    tracing::info!(user = id, "an account was deleted");
    Ok(())
}

/// Deletes expired sessions, claims and attempts.
pub async fn delete_expired(store: &Store) -> Result<(), AppError> {
    sessions::delete_expired(store).await?;
    let now = store.now().0;
    let forget = move |tx: &mut Tx| {
        claims::delete_before(tx, now - CODE_TTL_MS, now - ATTEMPT_WINDOW_MS).map_err(AppError::from)
    };
    store.write(forget).await?;
    Ok(())
}

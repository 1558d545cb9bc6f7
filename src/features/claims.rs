//! Claims: a user proves ownership of a player or guild by a code in its profile on the game's site.

use std::sync::Arc;

use diesel::result::{DatabaseErrorKind, Error as QueryError};

use crate::app::App;
use crate::domain::claims::{ATTEMPT_WINDOW_MS, CODE_TTL_MS, ClaimAttempt, ClaimKind, code, wait_ms};
use crate::domain::names::{GuildTag, Handle};
use crate::domain::stickers::earned_by_claim;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::refresh::{apply_citizen, apply_claimed_citizen, apply_organization};
use crate::features::secret;
use crate::features::settings::clear_player;
use crate::features::uploads::delete_files;
use crate::store::changes::{self, Change, EntityChange};
use crate::store::{Store, Tx, claims, guilds, players, settings, users};
use crate::upstream::game_site::{Priority, SiteError, has_code};
use crate::views::claims::{ClaimStarted, ClaimedPlayer};

fn parse_handle(text: &str) -> Result<Handle, AppError> {
    let text = text.trim();
    Handle::parse(text).map_err(|_| AppError::invalid_value("handle", text, "3 to 60 letters, digits, '-' or '_'"))
}

fn parse_tag(text: &str) -> Result<GuildTag, AppError> {
    let text = text.trim();
    GuildTag::parse(text).map_err(|_| AppError::invalid_value("guildShort", text, "2 to 10 letters and digits"))
}

fn player_already_claimed(handle: &Handle) -> AppError {
    AppError::Conflict(format!("{handle} is already claimed."))
}

fn user_already_has_player() -> AppError {
    AppError::Conflict("You have already claimed a player. Unlink it first.".into())
}

fn guild_already_claimed(tag: &GuildTag) -> AppError {
    AppError::Conflict(format!("{tag} is already claimed."))
}

/// Starts a claim of a player who exists on the game's site.
pub async fn start_player(app: &Arc<App>, member: &Member, handle: &str) -> Result<ClaimStarted, AppError> {
    let handle = parse_handle(handle)?;
    if member.player_id.is_some() {
        return Err(user_already_has_player());
    }
    let folded = handle.folded();
    let known = app.store.read(move |conn| players::find_by_handle(conn, &folded)).await?;
    if let Some(player) = known
        && app.store.read(move |conn| players::is_claimed(conn, player.id)).await?
    {
        return Err(player_already_claimed(&handle));
    }
    let page = app.game_site.citizen(&handle, Priority::User(member.user_id));
    let page = call_game_site(&app.store, member, ClaimAttempt::Start, page).await?;
    let started = ClaimStarted::new(page.handle.to_string(), new_code()?);
    let (user_id, now, code) = (member.user_id, app.store.now().0, started.verification_code.clone());
    let act = move |tx: &mut Tx| {
        apply_citizen(tx, &page, now)?;
        Ok::<_, AppError>(claims::put(tx, user_id, ClaimKind::Player, &page.handle.folded(), &code, now)?)
    };
    app.store.write(act).await?;
    Ok(started)
}

/// Starts a claim of a guild that exists on the game's site.
pub async fn start_guild(app: &Arc<App>, member: &Member, tag: &str) -> Result<ClaimStarted, AppError> {
    let tag = parse_tag(tag)?;
    let wanted = tag.to_string();
    let known = app.store.read(move |conn| guilds::find_by_tag(conn, &wanted)).await?;
    if let Some(guild) = known
        && app.store.read(move |conn| guilds::is_claimed(conn, guild.id)).await?
    {
        return Err(guild_already_claimed(&tag));
    }
    let page = app.game_site.organization(&tag, Priority::User(member.user_id));
    let page = call_game_site(&app.store, member, ClaimAttempt::Start, page).await?;
    let started = ClaimStarted::new(tag.to_string(), new_code()?);
    let (user_id, now, code) = (member.user_id, app.store.now().0, started.verification_code.clone());
    let act = move |tx: &mut Tx| {
        apply_organization(tx, &page, now)?;
        Ok::<_, AppError>(claims::put(tx, user_id, ClaimKind::Guild, page.sid.as_str(), &code, now)?)
    };
    app.store.write(act).await?;
    Ok(started)
}

fn new_code() -> Result<String, AppError> {
    secret::bytes().map(code).map_err(AppError::internal)
}

/// Cancels the user's claim of a player, if there is one.
pub async fn cancel_player(store: &Store, member: &Member) -> Result<(), AppError> {
    let id = member.user_id;
    store.write(move |tx| claims::remove(tx, id, ClaimKind::Player).map_err(AppError::from)).await
}

/// Looks for the code in the player's bio. On success the user owns the player.
pub async fn verify_player(app: &Arc<App>, member: &Member, handle: &str) -> Result<ClaimedPlayer, AppError> {
    let handle = parse_handle(handle)?;
    let code = find_code(&app.store, member, ClaimKind::Player, &handle.folded(), handle.as_str()).await?;
    let page = app.game_site.citizen(&handle, Priority::User(member.user_id));
    let page = call_game_site(&app.store, member, ClaimAttempt::Verify, page).await?;
    if !has_code(&page.bio_lines, &code) {
        return Err(AppError::CodeNotFound(format!(
            "The code {code} was not found in the bio of {handle} on the game's site. Save it there and try again."
        )));
    }
    let (user_id, now, own) = (member.user_id, app.store.now(), handle.clone());
    let earned = earned_by_claim(&app.settings.stickers, now.day());
    let act = move |tx: &mut Tx| {
        require_current_claim(tx, user_id, ClaimKind::Player, &code)?;
        if users::find(tx, user_id)?.is_some_and(|user| user.player_id.is_some()) {
            return Err(user_already_has_player());
        }
        let applied = apply_claimed_citizen(tx, &page, now.0)?;
        let player = applied.player.as_ref().ok_or_else(|| AppError::player_not_found(own.as_str()))?;
        let id = player.id;
        if users::owner_of_player(tx, id)?.is_some() {
            return Err(player_already_claimed(&own));
        }
        users::set_player(tx, user_id, Some(id))
            .map_err(|error| map_unique_violation(error, || player_already_claimed(&own)))?;
        settings::grant(tx, id, &earned, now.0)?;
        claims::remove(tx, user_id, ClaimKind::Player)?;
        Ok::<_, AppError>(applied)
    };
    let applied = app.store.write(act).await?;
    tracing::info!(user = member.user_id, %handle, "a player was claimed");
    let handle = applied.player.map_or_else(|| handle.to_string(), |player| player.handle);
    Ok(ClaimedPlayer { handle, org_short: applied.org_short })
}

/// Looks for the code on the organization's page. On success the user may edit the guild.
pub async fn verify_guild(app: &Arc<App>, member: &Member, tag: &str) -> Result<String, AppError> {
    let tag = parse_tag(tag)?;
    let code = find_code(&app.store, member, ClaimKind::Guild, tag.as_str(), tag.as_str()).await?;
    let page = app.game_site.organization(&tag, Priority::User(member.user_id));
    let page = call_game_site(&app.store, member, ClaimAttempt::Verify, page).await?;
    if !has_code(&page.text_lines, &code) {
        return Err(AppError::CodeNotFound(format!(
            "The code {code} was not found in the texts of {tag} on the game's site. Save it there and try again."
        )));
    }
    let (user_id, now, own) = (member.user_id, app.store.now(), tag.clone());
    let act = move |tx: &mut Tx| {
        require_current_claim(tx, user_id, ClaimKind::Guild, &code)?;
        let applied = apply_organization(tx, &page, now.0)?;
        let id = applied.guild_id.ok_or_else(AppError::guild_not_found)?;
        if users::owner_of_guild(tx, id)?.is_some() {
            return Err(guild_already_claimed(&own));
        }
        users::set_guild(tx, user_id, Some(id))
            .map_err(|error| map_unique_violation(error, || guild_already_claimed(&own)))?;
        Ok::<_, AppError>(claims::remove(tx, user_id, ClaimKind::Guild)?)
    };
    app.store.write(act).await?;
    tracing::info!(user = member.user_id, %tag, "a guild was claimed");
    Ok(tag.to_string())
}

/// The code of the user's valid claim of this target.
async fn find_code(
    store: &Store,
    member: &Member,
    kind: ClaimKind,
    target: &str,
    shown: &str,
) -> Result<String, AppError> {
    let (user_id, now) = (member.user_id, store.now().0);
    let found = store.read(move |conn| claims::find(conn, user_id, kind)).await?;
    let Some(claim) = found.filter(|claim| claim.target == target) else {
        return Err(AppError::Validation(format!("You have no pending claim of {shown}. Start one first.")));
    };
    if now - claim.created_at >= CODE_TTL_MS {
        return Err(AppError::Validation("This code is more than a day old. Start the claim again.".into()));
    }
    Ok(claim.code)
}

/// Calls the game's site within the user's limit. A call that the site does not answer is not counted.
async fn call_game_site<T>(
    store: &Store,
    member: &Member,
    kind: ClaimAttempt,
    call: impl Future<Output = Result<T, SiteError>>,
) -> Result<T, AppError> {
    let user_id = member.user_id;
    let at = record_attempt(store, user_id, kind).await?;
    let answer = call.await.map_err(AppError::from);
    if matches!(answer, Err(AppError::Upstream(_))) {
        store.write(move |tx| claims::remove_attempt(tx, user_id, at).map_err(AppError::from)).await?;
    }
    answer
}

/// Records an attempt of a user; returns its time, which identifies it.
async fn record_attempt(store: &Store, user_id: i64, kind: ClaimAttempt) -> Result<i64, AppError> {
    let now = store.now().0;
    let counted = store
        .write(move |tx| {
            users::lock(tx, user_id)?;
            let attempts = claims::list_attempts(tx, user_id, now - ATTEMPT_WINDOW_MS)?;
            let same: Vec<i64> = attempts.iter().filter(|(_, of)| *of == kind.code()).map(|(at, _)| *at).collect();
            if let Some(wait_ms) = wait_ms(&same, now) {
                return Ok::<_, AppError>(Err(wait_ms));
            }
            // Attempts within one millisecond get distinct times.
            let at = attempts.last().map_or(now, |(last, _)| now.max(last + 1));
            claims::add_attempt(tx, user_id, kind, at)?;
            Ok(Ok(at))
        })
        .await?;
    counted.map_err(|wait_ms| {
        let retry_after_secs = wait_ms.div_euclid(1000).unsigned_abs() + 1;
        let what = match kind {
            ClaimAttempt::Start => "start five claims",
            ClaimAttempt::Verify => "verify a claim five times",
        };
        let sentence = format!("You can {what} in ten minutes. Please wait {retry_after_secs} seconds.");
        AppError::RateLimited { sentence, retry_after_secs }
    })
}

/// Checks that the claim was neither cancelled nor restarted during the call.
fn require_current_claim(tx: &mut Tx, user_id: i64, kind: ClaimKind, code: &str) -> Result<(), AppError> {
    users::lock(tx, user_id)?;
    match claims::find(tx, user_id, kind)? {
        Some(claim) if claim.code == code => Ok(()),
        _ => Err(AppError::Conflict("This claim was cancelled or restarted. Start it again.".into())),
    }
}

fn map_unique_violation(error: QueryError, applied: impl FnOnce() -> AppError) -> AppError {
    match error {
        QueryError::DatabaseError(DatabaseErrorKind::UniqueViolation, _) => applied(),
        other => other.into(),
    }
}

/// Releases the user's player. Scores are kept; pictures and stickers are removed; a hidden player remains hidden until the
/// next claim.
pub async fn unlink(app: &Arc<App>, member: &Member) -> Result<(), AppError> {
    let Some(player_id) = member.player_id else {
        return Err(AppError::Validation("You have not claimed a player.".into()));
    };
    let user_id = member.user_id;
    let act = move |tx: &mut Tx| {
        users::lock(tx, user_id)?;
        // Another request may have unlinked the player, and someone else may have claimed it.
        if users::find(tx, user_id)?.and_then(|user| user.player_id) != Some(player_id) {
            return Err(AppError::Conflict("This player is no longer linked to your account.".into()));
        }
        let paths = clear_player(tx, player_id)?;
        users::set_player(tx, user_id, None)?;
        let entities = EntityChange { players: vec![player_id], ..EntityChange::default() };
        changes::record(tx, Change::Entities(entities))?;
        Ok(paths)
    };
    let paths = app.store.write(act).await?;
    delete_files(&app.uploads, &paths).await;
    tracing::info!(user = user_id, player = player_id, "a player was unlinked");
    Ok(())
}

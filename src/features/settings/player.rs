//! Settings of a player: permissions, validation and changes.

use std::sync::Arc;

use gamelog::text_or_number::TextOrNumber;

use crate::app::App;
use crate::config::Settings;
use crate::domain::names::fold_for_lookup;
use crate::domain::scores::Scores;
use crate::domain::viewer::{Member, Viewer};
use crate::error::AppError;
use crate::features::players::require_visible;
use crate::features::uploads;
use crate::store::changes::{self, Change, EntityChange};
use crate::store::conn::AnyConn;
use crate::store::players::{self, PlayerRow};
use crate::store::settings::PlayerChange;
use crate::store::{Store, Tx, leaderboard, settings, users};
use crate::views::settings::{
    ObjectOrText, PlayerSettings, PlayerSettingsChange, ProfileSettingsChange, SharingChange, ShownSettings,
    StickerView, StickersChange,
};

use super::{pictures, stickers};

const NO_PLAYER: &str =
    "You must have a claimed Star Citizen profile to edit settings. Please claim your profile first.";
const NOT_YOURS: &str = "You can only edit your own claimed profile.";

/// The settings of a player that the viewer may see.
pub async fn visible_settings(app: &App, viewer: &Viewer, handle: &str) -> Result<ShownSettings, AppError> {
    let player = require_visible(&app.store, viewer, handle).await?;
    let settings = Arc::clone(&app.settings);
    let read = move |conn: &mut AnyConn| {
        let facts = stickers::facts(conn, &settings.stickers, &player)?;
        let unlocked_stickers = settings.stickers.iter().map(|sticker| StickerView::new(sticker, &facts)).collect();
        Ok(ShownSettings { settings: player.into(), unlocked_stickers })
    };
    Ok(app.store.read(read).await?)
}

/// The settings of a user's own player; `None` without one.
pub async fn own_settings(
    store: &Store,
    member: &Member,
    discord_id: &str,
) -> Result<Option<PlayerSettings>, AppError> {
    if discord_id != member.discord_id && !member.is_admin {
        return Err(AppError::Forbidden("You can only request your own settings.".into()));
    }
    Ok(of_user(store, discord_id).await?.map(PlayerSettings::from))
}

async fn of_user(store: &Store, discord_id: &str) -> Result<Option<PlayerRow>, AppError> {
    let id = discord_id.to_owned();
    let find = move |conn: &mut AnyConn| {
        let player_id = users::find_by_discord_id(conn, &id)?.and_then(|user| user.player_id);
        player_id.map_or(Ok(None), |id| players::find_by_id(conn, id))
    };
    Ok(store.read(find).await?)
}

/// The player to change: the one with this handle, or else the user's own.
async fn target(
    store: &Store,
    member: &Member,
    discord_id: Option<&str>,
    handle: Option<&str>,
) -> Result<PlayerRow, AppError> {
    if !member.is_admin {
        if discord_id.is_some_and(|id| id != member.discord_id) {
            return Err(AppError::Forbidden(NOT_YOURS.into()));
        }
        if member.player_id.is_none() {
            return Err(AppError::Forbidden(NO_PLAYER.into()));
        }
    }
    let player = match handle.map(str::trim).filter(|handle| !handle.is_empty()) {
        Some(handle) => {
            let folded = fold_for_lookup(handle).ok_or_else(|| AppError::player_not_found(handle))?;
            let found = store.read(move |conn| players::find_by_handle(conn, &folded)).await?;
            found.ok_or_else(|| AppError::player_not_found(handle))?
        }
        None => {
            let found = of_user(store, discord_id.unwrap_or(&member.discord_id)).await?;
            found.ok_or_else(|| AppError::Forbidden(NO_PLAYER.into()))?
        }
    };
    if member.may_edit_player(player.id) { Ok(player) } else { Err(AppError::Forbidden(NOT_YOURS.into())) }
}

/// Changes the settings that a request contains.
pub async fn save(app: &Arc<App>, member: &Member, change: PlayerSettingsChange) -> Result<(), AppError> {
    let player = target(&app.store, member, change.discord_id.as_deref(), change.handle.as_deref()).await?;
    write(app, member, player.id, change).await
}

/// Changes the selected stickers.
pub async fn save_stickers(app: &Arc<App>, member: &Member, change: StickersChange) -> Result<(), AppError> {
    let player = target(&app.store, member, None, change.player_handle.as_deref()).await?;
    if change.stickers.is_none() {
        return Err(AppError::invalid_parameter("stickers", "a list of at most 4 ids"));
    }
    let stickers = Some(Some(ObjectOrText(ProfileSettingsChange { stickers: Some(change.stickers) })));
    let change = PlayerSettingsChange { profile_settings: stickers, ..PlayerSettingsChange::default() };
    write(app, member, player.id, change).await
}

/// Resets all settings.
pub async fn remove(app: &Arc<App>, member: &Member, discord_id: &str) -> Result<(), AppError> {
    let player = target(&app.store, member, Some(discord_id), None).await?;
    let nothing = PlayerSettingsChange {
        profile_image: Some(None),
        banner_image: Some(None),
        profile_hidden: Some(None),
        profile_settings: Some(None),
        sharing: Some(SharingChange { pay: Some(false), places: Some(false) }),
        ..PlayerSettingsChange::default()
    };
    write(app, member, player.id, nothing).await
}

async fn write(app: &Arc<App>, member: &Member, player_id: i64, wanted: PlayerSettingsChange) -> Result<(), AppError> {
    let (settings, member) = (Arc::clone(&app.settings), member.clone());
    let user_id = member.user_id;
    let replaced = app.store.write(move |tx| change(tx, &settings, &member, player_id, &wanted)).await?;
    tracing::info!(user = user_id, player = player_id, "player settings were changed");
    uploads::delete_files(&app.uploads, &replaced).await;
    Ok(())
}

/// Changes settings; returns replaced pictures to delete.
fn change(
    tx: &mut Tx,
    settings: &Settings,
    member: &Member,
    player_id: i64,
    wanted: &PlayerSettingsChange,
) -> Result<Vec<String>, AppError> {
    users::lock(tx, member.user_id)?;
    players::lock(tx, &[player_id])?;
    let player = players::find_by_id(tx, player_id)?.ok_or_else(|| AppError::Forbidden(NO_PLAYER.into()))?;
    // The permission may have been lost since the request arrived.
    let owned = users::find(tx, member.user_id)?.and_then(|user| user.player_id);
    if !member.is_admin && owned != Some(player_id) {
        return Err(AppError::Forbidden(NOT_YOURS.into()));
    }
    let SharingChange { pay, places } = wanted.sharing.unwrap_or_default();
    if owned != Some(player_id) && [pay, places].contains(&Some(true)) {
        return Err(AppError::Forbidden("Only the owner of a player can share pay and places.".into()));
    }
    let stickers = wanted.profile_settings.as_ref().and_then(|given| match given {
        Some(given) => given.0.stickers.as_ref().map(Option::as_deref),
        None => Some(None),
    });
    let mut validated = |ids: &[TextOrNumber]| {
        let (catalogue, ids) = (&settings.stickers, ids.iter().map(|id| id.0.clone()).collect::<Vec<String>>());
        stickers::validate_selection(catalogue, &stickers::facts(tx, catalogue, &player)?, &ids)?;
        serde_json::to_string(&ids).map_err(AppError::internal)
    };
    let stickers = stickers.map(|ids| ids.map(&mut validated).transpose()).transpose()?;
    let (mut replaced, user_id) = (Vec::new(), member.user_id);
    let (now, new) = (player.profile_image.as_ref(), wanted.profile_image.as_ref());
    let profile_image = pictures::assign(tx, user_id, "profile_image", now, new, &mut replaced)?;
    let (now, new) = (player.banner_image.as_ref(), wanted.banner_image.as_ref());
    let banner_image = pictures::assign(tx, user_id, "banner_image", now, new, &mut replaced)?;
    let is_hidden = wanted.profile_hidden.map(Option::unwrap_or_default).filter(|hidden| *hidden != player.is_hidden);
    let change =
        PlayerChange { profile_image, banner_image, is_hidden, stickers, shares_pay: pay, shares_places: places };
    settings::change_player(tx, player_id, &change)?;
    // Recorded even if no score changes, since leaderboards show the pictures.
    let mut entities = EntityChange { players: vec![player_id], ..EntityChange::default() };
    if let Some(is_hidden) = is_hidden {
        record_score_change(tx, player_id, is_hidden, &mut entities)?;
        // Live streams of the player restart with a `reset`.
        entities.hidden.extend(is_hidden.then(|| player.handle.clone()));
    }
    changes::record(tx, Change::Entities(entities))?;
    Ok(replaced)
}

/// Makes a hidden player visible.
pub fn unhide(tx: &mut Tx, player_id: i64, entities: &mut EntityChange) -> Result<(), AppError> {
    settings::change_player(tx, player_id, &PlayerChange { is_hidden: Some(false), ..PlayerChange::default() })?;
    record_score_change(tx, player_id, false, entities)
}

/// Records that the player's scores enter or leave the ranks.
fn record_score_change(
    tx: &mut Tx,
    player_id: i64,
    is_hidden: bool,
    entities: &mut EntityChange,
) -> Result<(), AppError> {
    if let Some(row) = leaderboard::scores_of(tx, &[player_id])?.into_iter().next() {
        let (own, none) = (row.scores, Scores::default());
        entities.player_figures.push(if is_hidden { (own, none) } else { (none, own) });
    }
    Ok(())
}

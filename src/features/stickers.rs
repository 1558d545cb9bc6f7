//! The sticker catalogue, and granting and revoking stickers by admins and on the command line.

use std::collections::HashMap;
use std::sync::Arc;

use crate::app::App;
use crate::config::Settings;
use crate::domain::clock;
use crate::domain::names::fold_for_lookup;
use crate::domain::stickers::{self, Sticker};
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::admin;
use crate::features::settings::sticker_facts;
use crate::store::changes::{self, Change, EntityChange};
use crate::store::players::{self, PlayerRow};
use crate::store::settings::PlayerChange;
use crate::store::{Store, Tx, settings};
use crate::views::stickers::{CatalogueSticker, GrantedSticker};

/// The maximum number of holders in the list of a sticker.
const MAX_HOLDERS: i64 = 500;

/// Whether to grant or to revoke a sticker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantAction {
    Grant,
    Revoke,
}

/// The stickers of this site in display order.
pub fn catalogue(settings: &Settings) -> Vec<CatalogueSticker> {
    settings.stickers.iter().map(CatalogueSticker::from).collect()
}

/// All stickers with the players they were granted to. For admins.
pub async fn holders(app: &App, viewer: &Member) -> Result<Vec<GrantedSticker>, AppError> {
    admin::require(viewer, "grant stickers")?;
    list(&app.store, &app.settings.stickers).await
}

/// Grants or revokes a sticker. For admins.
pub async fn change(
    app: &Arc<App>,
    viewer: &Member,
    act: GrantAction,
    sticker: &str,
    handle: &str,
) -> Result<(), AppError> {
    admin::require(viewer, "grant stickers")?;
    change_in_store(&app.store, &app.settings.stickers, act, sticker, handle).await?;
    tracing::info!(user = viewer.user_id, ?act, sticker, handle, "an admin granted or revoked a sticker");
    Ok(())
}

/// All stickers with the players they were granted to.
pub async fn list(store: &Store, stickers: &[Sticker]) -> Result<Vec<GrantedSticker>, AppError> {
    let ids: Vec<String> = stickers.iter().map(|sticker| sticker.id.clone()).collect();
    let (counts, mut rows) = store
        .read(move |conn| {
            let counts: HashMap<String, i64> = settings::grant_counts(conn)?.into_iter().collect();
            let mut rows = HashMap::with_capacity(counts.len());
            for id in ids.into_iter().filter(|id| counts.contains_key(id)) {
                let holders = settings::holders(conn, &id, MAX_HOLDERS)?;
                rows.insert(id, holders);
            }
            Ok((counts, rows))
        })
        .await?;
    let granted = stickers.iter().map(|sticker| {
        let CatalogueSticker { id, name, earned_by, is_granted, .. } = sticker.into();
        GrantedSticker {
            holder_count: counts.get(&id).copied().unwrap_or(0),
            holders: rows.remove(&id).unwrap_or_default(),
            id,
            name,
            earned_by,
            is_granted,
        }
    });
    Ok(granted.collect())
}

/// Grants or revokes a sticker directly in the database, which may be in use by a server; returns the sticker's name.
///
/// With PostgreSQL servers are notified of the change, with SQLite the server reads it from `search_changes`.
pub async fn change_in_store(
    store: &Store,
    stickers: &[Sticker],
    act: GrantAction,
    sticker: &str,
    handle: &str,
) -> Result<String, AppError> {
    let Some(found) = stickers::find(stickers, sticker).cloned() else {
        let known: Vec<String> = stickers.iter().map(|one| format!("{} ({})", one.id, one.name)).collect();
        let sentence = format!("invalid sticker '{sticker}': expected one of {}", known.join(", "));
        return Err(AppError::NotFound(sentence));
    };
    let folded = fold_for_lookup(handle).ok_or_else(|| AppError::player_not_found(handle))?;
    let (name, handle, all) = (found.name.clone(), handle.to_owned(), stickers.to_vec());
    let change = move |tx: &mut Tx| {
        let gone = || AppError::player_not_found(&handle);
        let id = players::find_by_handle(tx, &folded)?.ok_or_else(gone)?.id;
        players::lock(tx, &[id])?;
        let player = players::find_by_id(tx, id)?.ok_or_else(gone)?;
        match act {
            GrantAction::Grant => grant(tx, &found, &player)?,
            GrantAction::Revoke => revoke(tx, &all, &found, &player)?,
        }
        Ok::<_, AppError>(changes::record(
            tx,
            Change::Entities(EntityChange { players: vec![id], ..EntityChange::default() }),
        )?)
    };
    store.write(change).await?;
    Ok(name)
}

fn grant(tx: &mut Tx, sticker: &Sticker, player: &PlayerRow) -> Result<(), AppError> {
    let is_new = settings::grant(tx, player.id, std::slice::from_ref(&sticker.id), clock::now().0)? > 0;
    if is_new {
        return Ok(());
    }
    Err(AppError::Conflict(format!("{} already has the sticker \"{}\".", player.handle, sticker.name)))
}

/// Revokes the sticker and removes it from the profile, unless its rule unlocks it too.
fn revoke(tx: &mut Tx, all: &[Sticker], sticker: &Sticker, player: &PlayerRow) -> Result<(), AppError> {
    if !settings::revoke(tx, player.id, &sticker.id)? {
        let sentence = format!("{} was not granted the sticker \"{}\".", player.handle, sticker.name);
        return Err(AppError::NotFound(sentence));
    }
    let worn: Option<Vec<String>> = player.stickers.as_deref().and_then(|json| serde_json::from_str(json).ok());
    let Some(mut worn) = worn.filter(|worn| worn.contains(&sticker.id)) else { return Ok(()) };
    if sticker.is_unlocked(&sticker_facts(tx, all, player)?) {
        return Ok(());
    }
    worn.retain(|id| *id != sticker.id);
    let stickers = serde_json::to_string(&worn).map_err(AppError::internal)?;
    let change = PlayerChange { stickers: Some(Some(stickers)), ..PlayerChange::default() };
    Ok(settings::change_player(tx, player.id, &change)?)
}

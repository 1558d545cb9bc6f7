//! Stickers of a player: which are unlocked, and which may be shown.

use crate::domain::counters::Counter;
use crate::domain::stickers::{MAX_WORN, PlayerFacts, Sticker, first_day};
use crate::domain::times::Day;
use crate::error::AppError;
use crate::features::players::feats_of;
use crate::store::conn::AnyConn;
use crate::store::players::{self, PlayerRow};
use crate::store::{leaderboard, settings};

/// Reads the facts that the rules depend on.
pub fn facts(conn: &mut AnyConn, stickers: &[Sticker], player: &PlayerRow) -> diesel::QueryResult<PlayerFacts> {
    let scores = leaderboard::scores_of(conn, &[player.id])?.into_iter().next();
    let days = match first_day(stickers) {
        Some(first) => players::days(conn, player.id, first.0)?,
        None => Vec::new(),
    };
    Ok(PlayerFacts {
        player_kills: scores.as_ref().map_or(0, |s| s.scores.pu_player_kills),
        vehicle_destructions: scores.as_ref().map_or(0, |s| s.scores.vehicle_destructions),
        soft_deaths: players::counters(conn, player.id)?.total(Counter::SoftDeathCaused),
        views: player.views,
        days: days.into_iter().map(|(day, _)| Day(day)).collect(),
        vehicles: settings::vehicles(conn, player.id)?.into_iter().map(|name| name.to_lowercase()).collect(),
        feats: feats_of(conn, player.id)?,
        grants: settings::grants(conn, player.id)?.into_iter().map(|(id, _)| id).collect(),
    })
}

/// Validates a selection: at most four known and unlocked stickers, each once.
pub fn validate_selection(stickers: &[Sticker], facts: &PlayerFacts, wanted: &[String]) -> Result<(), AppError> {
    if wanted.len() > MAX_WORN {
        return Err(AppError::invalid_parameter("stickers", &format!("at most {MAX_WORN} ids")));
    }
    for (index, id) in wanted.iter().enumerate() {
        let Some(sticker) = stickers.iter().find(|sticker| sticker.id == *id) else {
            return Err(AppError::invalid_value("stickers", id, "the ids of existing stickers"));
        };
        if wanted.iter().take(index).any(|earlier| earlier == id) {
            return Err(AppError::invalid_value("stickers", id, "each id only once"));
        }
        if !sticker.is_unlocked(facts) {
            return Err(AppError::Validation(format!(
                "The sticker \"{}\" is not unlocked yet: {}.",
                sticker.name, sticker.requirement
            )));
        }
    }
    Ok(())
}

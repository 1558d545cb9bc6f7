//! `/player`

use serde_json::Value;

use super::embed::{figures, plain, ranked};
use super::interaction::Interaction;
use crate::app::App;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::players;
use crate::views::players::{PlayerPage, PlayerView};

pub async fn show(app: &App, call: &Interaction) -> Result<Value, AppError> {
    let handle = call.text("handle").ok_or_else(|| AppError::parameter("handle", "the handle of a player"))?;
    let player = visible(app, handle).await?;
    let guild = player.org_short.as_deref().map_or("No Organization".into(), |tag| {
        format!("{} [{}]", plain(player.org_name.as_deref().unwrap_or_default()), plain(tag))
    });
    let seen = player.last_active.map_or("never".into(), |at| format!("<t:{at}:R>"));
    let title = player.handle.clone();
    let url = format!("{}/player/{}", app.public_url, player.handle);
    Ok(figures(
        &title,
        &url,
        &format!("{guild}\nLast active {seen}"),
        &[
            ("Overall", ranked(player.overall, player.rank_overall)),
            ("PVP", ranked(player.pu_player_kills, player.rank_pvp)),
            ("PVE", ranked(player.pve_kills, player.rank_pve)),
            ("Vehicles", ranked(player.vehicle_destructions, player.rank_vehicle)),
            ("Missions", ranked(player.missions_completed, player.rank_missions)),
            ("Hours", format!("{:.1}", player.lifetime.playtime_hours)),
        ],
    ))
}

/// A player that everybody may see.
pub async fn visible(app: &App, handle: &str) -> Result<PlayerView, AppError> {
    match players::profile(app, &Viewer::Guest, handle).await? {
        PlayerPage::Full(player) => Ok(player),
        PlayerPage::Hidden(_) => {
            Err(AppError::Forbidden("This profile has been hidden from public view by owner.".into()))
        }
    }
}

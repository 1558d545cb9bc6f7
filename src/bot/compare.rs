//! `/compare`

use serde_json::Value;

use super::embed::{figures, number};
use super::interaction::Interaction;
use super::player::visible;
use crate::app::App;
use crate::error::AppError;
use crate::views::players::PlayerView;

pub async fn show(app: &App, call: &Interaction) -> Result<Value, AppError> {
    let wanted = |name| call.text(name).ok_or_else(|| AppError::parameter(name, "the handle of a player"));
    let first = visible(app, wanted("first")?).await?;
    let second = visible(app, wanted("second")?).await?;
    let pair = |get: fn(&PlayerView) -> i64| format!("{} : {}", number(get(&first)), number(get(&second)));
    let title = format!("{} : {}", first.handle, second.handle);
    let url = format!("{}/player/{}", app.public_url, first.handle);
    Ok(figures(
        &title,
        &url,
        "",
        &[
            ("Overall", pair(|p| p.overall)),
            ("PVP", pair(|p| p.pu_player_kills)),
            ("PVE", pair(|p| p.pve_kills)),
            ("Vehicles", pair(|p| p.vehicle_destructions)),
            ("Missions", pair(|p| p.missions_completed)),
            ("Hours", pair(|p| p.playtime / 3600)),
            ("Human K/D", format!("{:.2} : {:.2}", first.kd_human, second.kd_human)),
        ],
    ))
}

//! `/top`

use serde_json::Value;

use super::embed::{figures, number, plain};
use super::interaction::Interaction;
use crate::app::App;
use crate::domain::scores::Metric;
use crate::error::AppError;
use crate::features::leaderboard::{self, BoardQuery, Window};
use crate::views::players::PlayerRow;

/// How many lines a board in a chat has.
const LINES: i64 = 10;

pub async fn show(app: &App, call: &Interaction) -> Result<Value, AppError> {
    let metric = match call.text("by") {
        None => Metric::Overall,
        Some(name) => Metric::parse(name).ok_or_else(|| AppError::parameter("by", "one of the listed figures"))?,
    };
    let window = match call.text("window") {
        None | Some("all") => Window::All,
        Some("24h") => Window::Day,
        Some("7d") => Window::Week,
        Some("30d") => Window::Month,
        Some("patch") => Window::Patch,
        Some(_) => return Err(AppError::parameter("window", "all, 24h, 7d, 30d or patch")),
    };
    let query = BoardQuery { metric, is_desc: true, window, limit: LINES, offset: 0 };
    let (players, _) = leaderboard::players(app, query).await?;
    let lines: Vec<String> = players.iter().map(|player| line(player, metric)).collect();
    let text = if lines.is_empty() { "Nobody yet.".to_owned() } else { lines.join("\n") };
    let url = format!("{}/players?sortBy={}", app.public_url, metric.as_str());
    Ok(figures(&format!("Top players: {}", title(metric)), &url, &text, &[]))
}

fn line(player: &PlayerRow, metric: Metric) -> String {
    let value = match metric {
        Metric::Overall => number(player.overall),
        Metric::PuPlayerKills => number(player.pu_player_kills),
        Metric::PveKills => number(player.pve_kills),
        Metric::VehicleDestructions => number(player.vehicle_destructions),
        Metric::MissionsCompleted => number(player.missions_completed),
        Metric::Playtime => format!("{} h", number(player.playtime / 3600)),
    };
    format!("**#{}** {} – {value}", player.rank, plain(&player.handle))
}

pub fn title(metric: Metric) -> &'static str {
    match metric {
        Metric::Overall => "Overall",
        Metric::PuPlayerKills => "PVP",
        Metric::PveKills => "PVE",
        Metric::VehicleDestructions => "Vehicle Destructions",
        Metric::MissionsCompleted => "Missions",
        Metric::Playtime => "Playtime",
    }
}

//! `/compare`

use i18n::format_number;

use super::CommandError;
use super::embed::{Reply, figures};
use super::interaction::Interaction;
use super::player::find_visible;
use crate::app::App;
use crate::domain::names::player_path;
use crate::domain::times::HOUR_SECS;
use crate::views::chat::escape_markdown;
use crate::views::players::PlayerView;

pub async fn show(app: &App, call: &Interaction) -> Result<Reply, CommandError> {
    let texts = call.texts();
    let first = find_visible(app, call, "first").await?;
    let second = find_visible(app, call, "second").await?;
    // The higher value is bold.
    let pair = |get: fn(&PlayerView) -> i64| {
        let (a, b) = (get(&first), get(&second));
        let shown =
            |own: i64, other: i64| if own > other { format!("**{}**", format_number(own)) } else { format_number(own) };
        format!("{} : {}", shown(a, b), shown(b, a))
    };
    let title = format!("{} : {}", escape_markdown(&first.handle), escape_markdown(&second.handle));
    let url = app.public_url.clone() + &player_path(&first.handle);
    Ok(figures(
        &title,
        &url,
        "",
        &[
            (texts.text("overall"), pair(|p| p.overall)),
            (texts.text("pu_player_kills"), pair(|p| p.pu_player_kills)),
            (texts.text("pve_kills"), pair(|p| p.pve_kills)),
            (texts.text("vehicle_destructions"), pair(|p| p.vehicle_destructions)),
            (texts.text("missions_completed"), pair(|p| p.missions_completed)),
            (texts.text("hours"), pair(|p| p.playtime / HOUR_SECS)),
            (texts.text("kd"), format!("{:.2} : {:.2}", first.kd_human, second.kd_human)),
        ],
    ))
}

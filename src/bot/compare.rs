//! `/compare`

use super::Trouble;
use super::embed::{Reply, figures};
use super::interaction::Interaction;
use super::player::visible;
use crate::app::App;
use crate::views::chat::{escape_markdown, format_number};
use crate::views::players::PlayerView;

pub async fn show(app: &App, call: &Interaction) -> Result<Reply, Trouble> {
    let words = call.language();
    let first = visible(app, call, "first").await?;
    let second = visible(app, call, "second").await?;
    // The better of the two stands out.
    let pair = |get: fn(&PlayerView) -> i64| {
        let (a, b) = (get(&first), get(&second));
        let shown =
            |own: i64, other: i64| if own > other { format!("**{}**", format_number(own)) } else { format_number(own) };
        format!("{} : {}", shown(a, b), shown(b, a))
    };
    let title = format!("{} : {}", escape_markdown(&first.handle), escape_markdown(&second.handle));
    let url = format!("{}/player/{}", app.public_url, first.handle);
    Ok(figures(
        &title,
        &url,
        "",
        &[
            (words.text("overall"), pair(|p| p.overall)),
            (words.text("pvp"), pair(|p| p.pu_player_kills)),
            (words.text("pve"), pair(|p| p.pve_kills)),
            (words.text("vehicles"), pair(|p| p.vehicle_destructions)),
            (words.text("missions"), pair(|p| p.missions_completed)),
            (words.text("hours"), pair(|p| p.playtime / 3600)),
            (words.text("kd"), format!("{:.2} : {:.2}", first.kd_human, second.kd_human)),
        ],
    ))
}

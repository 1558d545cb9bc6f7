//! `/player`

use super::embed::{Reply, figures, ranked};
use super::interaction::Interaction;
use super::{Trouble, wrong};
use crate::app::App;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::players;
use crate::views::chat::escape_markdown;
use crate::views::players::{PlayerPage, PlayerView};

pub async fn show(app: &App, call: &Interaction) -> Result<Reply, Trouble> {
    let words = call.language();
    let player = visible(app, call, "handle").await?;
    let guild = player.org_short.as_deref().map_or_else(
        || words.text("no_guild").to_owned(),
        |tag| {
            format!(
                "{} \\[{}\\]",
                escape_markdown(player.org_name.as_deref().unwrap_or_default()),
                escape_markdown(tag)
            )
        },
    );
    let seen = player.last_active.map_or_else(|| words.text("never").to_owned(), |at| format!("<t:{at}:R>"));
    let seen = words.format("last_active", &[("when", &seen)]);
    let url = format!("{}/player/{}", app.public_url, player.handle);
    // Discord keeps pictures by their address: one that has changed needs another.
    let image = format!("{}/og/player/{}.png?v={}-{}", app.public_url, player.handle, player.overall, player.playtime);
    let reply = figures(
        &escape_markdown(&player.handle),
        &url,
        &format!("{guild}\n{seen}"),
        &[
            (words.text("overall"), ranked(player.overall, player.rank_overall)),
            (words.text("pvp"), ranked(player.pu_player_kills, player.rank_pvp)),
            (words.text("pve"), ranked(player.pve_kills, player.rank_pve)),
            (words.text("vehicles"), ranked(player.vehicle_destructions, player.rank_vehicle)),
            (words.text("missions"), ranked(player.missions_completed, player.rank_missions)),
            (words.text("hours"), format!("{:.1}", player.lifetime.playtime_hours)),
        ],
    );
    Ok(reply.with_image(&image).with_button(words.text("open"), &url))
}

/// The player that an option names, when everybody may see it.
pub async fn visible(app: &App, call: &Interaction, option: &str) -> Result<PlayerView, Trouble> {
    let words = call.language();
    let handle = call.text(option).ok_or_else(|| wrong(call, option))?;
    match players::profile(app, &Viewer::Guest, handle).await {
        Ok(PlayerPage::Full(player)) => Ok(player),
        Ok(PlayerPage::Hidden(_)) => Err(Trouble::Said(words.text("hidden").to_owned())),
        Err(AppError::NotFound(_) | AppError::Validation(_)) => {
            Err(Trouble::Said(words.format("no_player", &[("name", &escape_markdown(handle))])))
        }
        Err(error) => Err(error.into()),
    }
}

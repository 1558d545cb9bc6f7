//! `/player`

use i18n::Texts;

use super::embed::{Reply, figures, ranked};
use super::interaction::Interaction;
use super::{CommandError, invalid_option};
use crate::app::App;
use crate::domain::names::player_path;
use crate::domain::times::HOUR_SECS;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::players;
use crate::views::chat::escape_markdown;
use crate::views::players::{PlayerPage, PlayerView};

pub async fn show(app: &App, call: &Interaction) -> Result<Reply, CommandError> {
    let texts = call.texts();
    let player = find_visible(app, call, "handle").await?;
    let guild = player.org_short.as_deref().map_or_else(
        || texts.text("no_guild").to_owned(),
        |tag| {
            format!(
                "{} \\[{}\\]",
                escape_markdown(player.org_name.as_deref().unwrap_or_default()),
                escape_markdown(tag)
            )
        },
    );
    let seen = player.last_active.map_or_else(|| texts.text("never").to_owned(), |at| format!("<t:{at}:R>"));
    let seen = texts.format("last_active", &[("when", &seen)]);
    let url = app.public_url.clone() + &player_path(&player.handle);
    // Discord caches images by URL, so the query changes with the figures.
    let version = format!("{}-{}-{}", player.overall, player.playtime, player.career);
    let image = format!("{}/og/player/{}.png?v={version}", app.public_url, player.handle);
    let reply = figures(&escape_markdown(&player.handle), &url, &format!("{guild}\n{seen}"), &fields(&player, texts));
    Ok(reply.with_image(&image).with_button(texts.text("open"), &url))
}

/// The figures of fights, or those of the career where there are none, as on the card.
fn fields<'a>(player: &PlayerView, texts: &'a Texts) -> Vec<(&'a str, String)> {
    let missions = (texts.text("missions_completed"), ranked(player.missions_completed, player.rank_missions));
    let hours = (texts.text("hours"), format!("{:.1}", player.lifetime.playtime_hours));
    if player.overall > 0 {
        return vec![
            (texts.text("overall"), ranked(player.overall, player.rank_overall)),
            (texts.text("pu_player_kills"), ranked(player.pu_player_kills, player.rank_pvp)),
            (texts.text("pve_kills"), ranked(player.pve_kills, player.rank_pve)),
            (texts.text("vehicle_destructions"), ranked(player.vehicle_destructions, player.rank_vehicle)),
            missions,
            hours,
        ];
    }
    vec![
        (texts.text("career"), ranked(player.career, player.rank_career)),
        missions,
        (texts.text("universe_hours"), format!("{:.1}", player.universe_time as f64 / HOUR_SECS as f64)),
        (texts.text("ships_flown"), ranked(player.ships_flown, player.rank_ships_flown)),
        hours,
    ]
}

/// The publicly visible player that an option names.
pub async fn find_visible(app: &App, call: &Interaction, option: &str) -> Result<PlayerView, CommandError> {
    let texts = call.texts();
    let handle = call.text(option).ok_or_else(|| invalid_option(call, option))?;
    match players::profile(app, &Viewer::Guest, handle).await {
        Ok(PlayerPage::Full(player)) => Ok(player),
        Ok(PlayerPage::Hidden(_)) => Err(CommandError::Reply(texts.text("hidden").to_owned())),
        Err(AppError::NotFound(_) | AppError::Validation(_)) => {
            Err(CommandError::Reply(texts.format("no_player", &[("name", &escape_markdown(handle))])))
        }
        Err(error) => Err(error.into()),
    }
}

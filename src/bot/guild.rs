//! `/guild`

use i18n::format_number;

use super::embed::{Reply, figures, ranked};
use super::interaction::Interaction;
use super::{CommandError, invalid_option};
use crate::app::App;
use crate::domain::times::HOUR_SECS;
use crate::error::AppError;
use crate::features::guilds;
use crate::views::chat::escape_markdown;

pub async fn show(app: &App, call: &Interaction) -> Result<Reply, CommandError> {
    let texts = call.texts();
    let tag = call.text("tag").ok_or_else(|| invalid_option(call, "tag"))?;
    let guild = match guilds::profile(app, tag).await {
        Ok(guild) => guild,
        Err(AppError::NotFound(_)) => {
            return Err(CommandError::Reply(texts.format("no_such_guild", &[("name", &escape_markdown(tag))])));
        }
        Err(error) => return Err(error.into()),
    };
    let best: Vec<String> = guild
        .top_members
        .iter()
        .filter(|member| member.overall > 0)
        .map(|member| format!("{} – {}", escape_markdown(&member.handle), format_number(member.overall)))
        .collect();
    let title = format!("{} \\[{}\\]", escape_markdown(&guild.name), escape_markdown(&guild.short));
    let url = format!("{}/guild/{}", app.public_url, guild.short);
    let version = format!("{}-{}-{}", guild.overall, guild.playtime, guild.career);
    let image = format!("{}/og/guild/{}.png?v={version}", app.public_url, guild.short);
    let reply = figures(
        &title,
        &url,
        &best.join("\n"),
        &[
            (texts.text("overall"), ranked(guild.overall, guild.rank_overall)),
            (texts.text("members"), format_number(guild.member_count)),
            (texts.text("active"), format_number(guild.active_member_count)),
            (texts.text("missions_completed"), format_number(guild.missions_completed)),
            (texts.text("hours"), format_number(guild.playtime / HOUR_SECS)),
        ],
    );
    Ok(reply.with_image(&image).with_button(texts.text("open"), &url))
}

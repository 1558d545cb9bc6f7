//! `/guild`

use serde_json::Value;

use super::embed::{figures, number, plain, ranked};
use super::interaction::Interaction;
use crate::app::App;
use crate::error::AppError;
use crate::features::guilds;

pub async fn show(app: &App, call: &Interaction) -> Result<Value, AppError> {
    let tag = call.text("tag").ok_or_else(|| AppError::parameter("tag", "the tag of a guild"))?;
    let guild = guilds::profile(app, tag).await?;
    let best: Vec<String> = guild
        .top_members
        .iter()
        .filter(|member| member.overall > 0)
        .map(|member| format!("{} – {}", plain(&member.handle), number(member.overall)))
        .collect();
    let title = format!("{} [{}]", guild.name, guild.short);
    let url = format!("{}/guild/{}", app.public_url, guild.short);
    Ok(figures(
        &title,
        &url,
        &best.join("\n"),
        &[
            ("Overall", ranked(guild.overall, guild.rank_overall)),
            ("Members", number(guild.member_count)),
            ("Active", number(guild.active_member_count)),
            ("Missions", number(guild.missions_completed)),
            ("Hours", number(guild.playtime / 3600)),
        ],
    ))
}

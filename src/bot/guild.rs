//! `/guild`

use super::embed::{Reply, figures, ranked};
use super::interaction::Interaction;
use super::{Trouble, wrong};
use crate::app::App;
use crate::error::AppError;
use crate::features::guilds;
use crate::views::chat::{number, plain};

pub async fn show(app: &App, call: &Interaction) -> Result<Reply, Trouble> {
    let words = call.language();
    let tag = call.text("tag").ok_or_else(|| wrong(call, "tag"))?;
    let guild = match guilds::profile(app, tag).await {
        Ok(guild) => guild,
        Err(AppError::NotFound(_)) => {
            return Err(Trouble::Said(words.say("no_such_guild", &[("name", &plain(tag))])));
        }
        Err(error) => return Err(error.into()),
    };
    let best: Vec<String> = guild
        .top_members
        .iter()
        .filter(|member| member.overall > 0)
        .map(|member| format!("{} – {}", plain(&member.handle), number(member.overall)))
        .collect();
    let title = format!("{} \\[{}\\]", plain(&guild.name), plain(&guild.short));
    let url = format!("{}/guild/{}", app.public_url, guild.short);
    let image = format!("{}/og/guild/{}.png?v={}-{}", app.public_url, guild.short, guild.overall, guild.playtime);
    let reply = figures(
        &title,
        &url,
        &best.join("\n"),
        &[
            (words.word("overall"), ranked(guild.overall, guild.rank_overall)),
            (words.word("members"), number(guild.member_count)),
            (words.word("active"), number(guild.active_member_count)),
            (words.word("missions"), number(guild.missions_completed)),
            (words.word("hours"), number(guild.playtime / 3600)),
        ],
    );
    Ok(reply.with_image(&image).with_button(words.word("open"), &url))
}

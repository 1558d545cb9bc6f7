//! Settings of a guild: logo, banner and invite link.

use std::sync::Arc;

use crate::app::App;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::{guilds, uploads};
use crate::store::changes::{self, Change, EntityChange};
use crate::store::guilds as stored;
use crate::store::settings::GuildChange;
use crate::store::{Tx, settings, users};
use crate::views::guilds::GuildSettings;
use crate::views::settings::GuildSettingsChange;

use super::pictures;

const NOT_YOURS: &str = "You can only edit your own guild profile.";
const INVITE_PREFIXES: [&str; 2] = ["https://discord.gg/", "https://discord.com/invite/"];
const MAX_LINK_CHARS: usize = 200;

/// Changes the settings that a request contains; returns all settings.
pub async fn save(app: &Arc<App>, member: &Member, change: GuildSettingsChange) -> Result<GuildSettings, AppError> {
    if !member.is_admin && change.discord_id.as_ref().is_some_and(|id| *id != member.discord_id) {
        return Err(AppError::Forbidden(NOT_YOURS.into()));
    }
    if !member.is_admin && member.guild_ownership.is_none() {
        return Err(AppError::Forbidden("You must be a guild owner to edit guild profiles.".into()));
    }
    let guild = guilds::find(&app.store, change.guild_short.trim()).await?;
    if !member.may_edit_guild(&guild.tag) {
        return Err(AppError::Forbidden(NOT_YOURS.into()));
    }
    let discord_link = change.discord_link.map(|link| link.map_or(Ok(None), |text| parse_invite(&text))).transpose()?;
    let (member, id) = (member.clone(), guild.id);
    let (guild_image, banner_image) = (change.guild_image, change.banner_image);
    let user_id = member.user_id;
    let act = move |tx: &mut Tx| {
        users::lock(tx, member.user_id)?;
        stored::lock(tx, id)?;
        let guild = stored::find_many(tx, &[id])?.into_iter().next().ok_or_else(AppError::guild_not_found)?;
        // The permission may have been lost since the request arrived.
        let owned = users::find(tx, member.user_id)?.and_then(|user| user.guild_id);
        if !member.is_admin && owned != Some(id) {
            return Err(AppError::Forbidden(NOT_YOURS.into()));
        }
        let (mut replaced, user_id) = (Vec::new(), member.user_id);
        let (now, new) = (guild.guild_image.as_ref(), guild_image.as_ref());
        let guild_image = pictures::assign(tx, user_id, "guildImage", now, new, &mut replaced)?;
        let (now, new) = (guild.banner_image.as_ref(), banner_image.as_ref());
        let banner_image = pictures::assign(tx, user_id, "bannerImage", now, new, &mut replaced)?;
        let change = GuildChange { guild_image, banner_image, discord_link: discord_link.clone() };
        settings::change_guild(tx, id, &change)?;
        let entities = EntityChange { guilds: vec![id], ..EntityChange::default() };
        changes::record(tx, Change::Entities(entities))?;
        Ok::<_, AppError>(replaced)
    };
    let replaced = app.store.write(act).await?;
    tracing::info!(user = user_id, guild = id, "guild settings were changed");
    uploads::delete_files(&app.uploads, &replaced).await;
    guilds::settings(&app.store, &guild.tag).await
}

/// Validates an invite link of Discord. An empty text means no link.
fn parse_invite(text: &str) -> Result<Option<String>, AppError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let code = INVITE_PREFIXES.iter().find_map(|start| text.strip_prefix(start));
    let is_code =
        |code: &str| !code.is_empty() && code.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    match code {
        None => Err(AppError::Validation("Discord link must start with https://discord.gg/".into())),
        Some(code) if text.chars().count() <= MAX_LINK_CHARS && is_code(code) => Ok(Some(text.to_owned())),
        Some(_) => Err(AppError::Validation("Discord link must end with an invite code.".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_discord_invites_are_accepted() {
        assert_eq!(parse_invite(" ").unwrap(), None);
        for good in ["https://discord.gg/abc-123", "https://discord.com/invite/Abc_1"] {
            assert_eq!(parse_invite(good).unwrap().as_deref(), Some(good));
        }
        for bad in [
            "javascript:alert(1)",
            "http://discord.gg/abc",
            "https://discord.gg.evil.example/abc",
            "https://discord.gg/",
            "https://discord.gg/../../oauth2/authorize?x",
            "https://discord.gg/abc\"onclick=x",
            "https://discord.com/invite/abc#https://evil.example",
        ] {
            assert!(parse_invite(bad).is_err(), "{bad}");
        }
    }
}

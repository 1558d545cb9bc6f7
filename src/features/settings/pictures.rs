//! Pictures in settings: each is the user's own upload, is used once, and is deleted when it is replaced.

use crate::error::AppError;
use crate::store::settings::{self, GuildChange, PlayerChange};
use crate::store::{Tx, guilds, players, uploads};

/// Assigns an uploaded picture, and removes the row of the one it replaces, whose file must be deleted after the commit.
/// Returns the value to write.
pub fn assign(
    tx: &mut Tx,
    user_id: i64,
    name: &str,
    now: Option<&String>,
    wanted: Option<&Option<String>>,
    replaced: &mut Vec<String>,
) -> Result<Option<Option<String>>, AppError> {
    let Some(wanted) = wanted.filter(|wanted| wanted.as_ref() != now) else { return Ok(None) };
    if let Some(path) = wanted
        && !uploads::mark_used(tx, user_id, path)?
    {
        return Err(AppError::invalid_value(
            name,
            path,
            "the path of a picture that you uploaded and that is not in use",
        ));
    }
    if let Some(old) = now {
        uploads::remove(tx, old)?;
        replaced.push(old.clone());
    }
    Ok(Some(wanted.clone()))
}

/// Clears pictures and stickers of a player whose owner leaves, so that the next owner does not inherit them, and deletes what the owner
/// shared. Returns the paths whose files must be deleted after the commit.
pub fn clear_player(tx: &mut Tx, player_id: i64) -> Result<Vec<String>, AppError> {
    players::lock(tx, &[player_id])?;
    let Some(player) = players::find_by_id(tx, player_id)? else { return Ok(Vec::new()) };
    let nothing = PlayerChange {
        profile_image: Some(None),
        banner_image: Some(None),
        stickers: Some(None),
        shares_pay: Some(false),
        shares_places: Some(false),
        ..PlayerChange::default()
    };
    settings::change_player(tx, player_id, &nothing)?;
    remove_rows(tx, [player.profile_image, player.banner_image])
}

/// Clears logo, banner and invite link of a guild. Returns the paths whose files must be deleted after the commit.
pub fn clear_guild(tx: &mut Tx, guild_id: i64) -> Result<Vec<String>, AppError> {
    guilds::lock(tx, guild_id)?;
    let Some(guild) = guilds::find_many(tx, &[guild_id])?.into_iter().next() else { return Ok(Vec::new()) };
    let nothing = GuildChange { guild_image: Some(None), banner_image: Some(None), discord_link: Some(None) };
    settings::change_guild(tx, guild_id, &nothing)?;
    remove_rows(tx, [guild.guild_image, guild.banner_image])
}

fn remove_rows(tx: &mut Tx, images: [Option<String>; 2]) -> Result<Vec<String>, AppError> {
    let paths: Vec<String> = images.into_iter().flatten().collect();
    for path in &paths {
        uploads::remove(tx, path)?;
    }
    Ok(paths)
}

//! Uploaded pictures of players and guilds: permissions, storage and deletion.
//!
//! A picture is in use once settings refer to it. A row is written after its file and removed before it, so a crash leaves at
//! most a file without a row, which [`delete_unused`] removes.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::app::{App, Uploads};
use crate::domain::times::DAY_MS;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::files::{FileName, Fit, PictureKind};
use crate::store::changes::{self, Change, EntityChange, lock_sequence};
use crate::store::settings::{self, GuildChange, PlayerChange};
use crate::store::{Tx, guilds, players, uploads, users};

/// The URL path of stored pictures.
const PATH_PREFIX: &str = "/uploads/";
/// The maximum number of unused pictures of one user.
const MAX_UNUSED: i64 = 20;
/// How long an upload waits for an earlier one of the same user, and again for a free slot.
const SLOT_WAIT: Duration = Duration::from_secs(10);

/// Whether a picture is for a player or a guild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Player,
    Guild,
}

/// An upload route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The last segment of the route.
    name: &'static str,
    /// The maximum size of the uploaded file.
    max_bytes: usize,
    fit: Fit,
    /// The owner of the picture, if the route implies it. Cropped pictures state it in the form.
    owner: Option<Owner>,
}

impl Target {
    pub const PROFILE_IMAGE: Self = Self::new("profile-image", 5, Fit::PROFILE, Some(Owner::Player));
    pub const PROFILE_BANNER_IMAGE: Self = Self::new("profile-banner-image", 15, Fit::BANNER, Some(Owner::Player));
    pub const GUILD_IMAGE: Self = Self::new("guild-image", 10, Fit::PROFILE, Some(Owner::Guild));
    pub const BANNER_IMAGE: Self = Self::new("banner-image", 10, Fit::BANNER, Some(Owner::Guild));
    pub const CROPPED_PROFILE_IMAGE: Self = Self::new("cropped-profile-image", 10, Fit::PROFILE, None);
    pub const CROPPED_BANNER_IMAGE: Self = Self::new("cropped-banner-image", 10, Fit::BANNER, None);

    const fn new(name: &'static str, max_mib: usize, fit: Fit, owner: Option<Owner>) -> Self {
        Self { name, max_bytes: max_mib * 1024 * 1024, fit, owner }
    }
}

/// Stores an uploaded picture; returns its path. `read` receives the maximum number of bytes and is called only if the member
/// may upload; it returns the picture and the owner that the form states for a cropped one.
pub async fn save(
    app: &App,
    member: &Member,
    target: Target,
    read: impl AsyncFnOnce(usize) -> Result<(Bytes, Owner), AppError>,
) -> Result<String, AppError> {
    match target.owner {
        Some(owner) => require_upload_right(member, owner)?,
        // The form states the owner, so it is read only from members who own a player or a guild.
        None => require_upload_right(member, Owner::Guild).or_else(|_| require_upload_right(member, Owner::Player))?,
    }
    let own = tokio::time::timeout(SLOT_WAIT, app.uploads.in_progress.lock(member.user_id)).await;
    let _own = own.map_err(|_| in_progress())?;
    let slot = tokio::time::timeout(SLOT_WAIT, app.uploads.slots.acquire()).await;
    let _slot = slot.ok().and_then(Result::ok).ok_or(AppError::Overloaded)?;
    let (image, owner) = read(target.max_bytes).await?;
    require_upload_right(member, target.owner.unwrap_or(owner))?;
    let picture = app.uploads.pictures.re_encode(image, target.max_bytes, target.fit).await?;
    let bytes = i64::try_from(picture.bytes.len()).unwrap_or(i64::MAX);
    let name = app.uploads.files.put(picture.bytes, picture.kind).await?;
    let (path, user_id, now) = (format!("{PATH_PREFIX}{name}"), member.user_id, app.store.now().0);
    let row = path.clone();
    let insert = move |tx: &mut Tx| {
        users::lock(tx, user_id)?;
        uploads::insert(tx, user_id, &row, target.name, bytes, now)?;
        Ok::<_, AppError>(uploads::remove_oldest_unused(tx, user_id, MAX_UNUSED)?)
    };
    match app.store.write(insert).await {
        Ok(dropped) => delete_files(&app.uploads, &dropped).await,
        Err(error) => {
            remove_file(&app.uploads, &name).await;
            return Err(error);
        }
    }
    Ok(path)
}

fn in_progress() -> AppError {
    AppError::RateLimited {
        sentence: "Another upload of your account is in progress. Please wait until it has finished.".into(),
        retry_after_secs: SLOT_WAIT.as_secs(),
    }
}

fn require_upload_right(member: &Member, owner: Owner) -> Result<(), AppError> {
    let (owns, sentence) = match owner {
        Owner::Player => (
            member.player_id.is_some(),
            "You must have a claimed Star Citizen profile to edit settings. Please claim your profile first.",
        ),
        Owner::Guild => (member.guild_ownership.is_some(), "You must be a guild owner to edit guild profiles."),
    };
    if owns || member.is_admin { Ok(()) } else { Err(AppError::Forbidden(sentence.into())) }
}

/// Removes one of the user's own pictures, or any picture for admins, and all references to it.
pub async fn remove(app: &Arc<App>, member: &Member, path: &str) -> Result<(), AppError> {
    let invalid = || AppError::invalid_value("imagePath", path, "the path of an uploaded picture");
    file_name(path).ok_or_else(invalid)?;
    let (wanted, member) = (path.to_owned(), member.clone());
    let act = move |tx: &mut Tx| {
        let row = uploads::find(tx, &wanted)?.ok_or_else(|| AppError::NotFound("Picture not found.".into()))?;
        if row.user_id != member.user_id && !member.is_admin {
            return Err(AppError::Forbidden("You can only remove your own pictures.".into()));
        }
        let entities = clear_references(tx, std::slice::from_ref(&wanted))?;
        uploads::remove(tx, &wanted)?;
        Ok::<_, AppError>(changes::record(tx, Change::Entities(entities))?)
    };
    app.store.write(act).await?;
    delete_files(&app.uploads, &[path.to_owned()]).await;
    Ok(())
}

/// Removes pictures from all players and guilds that refer to them; returns what was changed.
pub fn clear_references(tx: &mut Tx, paths: &[String]) -> Result<EntityChange, AppError> {
    let players = settings::players_showing(tx, paths)?;
    players::lock(tx, &players)?;
    let cleared = |image: &Option<String>| image.as_ref().is_some_and(|path| paths.contains(path)).then_some(None);
    for id in &players {
        let Some(player) = players::find_by_id(tx, *id)? else { continue };
        let (profile_image, banner_image) = (cleared(&player.profile_image), cleared(&player.banner_image));
        settings::change_player(tx, *id, &PlayerChange { profile_image, banner_image, ..PlayerChange::default() })?;
    }
    lock_sequence(tx)?;
    let guilds = settings::guilds_showing(tx, paths)?;
    for guild in guilds::find_many(tx, &guilds)? {
        guilds::lock(tx, guild.id)?;
        let (guild_image, banner_image) = (cleared(&guild.guild_image), cleared(&guild.banner_image));
        settings::change_guild(tx, guild.id, &GuildChange { guild_image, banner_image, ..GuildChange::default() })?;
    }
    Ok(EntityChange { players, guilds, ..EntityChange::default() })
}

/// Deletes the files of pictures whose rows were removed. Failures are left to [`delete_unused`].
pub async fn delete_files(uploads: &Uploads, paths: &[String]) {
    for name in paths.iter().filter_map(|path| file_name(path)) {
        remove_file(uploads, &name).await;
    }
}

async fn remove_file(uploads: &Uploads, name: &FileName) {
    if let Err(error) = uploads.files.delete(name).await {
        tracing::warn!(%error, "a picture could not be deleted; the next cleanup tries again");
    }
}

/// A stored picture. Its unguessable name is the permission to see it.
pub async fn picture(uploads: &Uploads, name: &str) -> Result<(Bytes, PictureKind), AppError> {
    let missing = || AppError::NotFound("File not found.".into());
    let name = FileName::parse(name).ok_or_else(missing)?;
    let bytes = uploads.files.get(&name).await?.ok_or_else(missing)?;
    Ok((bytes, name.kind()))
}

/// Reads a stored picture by the path in settings; `None` if it is not one of this site's or was deleted.
pub async fn read_by_path(uploads: &Uploads, path: &str) -> Result<Option<Bytes>, AppError> {
    let Some(name) = file_name(path) else { return Ok(None) };
    Ok(uploads.files.get(&name).await?)
}

fn file_name(path: &str) -> Option<FileName> {
    FileName::parse(path.strip_prefix(PATH_PREFIX)?)
}

/// Deletes pictures that no settings referred to in time, and files without a row; returns the number of files.
pub async fn delete_unused(app: &App) -> Result<usize, AppError> {
    let before = app.store.now().0 - app.settings.retention.unused_uploads_days * DAY_MS;
    let unused = app.store.write(move |tx| uploads::remove_unused(tx, before).map_err(AppError::from)).await?;
    delete_files(&app.uploads, &unused).await;
    // A younger file may not have its row yet.
    let listed = app.uploads.files.list().await?;
    let old: Vec<FileName> = listed.into_iter().filter(|f| f.modified_at.0 < before).map(|f| f.name).collect();
    let paths: Vec<String> = old.iter().map(|name| format!("{PATH_PREFIX}{name}")).collect();
    let known: HashSet<String> =
        app.store.read(move |conn| uploads::find_existing(conn, &paths)).await?.into_iter().collect();
    let orphans: Vec<String> =
        old.iter().map(|name| format!("{PATH_PREFIX}{name}")).filter(|path| !known.contains(path)).collect();
    delete_files(&app.uploads, &orphans).await;
    Ok(unused.len() + orphans.len())
}

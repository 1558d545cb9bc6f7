//! Pictures of commit authors and avatars of users: fetched by the server, re-encoded and cached, so that the sources never see
//! a visitor's address. Only pictures of stored commits and users are fetched.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use crate::app::{App, Avatars};
use crate::config::Settings;
use crate::error::AppError;
use crate::files::{Fit, PictureKind};
use crate::store::users::UserRow;
use crate::store::{commits, users};
use crate::upstream::avatars::AvatarClient;
use crate::upstream::http_client::FetchError;
use crate::views::commits::picture_key;

/// Hosts of picture URLs in GitHub's API.
const HOSTS: [&str; 2] = ["avatars.githubusercontent.com", "secure.gravatar.com"];
const SIZE: Fit = Fit { width: 96, height: 96 };
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// How long a cached picture is served before it is fetched again.
const PICTURE_TTL: Duration = Duration::from_secs(7 * 86_400);
/// How long a missing or unusable picture is not requested again.
const MISSING_TTL: Duration = Duration::from_secs(3_600);
/// The file extension that marks a missing picture.
const MISSING_EXTENSION: &str = "none";
const EXTENSIONS: [&str; 3] = ["jpg", "webp", MISSING_EXTENSION];
/// Cached pictures that were not fetched for this long are no longer in use.
const UNUSED_AFTER: Duration = Duration::from_secs(30 * 86_400);

/// Creates the client for author pictures. If GitHub's API is a mock server on this machine, its host is allowed too.
pub fn fetcher(settings: &Settings) -> Result<AvatarClient, FetchError> {
    let api = settings.github.api_url.split_once("://").map_or("", |(_, rest)| rest);
    let host = api.split(['/', ':']).next().unwrap_or_default();
    let local = (host == "127.0.0.1").then(|| host.to_owned());
    AvatarClient::new(HOSTS.map(ToOwned::to_owned).into_iter().chain(local))
}

/// Creates the client for Discord avatars, which only contacts the configured host.
pub fn discord_fetcher(settings: &Settings) -> Result<AvatarClient, FetchError> {
    AvatarClient::for_host(&settings.discord.cdn_url)
}

/// The picture of a commit author by its key, and its media type.
pub async fn author_picture(app: &App, key: &str) -> Result<(Bytes, &'static str), AppError> {
    if !is_key(key) {
        return Err(not_found());
    }
    let wanted = key.to_owned();
    let source = async || {
        let urls = app.store.read(commits::avatar_urls).await?;
        urls.into_iter().find(|url| picture_key(url) == wanted).ok_or_else(not_found)
    };
    get_or_fetch(&app.avatars, &app.avatars.authors, &dir(&app.settings), key, source).await
}

/// The avatar of a user, and its media type. Only the current key is valid.
pub async fn user_avatar(app: &App, user_id: i64, key: &str) -> Result<(Bytes, &'static str), AppError> {
    let user = app.store.read(move |conn| users::find(conn, user_id)).await?.ok_or_else(not_found)?;
    let url = discord_url(&app.settings, &user).filter(|url| picture_key(url) == key).ok_or_else(not_found)?;
    get_or_fetch(&app.avatars, &app.avatars.users, &users_dir(&app.settings), key, async || Ok(url)).await
}

/// The URL path of a user's avatar; `None` without one.
pub fn user_avatar_path(settings: &Settings, user: &UserRow) -> Option<String> {
    Some(format!("/avatars/users/{}/{}", user.id, picture_key(&discord_url(settings, user)?)))
}

/// The URL of a user's avatar at Discord, as PNG, also for animated ones.
fn discord_url(settings: &Settings, user: &UserRow) -> Option<String> {
    let hash = user.discord_avatar.as_deref()?;
    let is_hash = (1..=64).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_hash.then(|| format!("{}/avatars/{}/{hash}.png?size=128", settings.discord.cdn_url, user.discord_id))
}

/// Removes the cached avatar of a deleted user.
pub async fn remove_cached(settings: &Settings, user: &UserRow) {
    if let Some(url) = discord_url(settings, user) {
        let (dir, key) = (users_dir(settings), picture_key(&url));
        for extension in EXTENSIONS {
            // Most of these files do not exist.
            let _ = tokio::fs::remove_file(file(&dir, &key, extension)).await;
        }
    }
}

/// Removes cached pictures that are no longer in use; returns their number.
pub async fn remove_unused(settings: &Settings) -> Result<usize, AppError> {
    let pictures = remove_unused_in(&dir(settings)).await.map_err(AppError::internal)?;
    Ok(pictures + remove_unused_in(&users_dir(settings)).await.map_err(AppError::internal)?)
}

async fn remove_unused_in(dir: &Path) -> std::io::Result<usize> {
    let mut entries = match tokio::fs::read_dir(dir).await {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut removed = 0;
    while let Some(entry) = entries.next_entry().await? {
        let facts = entry.metadata().await?;
        let age = facts.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok()).unwrap_or_default();
        if facts.is_file() && age > UNUSED_AFTER && tokio::fs::remove_file(entry.path()).await.is_ok() {
            removed += 1;
        }
    }
    Ok(removed)
}

fn dir(settings: &Settings) -> PathBuf {
    settings.data_dir.join("avatars")
}

/// Separate from author pictures: an avatar is served only together with its user's id.
fn users_dir(settings: &Settings) -> PathBuf {
    dir(settings).join("users")
}

fn is_key(key: &str) -> bool {
    key.len() == 32 && key.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// Returns the cached picture of a key, or fetches and re-encodes it from its source.
async fn get_or_fetch(
    avatars: &Avatars,
    fetcher: &AvatarClient,
    dir: &Path,
    key: &str,
    source: impl AsyncFnOnce() -> Result<String, AppError>,
) -> Result<(Bytes, &'static str), AppError> {
    if let Some(found) = read_cached(dir, key, PICTURE_TTL).await {
        return found.ok_or_else(not_found);
    }
    let url = source().await?;
    let _slot = avatars.slots.acquire().await.map_err(AppError::internal)?;
    // Another request may have fetched it in the meantime.
    if let Some(found) = read_cached(dir, key, PICTURE_TTL).await {
        return found.ok_or_else(not_found);
    }
    match fetch(avatars, fetcher, &url).await {
        Ok((bytes, kind)) => {
            write_cached(dir, key, kind.extension(), &bytes).await;
            Ok((bytes, kind.media_type()))
        }
        Err(why) => {
            tracing::debug!(why, "a picture could not be fetched");
            // A stale picture is better than none.
            if let Some(Some(found)) = read_cached(dir, key, Duration::MAX).await {
                return Ok(found);
            }
            write_cached(dir, key, MISSING_EXTENSION, b"").await;
            Err(not_found())
        }
    }
}

fn not_found() -> AppError {
    AppError::NotFound("Picture not found.".into())
}

async fn fetch(avatars: &Avatars, fetcher: &AvatarClient, url: &str) -> Result<(Bytes, PictureKind), String> {
    let found = fetcher.fetch(url).await.map_err(|error| error.to_string())?;
    let bytes = found.ok_or_else(|| "the source does not have the picture".to_owned())?;
    let picture = avatars.pictures.re_encode(bytes, MAX_BYTES, SIZE).await.map_err(|error| error.to_string())?;
    Ok((picture.bytes, picture.kind))
}

/// Reads a cached picture that is younger than `max_age`. `Some(None)` means that it is known to be missing.
async fn read_cached(dir: &Path, key: &str, max_age: Duration) -> Option<Option<(Bytes, &'static str)>> {
    for (extension, media_type) in
        [("jpg", Some("image/jpeg")), ("webp", Some("image/webp")), (MISSING_EXTENSION, None)]
    {
        let path = file(dir, key, extension);
        let Ok(facts) = tokio::fs::metadata(&path).await else { continue };
        let age = facts.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok()).unwrap_or_default();
        match media_type {
            None if age < MISSING_TTL && max_age != Duration::MAX => return Some(None),
            Some(media_type) if age < max_age => {
                let bytes = tokio::fs::read(&path).await.ok()?;
                return Some(Some((bytes.into(), media_type)));
            }
            _ => {}
        }
    }
    None
}

/// Caches a picture. Errors are logged and the picture is fetched again next time.
async fn write_cached(dir: &Path, key: &str, extension: &str, bytes: &[u8]) {
    let write = async {
        tokio::fs::create_dir_all(dir).await?;
        let half = file(dir, key, "part");
        tokio::fs::write(&half, bytes).await?;
        for other in EXTENSIONS {
            if other != extension {
                // Most of these files do not exist.
                let _ = tokio::fs::remove_file(file(dir, key, other)).await;
            }
        }
        tokio::fs::rename(&half, file(dir, key, extension)).await
    };
    if let Err(error) = write.await {
        tracing::warn!(%error, "a picture could not be cached");
    }
}

fn file(dir: &Path, key: &str, extension: &str) -> PathBuf {
    dir.join(format!("{key}.{extension}"))
}

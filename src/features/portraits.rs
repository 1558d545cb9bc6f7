//! Pictures of commits' authors: fetched by us, made anew, and kept for a while, so that no visitor's address reaches the
//! site they come from. Only pictures of known commits are fetched.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use crate::app::App;
use crate::config::Settings;
use crate::error::AppError;
use crate::files::{Fit, PictureKind, Wanted};
use crate::store::commits;
use crate::upstream::avatars::Avatars;
use crate::upstream::outbound::FetchError;
use crate::views::commits::picture_key;

/// Hosts that GitHub names for pictures.
const HOSTS: [&str; 2] = ["avatars.githubusercontent.com", "secure.gravatar.com"];
const SIZE: u32 = 96;
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// How long a picture is good.
const FRESH: Duration = Duration::from_secs(7 * 86_400);
/// How long a picture that is not there, or cannot be used, is not asked for again.
const MISSING: Duration = Duration::from_secs(3_600);
/// The ending of the note that there is no picture.
const NONE: &str = "none";

/// The fetcher. A stand-in of GitHub on this machine may name pictures on this machine.
pub fn fetcher(settings: &Settings, user_agent: &str) -> Result<Avatars, FetchError> {
    let api = settings.github.api_url.split_once("://").map_or("", |(_, rest)| rest);
    let host = api.split(['/', ':']).next().unwrap_or_default();
    let local = (host == "127.0.0.1").then(|| host.to_owned());
    Avatars::new(user_agent, HOSTS.map(ToOwned::to_owned).into_iter().chain(local))
}

/// The picture under a key, of our own making, and its type.
pub async fn portrait(app: &App, key: &str) -> Result<(Bytes, &'static str), AppError> {
    if key.len() != 32 || !key.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
        return Err(not_there());
    }
    let dir = app.settings.data_dir.join("avatars");
    if let Some(found) = kept(&dir, key, FRESH).await {
        return found.ok_or_else(not_there);
    }
    let wanted = key.to_owned();
    let urls = app.store.read(commits::picture_urls).await?;
    let url = urls.into_iter().find(|url| picture_key(url) == wanted).ok_or_else(not_there)?;
    let _slot = app.portrait_slots.acquire().await.map_err(AppError::internal)?;
    // Whoever held the slot before may have fetched it.
    if let Some(found) = kept(&dir, key, FRESH).await {
        return found.ok_or_else(not_there);
    }
    match fetch(app, &url).await {
        Ok((bytes, kind)) => {
            keep(&dir, key, kind.ending(), &bytes).await;
            Ok((bytes, kind.media_type()))
        }
        Err(why) => {
            tracing::debug!(why, "a picture could not be fetched");
            // An old picture is better than none.
            if let Some(Some(found)) = kept(&dir, key, Duration::MAX).await {
                return Ok(found);
            }
            keep(&dir, key, NONE, b"").await;
            Err(not_there())
        }
    }
}

fn not_there() -> AppError {
    AppError::NotFound("There is no such picture.".into())
}

async fn fetch(app: &App, url: &str) -> Result<(Bytes, PictureKind), String> {
    let found = app.portraits.fetch(url).await.map_err(|error| error.to_string())?;
    let bytes = found.ok_or_else(|| "there is none".to_owned())?;
    let wanted = Wanted { max_bytes: MAX_BYTES, fit: Fit::Cover { width: SIZE, height: SIZE, crop: None } };
    let picture = app.pictures.re_encode(bytes, wanted).await.map_err(|error| error.to_string())?;
    Ok((picture.bytes, picture.kind))
}

/// What is kept under a key and young enough: a picture, or the note that there is none.
async fn kept(dir: &Path, key: &str, fresh: Duration) -> Option<Option<(Bytes, &'static str)>> {
    for (ending, media_type) in [("jpg", Some("image/jpeg")), ("webp", Some("image/webp")), (NONE, None)] {
        let path = file(dir, key, ending);
        let Ok(facts) = tokio::fs::metadata(&path).await else { continue };
        let age = facts.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok()).unwrap_or_default();
        match media_type {
            None if age < MISSING && fresh != Duration::MAX => return Some(None),
            Some(media_type) if age < fresh => {
                let bytes = tokio::fs::read(&path).await.ok()?;
                return Some(Some((bytes.into(), media_type)));
            }
            _ => {}
        }
    }
    None
}

/// Keeps a picture; one that cannot be kept is fetched again the next time.
async fn keep(dir: &Path, key: &str, ending: &str, bytes: &[u8]) {
    let write = async {
        tokio::fs::create_dir_all(dir).await?;
        let half = file(dir, key, "part");
        tokio::fs::write(&half, bytes).await?;
        for other in ["jpg", "webp", NONE] {
            if other != ending {
                // Most of the time there is none.
                let _ = tokio::fs::remove_file(file(dir, key, other)).await;
            }
        }
        tokio::fs::rename(&half, file(dir, key, ending)).await
    };
    if let Err(error) = write.await {
        tracing::warn!(%error, "a picture could not be kept");
    }
}

fn file(dir: &Path, key: &str, ending: &str) -> PathBuf {
    dir.join(format!("{key}.{ending}"))
}

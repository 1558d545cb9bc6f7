//! Authenticates interactions from Discord.

use crate::app::App;
use crate::config::Settings;
use crate::error::AppError;
use crate::upstream::signature::{InteractionKey, SignatureError, parse_headers};

/// Verifies the signature of an interaction and rejects replays.
pub fn verify(app: &App, signature: Option<&str>, timestamp: Option<&str>, body: &[u8]) -> Result<(), AppError> {
    let key = key(&app.settings)?;
    let now = app.store.now();
    key.verify(signature, timestamp, body, now)
        .and_then(|()| app.discord.replay_guard.record(signature.unwrap_or_default(), now))
        .map_err(unauthorized)
}

/// Requires a configured key, a well-formed signature and a recent timestamp, before the body is read.
pub fn require_signature(app: &App, signature: Option<&str>, timestamp: Option<&str>) -> Result<(), AppError> {
    key(&app.settings)?;
    parse_headers(signature, timestamp, app.store.now()).map(drop).map_err(unauthorized)
}

fn key(settings: &Settings) -> Result<InteractionKey, AppError> {
    let key = settings.discord.public_key.as_deref().and_then(InteractionKey::parse);
    key.ok_or_else(|| AppError::NotFound("No bot is set up on this site.".into()))
}

fn unauthorized(refused: SignatureError) -> AppError {
    AppError::Unauthorized(format!("Invalid call: {refused}."))
}

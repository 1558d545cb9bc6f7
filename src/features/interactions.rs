//! Whether a call really comes from Discord.

use crate::app::App;
use crate::error::AppError;
use crate::upstream::signature::{InteractionKey, SignatureError, parse_headers};

/// Judges the signature of a call before anything of it is read; a call that was believed before is not believed again.
pub fn verify(app: &App, signature: Option<&str>, timestamp: Option<&str>, body: &[u8]) -> Result<(), AppError> {
    let key = key(app)?;
    let now = App::now();
    key.verify(signature, timestamp, body, now)
        .and_then(|()| app.replay_guard.record(signature.unwrap_or_default(), now))
        .map_err(not_believed)
}

/// Requires that a call can be a good one, before its body is read: a key in the settings, a signature of the right form and a
/// time that is not long ago.
pub fn require_signature(app: &App, signature: Option<&str>, timestamp: Option<&str>) -> Result<(), AppError> {
    key(app)?;
    parse_headers(signature, timestamp, App::now()).map(drop).map_err(not_believed)
}

fn key(app: &App) -> Result<InteractionKey, AppError> {
    let key = app.settings.discord.public_key.as_deref().and_then(InteractionKey::parse);
    key.ok_or_else(|| AppError::NotFound("No bot is set up on this site.".into()))
}

fn not_believed(refused: SignatureError) -> AppError {
    AppError::Unauthorized(format!("The call is not believed: {refused}."))
}

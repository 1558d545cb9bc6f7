//! Whether a call really comes from Discord.

use crate::app::App;
use crate::error::AppError;
use crate::upstream::interactions::InteractionKey;

/// Judges the signature of a call before anything of it is read; a call that was believed before is not believed again.
pub fn verify(app: &App, signature: Option<&str>, timestamp: Option<&str>, body: &[u8]) -> Result<(), AppError> {
    let key = app.settings.discord.public_key.as_deref().and_then(InteractionKey::parse);
    let key = key.ok_or_else(|| AppError::NotFound("No bot is set up on this site.".into()))?;
    let now = App::now();
    key.verify(signature, timestamp, body, now)
        .and_then(|()| app.seen_calls.first_time(signature.unwrap_or_default(), now))
        .map_err(|refused| AppError::Unauthorized(format!("The call is not believed: {refused}.")))
}

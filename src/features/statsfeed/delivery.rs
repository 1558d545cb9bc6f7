//! Posting messages to Discord: the lease, retries, and the reaction to errors.
//!
//! Each message carries the id of its outbox row as nonce, so Discord does not post it twice within a few minutes. After that,
//! the channel is searched for the message's footer before it is sent again.

use std::time::Duration;

use net::Backoff;

use super::feed::Feed;
use super::message;
use super::render::render;
use crate::app::App;
use crate::error::AppError;
use crate::features::leases::Lease;
use crate::features::webhooks;
use crate::store::statsfeed::{self, OutboxRow};
use crate::store::{Store, leases};
use crate::upstream::discord::{Discord, DiscordError};

/// The name of the job and of its lease, which lets one process post.
pub const JOB: &str = "statsfeed";
/// More than twice as long as a call, so that the lease does not expire during one.
const LEASE_TTL: Duration = Duration::from_secs(30);
/// Pause between two messages to a channel; events in between share a message.
const MIN_INTERVAL_MS: i64 = 1_000;
/// How long Discord is certain to remember a nonce.
const NONCE_TTL_MS: i64 = 120_000;
/// Pause of all feeds after Discord rejects the token.
const TOKEN_ERROR_PAUSE_MS: i64 = 600_000;
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(2), Duration::from_secs(300));

/// Posts to subscribed channels while this process holds the lease.
pub struct Sender {
    pub(super) discord: Discord,
    lease: Lease,
}

impl Sender {
    /// `None` if no bot is configured.
    pub fn from_app(app: &App) -> Option<Self> {
        app.settings.discord.bot_token.as_ref()?;
        Some(Self { discord: app.discord.bot.clone()?, lease: Lease::new(JOB, LEASE_TTL) })
    }

    /// Extends the lease. Returns the end of the current pause of all feeds, or `None` if another process holds the lease.
    pub(super) async fn extend_lease(&self, app: &App) -> Result<Option<i64>, AppError> {
        Ok(self.lease.acquire_if_due(app).await?.map(|lease| lease.paused_until))
    }

    /// Sends the queued message of a feed.
    pub(super) async fn send(&self, app: &App, feed: &Feed) -> Result<(), AppError> {
        let Some(outbox) = feed.outbox.clone() else { return Ok(()) };
        // Another process may have taken the lease while this call waited for its turn.
        if self.extend_lease(app).await?.is_none_or(|pause| pause > app.store.now().0)
            || !self.discord.blocked_for().is_zero()
        {
            return Ok(());
        }
        let footer = message::footer(&app.settings.site.name, &outbox.id.to_string());
        let started_at = app.store.now().0;
        let is_first_attempt = outbox.attempted_at.is_none();
        if let Some(attempted_at) = outbox.attempted_at.filter(|at| started_at - at > NONCE_TTL_MS) {
            match self.is_posted(&feed.channel.channel_id, attempted_at, &footer).await {
                Ok(true) => return self.mark_delivered(&app.store, &outbox).await,
                Ok(false) => {
                    let id = outbox.id;
                    app.store.write(move |tx| statsfeed::clear_attempted(tx, id).map_err(AppError::from)).await?;
                }
                Err(error) => return self.handle_error(app, feed, &error).await,
            }
        }
        let id = outbox.id;
        app.store.write(move |tx| statsfeed::mark_attempted(tx, id, started_at).map_err(AppError::from)).await?;
        let Some(body) = render(&app.store, feed, &outbox, &footer).await? else {
            return app.store.write(move |tx| statsfeed::discard(tx, id).map(drop).map_err(AppError::from)).await;
        };
        match self.discord.post_message(&feed.channel.channel_id, &format!("feed-{id}"), &body).await {
            Ok(_) => self.mark_delivered(&app.store, &outbox).await,
            Err(error) => {
                if is_first_attempt && is_definitely_not_posted(&error) {
                    app.store.write(move |tx| statsfeed::clear_attempted(tx, id).map_err(AppError::from)).await?;
                }
                self.handle_error(app, feed, &error).await
            }
        }
    }

    /// Searches a channel for a message with this footer. If the bot may not read the channel, the message counts as not
    /// posted: a duplicate is better than a loss.
    async fn is_posted(&self, channel: &str, since: i64, footer: &str) -> Result<bool, DiscordError> {
        match self.discord.find_by_footer(channel, since - 60_000, footer).await {
            Ok(found) => Ok(found.is_some()),
            Err(DiscordError::Forbidden { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn mark_delivered(&self, store: &Store, outbox: &OutboxRow) -> Result<(), AppError> {
        let (outbox, now) = (outbox.clone(), store.now().0);
        let next_at = now + MIN_INTERVAL_MS;
        store.write(move |tx| statsfeed::mark_delivered(tx, &outbox, now, next_at).map_err(AppError::from)).await
    }

    /// Reacts to a failed call: delays the feed, pauses all feeds, or disables the feed.
    pub(super) async fn handle_error(&self, app: &App, feed: &Feed, error: &DiscordError) -> Result<(), AppError> {
        let (id, now, reason) = (feed.channel.id, app.store.now().0, error.to_string());
        let pause_ms = millis(self.discord.blocked_for());
        if pause_ms > 0 {
            // Stored, so that a process that takes over respects the pause.
            app.store.write(move |tx| leases::pause(tx, JOB, now + pause_ms).map(drop).map_err(AppError::from)).await?;
        }
        match failure_action(error, feed.channel.failures) {
            FailureAction::Wait { ms, counts } => {
                tracing::debug!(%error, channel = feed.channel.channel_id, "a feed is delayed");
                app.store
                    .write(move |tx| statsfeed::postpone(tx, id, now + ms, &reason, counts).map_err(AppError::from))
                    .await
            }
            FailureAction::PauseAll => {
                tracing::error!(%error, "the bot cannot post: Discord rejects its token");
                app.diagnostics.record_error("STATSFEED", format!("The bot cannot post: {error}."));
                let until = now + TOKEN_ERROR_PAUSE_MS;
                app.store
                    .write(move |tx| {
                        leases::pause(tx, JOB, until)?;
                        statsfeed::postpone(tx, id, until, &reason, true).map_err(AppError::from)
                    })
                    .await
            }
            FailureAction::Disable => {
                tracing::warn!(channel = feed.channel.channel_id, %error, "a feed was switched off");
                let sentence = format!("The feed of channel {} was switched off: {error}.", feed.channel.channel_id);
                app.diagnostics.record_error("STATSFEED", sentence.clone());
                app.store.write(move |tx| statsfeed::disable(tx, id, &reason).map_err(AppError::from)).await?;
                webhooks::enqueue_note(app, "statsfeed.off", sentence).await
            }
        }
    }
}

/// The consequence of a failed call for its feed.
#[derive(Debug)]
enum FailureAction {
    Wait {
        ms: i64,
        /// Whether it counts as a failure; a rate limit does not.
        counts: bool,
    },
    /// All feeds pause: the token is rejected.
    PauseAll,
    Disable,
}

fn failure_action(error: &DiscordError, failures: i32) -> FailureAction {
    let backoff_ms = millis(BACKOFF.delay(u32::try_from(failures).unwrap_or(0).saturating_add(1)));
    match error {
        DiscordError::RateLimited { retry_after } | DiscordError::CircuitOpen { retry_after } => {
            FailureAction::Wait { ms: millis(*retry_after) + 1, counts: false }
        }
        DiscordError::Unauthorized | DiscordError::NoBotToken | DiscordError::InvalidGrant => FailureAction::PauseAll,
        // A proxy in front of Discord responds 403 without an error code; the channel may still exist.
        DiscordError::Forbidden { code: 0, .. } => FailureAction::Wait { ms: backoff_ms, counts: true },
        DiscordError::Forbidden { .. } | DiscordError::NotFound { .. } | DiscordError::Rejected { .. } => {
            FailureAction::Disable
        }
        DiscordError::Unreachable(_)
        | DiscordError::TimedOut
        | DiscordError::ServerError(_)
        | DiscordError::InvalidResponse(_) => FailureAction::Wait { ms: backoff_ms, counts: true },
    }
}

/// Whether the error proves that nothing was posted. Server errors and missing responses do not.
fn is_definitely_not_posted(error: &DiscordError) -> bool {
    !matches!(
        error,
        DiscordError::Unreachable(_)
            | DiscordError::TimedOut
            | DiscordError::ServerError(_)
            | DiscordError::InvalidResponse(_)
    )
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_the_channel_disable_its_feed() {
        let is_disabled = |error| matches!(failure_action(&error, 0), FailureAction::Disable);
        assert!(is_disabled(DiscordError::NotFound { code: 10_003 }));
        assert!(is_disabled(DiscordError::Forbidden { code: 50_001, message: "Missing Access".into() }));
        assert!(!is_disabled(DiscordError::Forbidden { code: 0, message: String::new() }));
        assert!(!is_disabled(DiscordError::Unauthorized));
        assert!(!is_disabled(DiscordError::ServerError(500)));
        assert!(matches!(failure_action(&DiscordError::Unauthorized, 0), FailureAction::PauseAll));
    }

    #[test]
    fn backoff_grows_with_failures_and_rate_limits_are_exact() {
        let wait = |error: DiscordError, failures| match failure_action(&error, failures) {
            FailureAction::Wait { ms, counts } => (ms, counts),
            _ => panic!("{error:?}"),
        };
        assert_eq!(wait(DiscordError::TimedOut, 0), (2_000, true));
        assert_eq!(wait(DiscordError::TimedOut, 3), (16_000, true));
        assert_eq!(wait(DiscordError::TimedOut, 99), (millis(BACKOFF.max), true));
        let limited = DiscordError::RateLimited { retry_after: Duration::from_millis(6_500) };
        assert_eq!(wait(limited, 7), (6_501, false));
    }
}

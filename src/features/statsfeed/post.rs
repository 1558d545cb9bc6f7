//! From events to messages: made into the outbox in one step with moving on, sent until their channel has them, once.
//!
//! Every message carries the id of its outbox row as nonce, so that Discord itself refuses to post it twice within some
//! minutes; after that its signature is looked for in the channel before it is sent again.

use std::collections::HashMap;
use std::time::Duration;

use super::render::{next_message, rendered, stretch};
use super::{Filter, LEASE, board, filter_of, lines};
use crate::app::App;
use crate::diagnostics::ErrorEntry;
use crate::error::AppError;
use crate::features::webhooks;
use crate::store::ingest;
use crate::store::statsfeed::{self, ChannelRow, OutboxRow, StateRow};
use crate::upstream::discord::{Discord, DiscordError};
use futures_util::StreamExt;

/// Between two messages to one channel: what happens meanwhile comes together.
const GAP_MS: i64 = 1_000;
/// Longer than any call takes, so that a holder in the middle of one is still the holder.
const LEASE_MS: i64 = 30_000;
/// How long Discord surely knows a nonce.
const NONCE_MS: i64 = 120_000;
/// A refused token does not get better by itself.
const BAD_TOKEN_REST_MS: i64 = 600_000;
const LONGEST_WAIT_MS: i64 = 300_000;
/// Calls under way at once; a slow channel holds up few others.
const AT_ONCE: usize = 8;

/// A feed with all that is known of it.
pub(super) struct Feed {
    pub channel: ChannelRow,
    pub state: StateRow,
    pub filter: Filter,
    outbox: Option<OutboxRow>,
}

/// The part of the program that speaks to channels; of all processes, the one with the lease does.
pub struct Sender {
    pub(super) discord: Discord,
}

impl Sender {
    /// `None` when no bot is set up.
    pub fn of(app: &App) -> Option<Self> {
        app.settings.discord.bot_token.as_ref()?;
        Some(Self { discord: app.bot.clone()? })
    }

    /// One look at everything: new events become messages, messages go out, boards are brought up to date.
    pub async fn run(&self, app: &App) -> Result<(), AppError> {
        let (feeds, last) = read(app).await?;
        let is_work =
            |feed: &Feed| feed.outbox.is_some() || feed.channel.last_event_id != last || feed.filter.board.is_some();
        if !feeds.iter().any(is_work) {
            return Ok(());
        }
        let Some(rest_until) = self.keep_lease(app).await? else { return Ok(()) };
        // After a restore, events may count from a lower number again.
        for feed in feeds.iter().filter(|feed| feed.channel.last_event_id > last) {
            let (id, from) = (feed.channel.id, feed.channel.last_event_id);
            app.store.write(move |tx| statsfeed::skip_events(tx, &[id], from, last).map_err(AppError::from)).await?;
        }
        self.make_messages(app, &feeds, last).await?;
        if rest_until > App::now().0 || !self.discord.blocked_for().is_zero() {
            return Ok(());
        }
        let (feeds, _) = read(app).await?;
        let now = App::now().0;
        let mut calls = Vec::new();
        for feed in &feeds {
            if feed.state.next_at <= now && feed.outbox.is_some() {
                calls.push(self.send(app, feed));
            }
        }
        let sent: Vec<Result<(), AppError>> =
            futures_util::stream::iter(calls).buffer_unordered(AT_ONCE).collect().await;
        sent.into_iter().collect::<Result<(), AppError>>()?;
        // A board that shows a player who has hidden since is edited now, not at the next regular look.
        let are_stale = app.projections.take_bot_boards_stale();
        let is_due = |feed: &&Feed| (are_stale || feed.state.board_at <= now) && feed.state.next_at <= now;
        for feed in feeds.iter().filter(is_due) {
            if let Some(metric) = feed.filter.board {
                board::show(self, app, feed, metric).await?;
            }
        }
        Ok(())
    }

    /// Holds the lease for a while longer; gives until when nothing may be sent, or `None` when it is another's.
    async fn keep_lease(&self, app: &App) -> Result<Option<i64>, AppError> {
        let now = App::now().0;
        // Most looks only read: it is ours for long enough, or somebody else's.
        match app.store.read(|conn| statsfeed::find_lease(conn, LEASE)).await? {
            Some((holder, until, rest)) if holder == app.process && until - now > LEASE_MS / 2 => Ok(Some(rest)),
            Some((holder, until, _)) if holder != app.process && until >= now => Ok(None),
            _ => {
                let holder = app.process.clone();
                let until = now + LEASE_MS;
                app.store
                    .write(move |tx| statsfeed::acquire_lease(tx, LEASE, &holder, now, until).map_err(AppError::from))
                    .await
            }
        }
    }

    /// Makes the next message of each feed that has none under way, and moves on what has nothing to tell.
    async fn make_messages(&self, app: &App, feeds: &[Feed], last: i64) -> Result<(), AppError> {
        let now = App::now();
        let free =
            |feed: &&Feed| feed.outbox.is_none() && feed.channel.last_event_id < last && feed.state.next_at <= now.0;
        let mut by_place: HashMap<i64, Vec<&Feed>> = HashMap::new();
        for feed in feeds.iter().filter(free) {
            by_place.entry(feed.channel.last_event_id).or_default().push(feed);
        }
        for (from, feeds) in by_place {
            let stretch = stretch(app, from, now).await?;
            let (mut silent, mut speaking) = (Vec::new(), Vec::new());
            for feed in feeds {
                match next_message(feed, &stretch) {
                    None => silent.push(feed.channel.id),
                    Some((ids, to)) => {
                        let ids = serde_json::to_string(&ids).map_err(AppError::internal)?;
                        speaking.push((feed.channel.id, to, ids));
                    }
                }
            }
            let to = stretch.last;
            app.store
                .write(move |tx| {
                    statsfeed::skip_events(tx, &silent, from, to)?;
                    for (id, to, event_ids) in &speaking {
                        statsfeed::enqueue(tx, *id, from, *to, event_ids, now.0)?;
                    }
                    Ok::<_, AppError>(())
                })
                .await?;
        }
        Ok(())
    }

    async fn send(&self, app: &App, feed: &Feed) -> Result<(), AppError> {
        let Some(outbox) = feed.outbox.clone() else { return Ok(()) };
        // Somebody else may have become the holder while this waited for its turn.
        if self.keep_lease(app).await?.is_none_or(|rest| rest > App::now().0) || !self.discord.blocked_for().is_zero() {
            return Ok(());
        }
        let footer = format!("{} · {}", app.settings.site.name, outbox.id);
        let began = App::now().0;
        let is_first = outbox.tried_at.is_none();
        if let Some(tried_at) = outbox.tried_at.filter(|at| began - at > NONCE_MS) {
            match self.is_there(&feed.channel.channel_id, tried_at, &footer).await {
                Ok(true) => return self.done(app, &outbox).await,
                Ok(false) => {
                    let id = outbox.id;
                    app.store.write(move |tx| statsfeed::clear_attempted(tx, id).map_err(AppError::from)).await?;
                }
                Err(error) => return self.failed(app, feed, &error).await,
            }
        }
        let id = outbox.id;
        app.store.write(move |tx| statsfeed::mark_attempted(tx, id, began).map_err(AppError::from)).await?;
        let Some(mut message) = rendered(app, feed, &outbox).await? else {
            return app.store.write(move |tx| statsfeed::discard(tx, id).map(drop).map_err(AppError::from)).await;
        };
        lines::sign(&mut message, &footer);
        match self.discord.post_message(&feed.channel.channel_id, &format!("feed-{id}"), &message).await {
            Ok(_) => self.done(app, &outbox).await,
            Err(error) => {
                if is_first && is_surely_not_there(&error) {
                    app.store.write(move |tx| statsfeed::clear_attempted(tx, id).map_err(AppError::from)).await?;
                }
                self.failed(app, feed, &error).await
            }
        }
    }

    /// Whether a message with this signature stands in a channel. Where the bot may not read what was said, it counts as
    /// not there: rather twice than not at all.
    pub(super) async fn is_there(&self, channel: &str, since: i64, footer: &str) -> Result<bool, DiscordError> {
        match self.discord.messages_since(channel, since - 60_000).await {
            Ok(found) => Ok(found.iter().any(|message| message.has_footer(footer))),
            Err(DiscordError::Forbidden { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn done(&self, app: &App, outbox: &OutboxRow) -> Result<(), AppError> {
        let (outbox, now) = (outbox.clone(), App::now().0);
        app.store
            .write(move |tx| statsfeed::mark_delivered(tx, &outbox, now, now + GAP_MS).map_err(AppError::from))
            .await
    }

    /// A call that did not work: the feed waits, everything rests, or the feed is switched off.
    pub(super) async fn failed(&self, app: &App, feed: &Feed, error: &DiscordError) -> Result<(), AppError> {
        let (id, now, why) = (feed.channel.id, App::now().0, error.to_string());
        let rest_ms = millis(self.discord.blocked_for());
        if rest_ms > 0 {
            // The next process would not know, and would ask too early.
            app.store.write(move |tx| statsfeed::pause_lease(tx, LEASE, now + rest_ms).map_err(AppError::from)).await?;
        }
        match verdict(error, feed.state.failures) {
            Verdict::Wait { ms, counts } => {
                tracing::debug!(%error, channel = feed.channel.channel_id, "a feed waits");
                app.store
                    .write(move |tx| statsfeed::postpone(tx, id, now + ms, &why, counts).map_err(AppError::from))
                    .await
            }
            Verdict::RestAll => {
                tracing::error!(%error, "the bot cannot post until its token is corrected");
                note(app, format!("The bot cannot post: {error}."));
                let until = now + BAD_TOKEN_REST_MS;
                app.store
                    .write(move |tx| {
                        statsfeed::pause_lease(tx, LEASE, until)?;
                        statsfeed::postpone(tx, id, until, &why, true).map_err(AppError::from)
                    })
                    .await
            }
            Verdict::SwitchOff => {
                tracing::warn!(channel = feed.channel.channel_id, %error, "a feed was switched off");
                let sentence = format!("The feed of channel {} was switched off: {error}.", feed.channel.channel_id);
                note(app, sentence.clone());
                app.store.write(move |tx| statsfeed::disable(tx, id, &why).map_err(AppError::from)).await?;
                webhooks::enqueue_note(app, "statsfeed.off", sentence).await
            }
        }
    }
}

enum Verdict {
    Wait {
        ms: i64,
        counts: bool,
    },
    /// Not this channel's fault: nothing is sent for a while.
    RestAll,
    SwitchOff,
}

fn verdict(error: &DiscordError, failures: i32) -> Verdict {
    let growing = (2_000i64 << failures.clamp(0, 8)).min(LONGEST_WAIT_MS);
    match error {
        DiscordError::RateLimited { retry_after } | DiscordError::CircuitOpen { retry_after } => {
            Verdict::Wait { ms: millis(*retry_after) + 1, counts: false }
        }
        DiscordError::Unauthorized | DiscordError::NoBotToken | DiscordError::InvalidGrant => Verdict::RestAll,
        // A wall in front of Discord says 403 without a code of Discord's own; the channel is still there.
        DiscordError::Forbidden { code: 0, .. } => Verdict::Wait { ms: growing, counts: true },
        DiscordError::Forbidden { .. } | DiscordError::NotFound { .. } | DiscordError::Rejected { .. } => {
            Verdict::SwitchOff
        }
        DiscordError::Unreachable(_)
        | DiscordError::TimedOut
        | DiscordError::ServerError(_)
        | DiscordError::InvalidResponse(_) => Verdict::Wait { ms: growing, counts: true },
    }
}

/// Whether an answer says that nothing was posted. A failure of the server, or none, leaves that open.
fn is_surely_not_there(error: &DiscordError) -> bool {
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

fn note(app: &App, message: String) {
    let note = ErrorEntry { at: App::now(), code: "STATSFEED".into(), message, request_id: None, path: None };
    app.diagnostics.errors.add(note);
}

/// Every enabled feed, and the newest event.
async fn read(app: &App) -> Result<(Vec<Feed>, i64), AppError> {
    let (rows, last) = app.store.read(|conn| Ok((statsfeed::list(conn)?, ingest::last_id(conn)?))).await?;
    let missing: Vec<i64> = rows.iter().filter(|(_, state, _)| state.is_none()).map(|(c, ..)| c.id).collect();
    if !missing.is_empty() {
        app.store.write(move |tx| statsfeed::insert_missing_states(tx, &missing).map_err(AppError::from)).await?;
    }
    let feeds = rows.into_iter().filter_map(|(channel, state, outbox)| {
        // One without a state gets it now and is seen at the next look.
        let state = state?;
        let filter = filter_of(&channel);
        channel.disabled_reason.is_none().then_some(Feed { channel, state, filter, outbox })
    });
    Ok((feeds.collect(), last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_the_channels_own_fault_switches_it_off() {
        let off = |error| matches!(verdict(&error, 0), Verdict::SwitchOff);
        assert!(off(DiscordError::NotFound { code: 10_003 }));
        assert!(off(DiscordError::Forbidden { code: 50_001, message: "Missing Access".into() }));
        assert!(!off(DiscordError::Forbidden { code: 0, message: String::new() }));
        assert!(!off(DiscordError::Unauthorized));
        assert!(!off(DiscordError::ServerError(500)));
        assert!(matches!(verdict(&DiscordError::Unauthorized, 0), Verdict::RestAll));
    }

    #[test]
    fn waits_grow_with_failures_and_limits_are_kept_to_the_letter() {
        let wait = |error: DiscordError, failures| match verdict(&error, failures) {
            Verdict::Wait { ms, counts } => (ms, counts),
            _ => panic!("{error:?}"),
        };
        assert_eq!(wait(DiscordError::TimedOut, 0), (2_000, true));
        assert_eq!(wait(DiscordError::TimedOut, 3), (16_000, true));
        assert_eq!(wait(DiscordError::TimedOut, 99), (LONGEST_WAIT_MS, true));
        let limited = DiscordError::RateLimited { retry_after: Duration::from_millis(6_500) };
        assert_eq!(wait(limited, 7), (6_501, false));
    }
}

//! What is decided about a batch before it is stored: whether the sender may upload this log, and which of its events count for whom.

use std::sync::Arc;

use crate::app::App;
use crate::domain::events::{Event, ValidEvent, validate};
use crate::domain::log_header::{LogHeader, LogText};
use crate::domain::names::Handle;
use crate::domain::patches::Patch;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::domain::trust::{Account, Reporter, Source, decide};
use crate::error::{AppError, ClaimedBy};
use crate::store::conn::AnyConn;
use crate::store::{key_days, keys, users};
use crate::views::ingest::{IngestAnswer, KeyAnswer, KeyKind, Rejected};

use super::activity::known;
use super::batch::{Accepted, Batch, Outcome};
use super::store;

/// Ingests a batch from a log reader, from `log` if the reader names one. The events are on disk when this returns.
///
/// # Errors
/// The whole batch is refused if the account may not upload this log, or if it has sent too much today.
pub async fn accept(
    app: &Arc<App>,
    reporter: Reporter,
    log: Option<LogHeader>,
    parsed: Vec<Result<Event, String>>,
) -> Result<IngestAnswer, AppError> {
    let source = source_of(app, reporter, log.as_ref()).await?;
    let mut answer = IngestAnswer::default();
    let (now, mut events) = (app.store.now(), Vec::with_capacity(parsed.len()));
    for (index, event) in parsed.into_iter().enumerate() {
        match event.and_then(|event| validate(event, now).map_err(|error| error.to_string())) {
            Ok(event) => events.push((index, event)),
            Err(error) => answer.rejected.push(Rejected { index, error }),
        }
    }
    // The limits of an account concern all of its batches, so the next one is decided after this one is stored.
    let _turn = match reporter.account {
        Account::Operator => None,
        account => Some(app.ingest.accounts.lock(account.code()).await),
    };
    let events = decided(app, reporter, source, events, &mut answer).await?;
    let Outcome { accepted, duplicates, dropped, .. } = store::submit(app, Batch { reporter, log, events }).await?;
    (answer.accepted, answer.dropped) = (accepted, dropped);
    answer.duplicates += duplicates;
    answer.rejected.sort_by_key(|rejected| rejected.index);
    Ok(answer)
}

/// What a reader has to know about its key: which events, and whose, to send.
pub async fn key(app: &App, reporter: Reporter) -> Result<KeyAnswer, AppError> {
    let kind = if reporter.account.is_operator() { KeyKind::Operator } else { KeyKind::Account };
    let player = match reporter.account.user_id() {
        Some(user_id) => app.store.read(move |conn| users::handle_of(conn, user_id)).await?,
        None => None,
    };
    Ok(KeyAnswer { kind, player })
}

/// Rule 1: an account uploads the log of the player that it has claimed. A key without a user uploads logs of players whom nobody has
/// claimed.
async fn source_of(app: &App, reporter: Reporter, log: Option<&LogHeader>) -> Result<Source, AppError> {
    if reporter.account.is_operator() {
        return Ok(Source::Operator);
    }
    let missing = || {
        AppError::Validation(
            "The header Apogee-Log is missing or names no handle. It tells whose log the events come from.".into(),
        )
    };
    let log = log.ok_or_else(missing)?;
    let player = log.handle.clone().ok_or_else(missing)?;
    let folded = player.folded();
    let owner = app.store.read(move |conn| users::owner_of_handle(conn, &folded)).await?;
    match (reporter.account.user_id(), owner) {
        (Some(user_id), Some(owner)) if user_id == owner => {}
        (None, None) => {}
        (_, Some(_)) => return Err(claim_required(&player, ClaimedBy::Other)),
        (Some(_), None) => return Err(claim_required(&player, ClaimedBy::Nobody)),
    }
    let build = log.branch.as_ref().map(LogText::as_str).and_then(Patch::parse).map(|patch| patch.version());
    Ok(Source::OwnLog { player, build })
}

fn claim_required(player: &Handle, claimed_by: ClaimedBy) -> AppError {
    let sentence = match claimed_by {
        ClaimedBy::Nobody => format!(
            "This log is of {player}, a player whom your account has not claimed. Claim the player on \
             /player/claim?handle={player}; the log is uploaded after that."
        ),
        ClaimedBy::Other => format!(
            "This log is of {player}, whom another account has claimed. If you are {player}, claim the player on \
             /player/claim?handle={player}."
        ),
    };
    AppError::ClaimRequired { sentence, claimed_by }
}

/// Decides about each event of a batch. Events that the account has reported before are duplicates, whatever the limits say.
async fn decided(
    app: &Arc<App>,
    reporter: Reporter,
    source: Source,
    events: Vec<(usize, ValidEvent)>,
    answer: &mut IngestAnswer,
) -> Result<Vec<Accepted>, AppError> {
    let rules = &app.settings.trust;
    let ((mut identities, mut activity), events) = match &source {
        Source::Operator => (Default::default(), events),
        Source::OwnLog { player, .. } => {
            let (now, limit, handle) = (app.store.now(), rules.events_per_day, player.folded());
            let read = move |conn: &mut AnyConn| {
                let refusal = refusal(conn, reporter.account, events.len(), limit, now)?;
                Ok((refusal, known(conn, reporter.account, &handle, &events)?, events))
            };
            let (refusal, known, events) = app.store.read(read).await?;
            refusal.map_or(Ok(()), Err)?;
            (known, events)
        }
    };
    let mut accepted = Vec::with_capacity(events.len());
    for (index, event) in events {
        if !identities.insert(event.identity) {
            answer.duplicates += 1;
            continue;
        }
        match decide(&event, &source, rules, &mut activity) {
            Ok(sides) => accepted.push(Accepted { event, sides }),
            Err(rejection) => answer.rejected.push(Rejected { index, error: rejection.to_string() }),
        }
    }
    Ok(accepted)
}

/// Why an account may not send as many events now; `None` if it may. Each account has one limit for all its keys.
fn refusal(
    conn: &mut AnyConn,
    account: Account,
    count: usize,
    limit: u32,
    now: EpochMillis,
) -> diesel::QueryResult<Option<AppError>> {
    let keys = keys::of_account(conn, account)?;
    let sent = key_days::count_reports(conn, &keys, now.day().0)?;
    let rest_ms = DAY_MS - now.0.rem_euclid(DAY_MS);
    Ok((sent + count as i64 > i64::from(limit)).then(|| AppError::RateLimited {
        sentence: format!("An account can report {limit} events a day. Send the rest tomorrow (UTC)."),
        retry_after_secs: rest_ms.unsigned_abs().div_ceil(1_000),
    }))
}

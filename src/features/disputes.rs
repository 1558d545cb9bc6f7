//! Disputes of events by the players in them. Admins decide about them in `moderation`.

use std::collections::HashMap;
use std::sync::Arc;

use crate::app::App;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{DISPUTES_PER_DAY, DisputeOutcome, Reasons, State};
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::ingest::{self, Decision};
use crate::features::moderation;
use crate::replication::RecordedChange;
use crate::store::disputes::{self, DisputeRow};
use crate::store::ingest::EventRow;
use crate::store::{Store, Tx, activity, ingest as stored, users};
use crate::views::activity::Names;
use crate::views::disputes::{DisputeAnswer, DisputePage, DisputedEvent, OwnDispute};

/// A transaction about a dispute: its response, and the change of figures.
type Disputed = (DisputeAnswer, Option<RecordedChange>);

/// Disputes an event that names the user's player.
pub async fn dispute(app: &Arc<App>, member: &Member, event_id: i64, reason: &str) -> Result<DisputeAnswer, AppError> {
    let reason = moderation::parse_reason(reason)?;
    let (user_id, now, after) = (member.user_id, EpochMillis::now(), Arc::clone(app));
    let act = move |tx: &mut Tx| {
        users::lock(tx, user_id)?;
        let player_id = users::find(tx, user_id)?.and_then(|user| user.player_id);
        let player_id = require_named(tx, event_id, player_id)?;
        if disputes::find_own(tx, event_id, user_id)?.is_some() {
            return Err(AppError::Conflict("You have disputed this event already.".into()));
        }
        require_left(left_today(tx, user_id, now)?, now)?;
        let row = DisputeRow {
            id: 0,
            event_id,
            user_id,
            player_id,
            reason: reason.clone(),
            created_at: now.0,
            outcome: None,
            decided_at: None,
            ledger_id: None,
        };
        let id = disputes::insert(tx, &row)?;
        follow(tx, DisputeRow { id, ..row }, now)
    };
    let answer = write(app, after, act).await?;
    tracing::info!(user = user_id, event = event_id, "a player disputes an event");
    Ok(answer)
}

/// Takes the user's own dispute of an event back.
pub async fn withdraw(app: &Arc<App>, member: &Member, event_id: i64) -> Result<DisputeAnswer, AppError> {
    let (user_id, now, after) = (member.user_id, EpochMillis::now(), Arc::clone(app));
    let act = move |tx: &mut Tx| {
        let own = disputes::find_own(tx, event_id, user_id)?
            .ok_or_else(|| AppError::NotFound("You have not disputed this event.".into()))?;
        if !disputes::withdraw(tx, own.id, now.0)? {
            return Err(AppError::Conflict("This dispute has ended already.".into()));
        }
        let (outcome, decided_at) = (Some(DisputeOutcome::Withdrawn.code()), Some(now.0));
        follow(tx, DisputeRow { outcome, decided_at, ..own }, now)
    };
    let answer = write(app, after, act).await?;
    tracing::info!(user = user_id, event = event_id, "a player takes a dispute back");
    Ok(answer)
}

/// Runs a transaction; figures follow its commit.
async fn write(
    app: &App,
    after: Arc<App>,
    act: impl FnMut(&mut Tx) -> Result<Disputed, AppError> + Send + 'static,
) -> Result<DisputeAnswer, AppError> {
    let apply = move |(_, recorded): &Disputed| after.projections.apply(recorded.iter().cloned());
    Ok(app.store.write_then(act, apply).await?.0)
}

/// The player of the user, if the event names it and the event is not void.
fn require_named(tx: &mut Tx, event_id: i64, player_id: Option<i64>) -> Result<i64, AppError> {
    let not_found = || AppError::NotFound("Event not found.".into());
    let event = stored::event_by_id(tx, event_id)?.ok_or_else(not_found)?;
    let Some(player_id) = player_id.filter(|own| event.player_ids().any(|id| id == *own)) else {
        let names = Names::from(activity::names_of(tx, std::slice::from_ref(&event))?);
        let sentence = "You can dispute only events that name the player you have claimed.";
        return Err(if names.has_page(&event) { AppError::Forbidden(sentence.into()) } else { not_found() });
    };
    if event.reasons().state() == State::Void {
        return Err(AppError::Conflict("This event is void already and counts nowhere.".into()));
    }
    Ok(player_id)
}

/// How many more events a user can dispute today (UTC).
fn left_today(conn: &mut crate::store::conn::AnyConn, user_id: i64, now: EpochMillis) -> diesel::QueryResult<i64> {
    let made = disputes::count_since(conn, user_id, now.day().start().0)?;
    Ok((DISPUTES_PER_DAY - made).max(0))
}

fn require_left(left: i64, now: EpochMillis) -> Result<(), AppError> {
    if left > 0 {
        return Ok(());
    }
    let retry_after_secs = now.until_next_day().div_euclid(1_000).unsigned_abs() + 1;
    let sentence = format!("You can dispute {DISPUTES_PER_DAY} events a day (UTC). Please try again tomorrow.");
    Err(AppError::RateLimited { sentence, retry_after_secs })
}

/// Lets the event follow a dispute that began or ended.
fn follow(tx: &mut Tx, row: DisputeRow, now: EpochMillis) -> Result<Disputed, AppError> {
    let (event_id, is_open) = (row.event_id, row.outcome.is_none());
    let left_today = left_today(tx, row.user_id, now)?;
    let (_, recorded) = ingest::decide(tx, &[event_id], &Decision::Disputes, now)?;
    let reasons = stored::event_by_id(tx, event_id)?.map(|event| event.reasons()).unwrap_or_default();
    let is_suspended = reasons.contains(Reasons::DISPUTED);
    let message = match (is_open, is_suspended) {
        (true, true) => "The event does not count until an admin has decided.",
        (true, false) => {
            "Admins can read your dispute. The event keeps counting, because it does not rest on the word of your opponent alone."
        }
        (false, true) => "Your dispute has ended. The event still does not count, because another player disputes it.",
        (false, false) if reasons.counts() => "Your dispute has ended. The event counts.",
        (false, false) => "Your dispute has ended. The event does not count for other reasons.",
    };
    let dispute = OwnDispute::new(row, is_suspended);
    Ok((DisputeAnswer { dispute, message: message.to_owned(), left_today }, recorded))
}

/// The user's disputes, newest first, or the one of an event. `before` is the id of the last dispute of the previous page.
pub async fn list_own(
    store: &Store,
    member: &Member,
    event_id: Option<i64>,
    before: Option<i64>,
    limit: i64,
) -> Result<DisputePage, AppError> {
    let (user_id, own_player, now) = (member.user_id, member.player_id, EpochMillis::now());
    let page = store
        .read(move |conn| {
            let rows = match event_id {
                Some(event_id) => disputes::find_own(conn, event_id, user_id)?.into_iter().collect(),
                None => disputes::list_by_user(conn, user_id, before.unwrap_or(i64::MAX), limit)?,
            };
            let next = rows.last().map(|row| row.id).filter(|_| rows.len() as i64 == limit);
            let ids: Vec<i64> = rows.iter().map(|row| row.event_id).collect();
            let events = activity::find_many(conn, &ids)?;
            let mut names = Names::from(activity::names_of(conn, &events)?);
            // The user's own hidden player is named; other hidden players are not.
            if let Some(own) = own_player.and_then(|id| names.people.get_mut(&id)) {
                own.is_hidden = false;
            }
            let by_id: HashMap<i64, &EventRow> = events.iter().map(|event| (event.id, event)).collect();
            let disputed = |row: DisputeRow| {
                let event = by_id.get(&row.event_id).copied();
                let is_suspended = event.is_some_and(|event| event.reasons().contains(Reasons::DISPUTED));
                DisputedEvent {
                    dispute: OwnDispute::new(row, is_suspended),
                    event: event.map(|event| names.row(event)),
                }
            };
            let left_today = left_today(conn, user_id, now)?;
            Ok(DisputePage { data: rows.into_iter().map(disputed).collect(), left_today, next })
        })
        .await?;
    Ok(page)
}

//! The transaction that stores a batch and everything derived from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::App;
use crate::domain::log_header::LogHeader;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{ReportState, share};
use crate::error::AppError;
use crate::failpoint::failpoint;
use crate::store::changes::{self, Change};
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, EventRow};
use crate::store::key_days::{self, KeyDay};
use crate::store::{Store, Tx, distinct, keys, logs, players};

use super::batch::{Accepted, Batch, Outcome};
use super::derived::Derived;
use super::patches;
use super::reports::{NewReport, new_reports, require_no_newer_fights};
use super::restate::{by_event, restate_found, store_revisions};
use super::rows::{self, to_row};
use super::sharing::shared;

/// Stores a batch and applies its change. The events are on disk when this returns.
pub(super) async fn submit(app: &Arc<App>, batch: Batch) -> Result<Outcome, AppError> {
    if batch.events.is_empty() {
        return Ok(Outcome::default());
    }
    let (now, first_patch) = (app.store.now(), patches::first_patch(app));
    if let Some(log) = batch.log.clone().filter(|log| !log.is_live()) {
        uncount_log(&app.store, batch.reporter.key_id, log).await?;
    }
    let outcome = app.store.write(move |tx| store(tx, &batch, first_patch, now)).await?;
    if outcome.adopts_patch {
        app.diagnostics.jobs.trigger(patches::JOB);
    }
    Ok(outcome)
}

/// The stored events of a log no longer count, because it names another channel than LIVE now: the game names the shard that a player joins
/// after the first events of its log. The log itself is updated with the next batch, so that a request that fails is repeated.
async fn uncount_log(store: &Store, key_id: i64, log: LogHeader) -> Result<(), AppError> {
    let Some(log_id) = store.read(move |conn| logs::live_log(conn, key_id, &log)).await? else { return Ok(()) };
    let find = move |conn: &mut AnyConn, limit| logs::counted_events(conn, log_id, limit);
    let state = move |row: &EventRow, state: ReportState| {
        if row.log_id == Some(log_id) { state.of_other_channel() } else { state }
    };
    restate_found(store, find, state).await
}

/// Stores a batch. On an error, nothing is stored. `first_patch` is the patch that is current before any is adopted.
fn store(tx: &mut Tx, batch: &Batch, first_patch: Option<i64>, now: EpochMillis) -> Result<Outcome, AppError> {
    failpoint("ingest");
    let last_id = ingest::last_id(tx)?;
    let log_id = batch.log.as_ref().map(|log| logs::upsert(tx, batch.reporter.key_id, log, now.0)).transpose()?;
    let events = shared(tx, &batch.events)?;
    let new = new_reports(tx, batch.reporter, &events)?;
    let further = new.iter().filter(|report| report.event_id.is_some()).count();
    let (duplicates, dropped) = (events.len() - new.len() + further, batch.events.len() - events.len());
    let mut outcome = Outcome { accepted: new.len() - further, duplicates, dropped, adopts_patch: false };
    if new.is_empty() {
        keys::touch(tx, batch.reporter.key_id, now.0)?;
        return Ok(outcome);
    }
    let mut derived = Derived::default();
    let is_operator = batch.reporter.account.is_operator();
    derived.players.resolve(tx, new.iter().map(|report| &report.accepted.event), is_operator, now)?;
    let adopted = patches::newest_patch(tx, first_patch)?;
    let newest = adopted.max(patches::newest_reported(batch, &new));
    let stored = ingest::lock_reports(tx, &distinct(new.iter().filter_map(|report| report.event_id)))?;
    derived.read_names(tx, &stored)?;
    derived.players.lock(tx)?;
    if shared(tx, &events)?.len() < events.len() {
        // An owner has ceased to share them meanwhile.
        return Err(AppError::RetryTransaction);
    }
    let mut rows = unnumbered_rows(batch, &new, &derived, log_id, newest, now);
    let revisions = share_with_stored(&mut rows, stored);
    for (row, report) in rows.iter().zip(&new) {
        // Patches older than the newest one need no report.
        let is_adopted = batch.is_live() && row.patch_version <= newest;
        derived.tally.mention(&report.accepted.event, is_adopted.then_some(now.0));
        derived.add(row, &report.accepted.event);
    }
    store_revisions(tx, &revisions, &mut derived)?;
    let mut change = derived.store_players(tx)?;
    number_rows(tx, &mut rows, &new, last_id)?;
    derived.store_shared(tx, now, &mut change)?;
    if rows::insert(tx, &rows, &derived.players)? < rows.len() {
        // Another process has stored one of these events meanwhile.
        return Err(AppError::RetryTransaction);
    }
    update_geids(tx, &rows, &new)?;
    let reported = rows.iter().map(|row| (batch.reporter.key_id, row.id));
    key_days::extend(tx, KeyDay::of_reports(reported, now.day().0))?;
    outcome.adopts_patch = (newest > adopted) | patches::note_logins(tx, batch, &new, newest, now)?;
    keys::touch(tx, batch.reporter.key_id, now.0)?;
    change.events = rows;
    changes::record(tx, Change::Ingest(change))?;
    Ok(outcome)
}

/// The rows of new reports, before their ids are known. Each stands for all sides that it reports for.
fn unnumbered_rows(
    batch: &Batch,
    new: &[NewReport],
    derived: &Derived,
    log_id: Option<i64>,
    newest: Option<i64>,
    now: EpochMillis,
) -> Vec<EventRow> {
    let row = |report: &NewReport| {
        let Accepted { event, sides } = report.accepted;
        let row = to_row(event, &derived.players);
        EventRow {
            account: batch.reporter.account.code(),
            fight_of: report.event_id,
            ingest_key_id: Some(batch.reporter.key_id),
            log_id,
            received_at: Some(now.0),
            reported_sides: sides.bits(),
            sides: sides.bits(),
            state: ReportState::on_arrival(batch.is_live() && event.is_live, row.patch_version, newest).code(),
            ..row
        }
    };
    new.iter().map(row).collect()
}

/// Shares the sides of events with several reports. Returns the stored reports that lose a side to a new one, before and after.
fn share_with_stored(rows: &mut [EventRow], stored: Vec<EventRow>) -> Vec<(EventRow, EventRow)> {
    let (mut by_event, mut revisions) = (by_event(stored), Vec::new());
    for row in rows.iter_mut() {
        let Some(earlier) = row.fight_of.and_then(|event_id| by_event.get_mut(&event_id)) else { continue };
        let reports: Vec<_> = earlier.iter().map(EventRow::report).chain([row.report()]).collect();
        let mut shares = share(&reports);
        row.sides = shares.pop().unwrap_or_default().bits();
        for (stored, sides) in earlier.iter_mut().zip(shares).filter(|(stored, sides)| stored.sides() != *sides) {
            let before = stored.clone();
            stored.sides = sides.bits();
            revisions.push((before, stored.clone()));
        }
    }
    revisions
}

/// Reserves ids for new rows. `last_id` is the last id that the transaction saw when it began: if another process has reserved ids since,
/// it may have stored reports of the same fights, and the transaction is retried if so.
fn number_rows(tx: &mut Tx, rows: &mut [EventRow], new: &[NewReport], last_id: i64) -> Result<(), AppError> {
    let count = rows.len() as i64;
    let last = ingest::reserve_ids(tx, count)?;
    if last - count != last_id {
        require_no_newer_fights(tx, new, last_id)?;
    }
    rows.iter_mut().zip(last - count + 1..).for_each(|(row, id)| row.id = id);
    Ok(())
}

/// Stores the newest entity id that each player's own events contain. It changes when the player recreates the character. Only the
/// operator and the player's own log can set it, and an account reports of no other player's log.
fn update_geids(tx: &mut Tx, rows: &[EventRow], new: &[NewReport]) -> diesel::QueryResult<()> {
    let mut newest: BTreeMap<i64, (i64, &str)> = BTreeMap::new();
    for (row, report) in rows.iter().zip(new) {
        let (Some(id), Some(geid)) = (row.player_id, report.accepted.event.player_geid.as_deref()) else { continue };
        let known = newest.entry(id).or_insert((row.event_time, geid));
        *known = (*known).max((row.event_time, geid));
    }
    newest.into_iter().try_for_each(|(id, (_, geid))| players::set_geid(tx, id, geid))
}

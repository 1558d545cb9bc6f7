//! Restores exported reports unchanged, with their readers and without the rules for accounts.

use std::collections::{BTreeMap, HashMap};

use crate::domain::events::ValidEvent;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{ReportState, Reporter, Sides, share};
use crate::error::AppError;
use crate::store::ingest::{self, EventRow, PatchChange};
use crate::store::key_days::{self, KeyDay};
use crate::store::{Tx, distinct, keys, logs, transfer};

use super::batch::Accepted;
use super::players::ResolvedPlayers;
use super::reports::{NewReport, new_reports};
use super::rows::{self, to_row};
use super::sharing::shared;

/// An exported report. Readers are identified by the hashes of their keys.
#[derive(Debug, Clone)]
pub struct StoredReport {
    pub event: ValidEvent,
    /// The number of the event. It is kept unless this database has events with larger ones.
    pub id: Option<i64>,
    /// `None` in files that an operator writes, and for reports without a key.
    pub reader: Option<String>,
    pub received_at: Option<i64>,
    pub reported: Sides,
    pub state: ReportState,
    /// The reader's id of the log that the event comes from.
    pub log: Option<String>,
}

/// Inserts reports in their order and skips those that exist; returns the number of inserted ones. With `adopts_patches`, all patches of
/// the events appear on the site. Figures must be recomputed afterwards.
pub fn restore_reports(
    tx: &mut Tx,
    stored: &[StoredReport],
    adopts_patches: bool,
    now: EpochMillis,
) -> Result<usize, AppError> {
    let readers = Readers::read(tx, stored, now)?;
    add_patches(tx, stored, adopts_patches.then_some(now.0))?;
    let mut inserted = 0;
    // In their order: the first report of an event gives its id.
    for reports in stored.chunk_by(|one, next| readers.reporter(one) == readers.reporter(next)) {
        inserted += restore_of(tx, reports, &readers, now)?;
    }
    Ok(inserted)
}

/// Inserts the reports of one reader.
fn restore_of(tx: &mut Tx, reports: &[StoredReport], readers: &Readers, now: EpochMillis) -> Result<usize, AppError> {
    let reporter = reports.first().and_then(|report| readers.reporter(report));
    let accepted: Vec<Accepted> =
        reports.iter().map(|report| Accepted { event: report.event.clone(), sides: report.reported }).collect();
    let of = reporter.unwrap_or(Reporter::operator(0));
    let accepted = shared(tx, &accepted)?;
    let new = new_reports(tx, of, &accepted)?;
    if new.is_empty() {
        return Ok(0);
    }
    let mut players = ResolvedPlayers::default();
    players.resolve(tx, new.iter().map(|report| &report.accepted.event), of.account.is_operator(), now)?;
    let source: HashMap<_, _> = reports.iter().map(|report| (report.event.identity, report)).collect();
    let mut earlier: BTreeMap<i64, Vec<(Sides, ReportState)>> = BTreeMap::new();
    for row in ingest::lock_reports(tx, &distinct(new.iter().filter_map(|report| report.event_id)))? {
        earlier.entry(row.event_id()).or_default().push(row.report());
    }
    let last = ingest::reserve_ids(tx, 0)?;
    let (mut id, mut restored) = (last, Vec::with_capacity(new.len()));
    for NewReport { accepted, event_id } in &new {
        let Some(report) = source.get(&accepted.event.identity) else { continue };
        // Reports that were deleted leave gaps, and other tables name events by number.
        id = (id + 1).max(report.id.unwrap_or(0));
        let row = EventRow {
            id,
            account: of.account.code(),
            fight_of: *event_id,
            ingest_key_id: reporter.map(|reporter| reporter.key_id),
            log_id: readers.log_id(report),
            received_at: report.received_at,
            reported_sides: accepted.sides.bits(),
            state: report.state.code(),
            ..to_row(&accepted.event, &players)
        };
        let reports = earlier.entry(row.event_id()).or_default();
        reports.push(row.report());
        let sides = share(reports).pop().unwrap_or_default();
        restored.push(EventRow { sides: sides.bits(), ..row });
    }
    ingest::reserve_ids(tx, id - last)?;
    let inserted = rows::insert(tx, &restored, &players)?;
    let reported = restored.iter().filter_map(|row| Some((row.ingest_key_id?, row.id)));
    key_days::extend(tx, KeyDay::of_events(reported, key_days::IMPORTED))?;
    Ok(inserted)
}

/// Inserts the patches of events. Those that exist are unchanged, except that they are adopted if a time is given.
fn add_patches(tx: &mut Tx, stored: &[StoredReport], adopted_at: Option<i64>) -> diesel::QueryResult<()> {
    let patches = stored.iter().filter_map(|report| report.event.patch.as_ref());
    let named = patches.map(|patch| {
        (patch.version(), PatchChange { name: patch.as_str().to_owned(), adopted_at, ..PatchChange::default() })
    });
    ingest::add_patches(tx, &named.collect())
}

/// The keys and logs that reports name.
struct Readers {
    by_hash: HashMap<String, Reporter>,
    /// By key and the reader's id of the log.
    logs: HashMap<(i64, String), i64>,
}

impl Readers {
    fn read(tx: &mut Tx, stored: &[StoredReport], now: EpochMillis) -> Result<Self, AppError> {
        let hashes = distinct(stored.iter().filter_map(|report| report.reader.clone()));
        let key_ids: HashMap<String, i64> = transfer::keys_by_hash(tx, &hashes, now.0)?.into_iter().collect();
        let ids: Vec<i64> = key_ids.values().copied().collect();
        let reporters: HashMap<i64, Reporter> =
            keys::reporters(tx, &ids)?.into_iter().map(|reporter| (reporter.key_id, reporter)).collect();
        let by_hash: HashMap<String, Reporter> =
            key_ids.into_iter().filter_map(|(hash, id)| Some((hash, *reporters.get(&id)?))).collect();
        let log = |report: &StoredReport| Some((by_hash.get(report.reader.as_ref()?)?.key_id, report.log.clone()?));
        // An export of events alone contains no logs.
        let logs = logs::ids_of_keys(tx, &distinct(stored.iter().filter_map(log)))?.into_iter().collect();
        Ok(Self { by_hash, logs })
    }

    fn reporter(&self, report: &StoredReport) -> Option<Reporter> {
        self.by_hash.get(report.reader.as_ref()?).copied()
    }

    fn log_id(&self, report: &StoredReport) -> Option<i64> {
        self.logs.get(&(self.reporter(report)?.key_id, report.log.clone()?)).copied()
    }
}

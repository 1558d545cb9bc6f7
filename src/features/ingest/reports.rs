//! Sorts the events of a batch: repeated ones, further reports of stored events, and new events.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::domain::events::Identity;
use crate::domain::fights::{FIGHT_WINDOW_MS, is_within_fight_window};
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Account, Reporter};
use crate::error::AppError;
use crate::store::Tx;
use crate::store::ingest::{self, KnownReport};

use super::batch::Accepted;

/// An accepted event that is not stored, and the stored event that it is another report of.
pub(super) struct NewReport<'a> {
    pub accepted: &'a Accepted,
    pub event_id: Option<i64>,
}

/// Leaves out the events that the account has reported before, and finds the stored events of which the others are reports.
pub(super) fn new_reports<'a>(
    tx: &mut Tx,
    reporter: Reporter,
    events: &'a [Accepted],
) -> diesel::QueryResult<Vec<NewReport<'a>>> {
    let identities: Vec<Vec<u8>> = events.iter().map(|accepted| accepted.event.identity.0.to_vec()).collect();
    let stored = ingest::known_identities(tx, &identities)?;
    let mut of_account: HashSet<Identity> = HashSet::new();
    let mut of_others: HashMap<Identity, i64> = HashMap::new();
    for report in &stored {
        let Some(identity) = Identity::from_bytes(&report.identity) else { continue };
        if report.account == reporter.account.code() {
            of_account.insert(identity);
        } else {
            of_others.insert(identity, report.event_id());
        }
    }
    let new: Vec<&Accepted> = events.iter().filter(|accepted| of_account.insert(accepted.event.identity)).collect();
    let mut fights = Fights::read(tx, reporter, &new)?;
    let mut event_ids = vec![None; new.len()];
    // Of two events near a stored fight the earlier is a report of it, whatever their order in the batch.
    let mut by_time: Vec<usize> = (0..new.len()).collect();
    by_time.sort_by_key(|at| (new[*at].event.event_time, new[*at].event.identity));
    for at in by_time {
        let event = &new[at].event;
        event_ids[at] = match event.fight {
            Some(fight) => fights.take(fight, event.event_time),
            // Two accounts report a session or a mission of one player.
            None => of_others.get(&event.identity).copied(),
        };
    }
    Ok(new.into_iter().zip(event_ids).map(|(accepted, event_id)| NewReport { accepted, event_id }).collect())
}

/// Stored fights, as `(event, time)`, by fight key.
#[derive(Default)]
struct Fights(HashMap<i64, Vec<(i64, EpochMillis)>>);

impl Fights {
    /// Reads the fights near those of a batch, without those that its reader has reported.
    fn read(tx: &mut Tx, reporter: Reporter, new: &[&Accepted]) -> diesel::QueryResult<Self> {
        let stored = near_fights(tx, new.iter().copied())?;
        let mut events: BTreeMap<i64, Vec<&KnownReport>> = BTreeMap::new();
        for report in &stored {
            events.entry(report.event_id()).or_default().push(report);
        }
        events.retain(|_, reports| !reports.iter().any(|report| is_own(reporter, report)));
        let mut fights = Self::default();
        for (event_id, reports) in events {
            // The first report gives the time of the fight.
            if let Some((key, first)) = reports.first().and_then(|first| Some((first.fight?, first))) {
                fights.0.entry(key).or_default().push((event_id, EpochMillis(first.event_time)));
            }
        }
        Ok(fights)
    }

    /// The nearest fight in the window. It is not found again: two reports of one reader are two fights.
    fn take(&mut self, key: i64, at: EpochMillis) -> Option<i64> {
        let fights = self.0.get_mut(&key)?;
        let near = fights.iter().enumerate().filter(|(_, (_, time))| is_within_fight_window(*time, at));
        let (nearest, _) = near.min_by_key(|(_, (id, time))| ((time.0 - at.0).abs(), *id))?;
        Some(fights.swap_remove(nearest).0)
    }
}

fn is_own(reporter: Reporter, report: &KnownReport) -> bool {
    let stored = Reporter { key_id: report.ingest_key_id.unwrap_or(0), account: Account::from_code(report.account) };
    reporter.is_same_reader(stored)
}

/// The stored reports of fights near those of a batch.
fn near_fights<'a>(tx: &mut Tx, accepted: impl Iterator<Item = &'a Accepted>) -> diesel::QueryResult<Vec<KnownReport>> {
    let fights = accepted.filter_map(|accepted| Some((accepted.event.fight?, accepted.event.event_time.0)));
    let (keys, times): (Vec<i64>, Vec<i64>) = fights.unzip();
    let (Some(first), Some(last)) = (times.iter().min(), times.iter().max()) else { return Ok(Vec::new()) };
    ingest::known_fights(tx, &keys, first - FIGHT_WINDOW_MS, last + FIGHT_WINDOW_MS)
}

/// Requests a retry if another process has stored a report of one of these fights after the event `last_id`.
pub(super) fn require_no_newer_fights(tx: &mut Tx, new: &[NewReport], last_id: i64) -> Result<(), AppError> {
    let stored = near_fights(tx, new.iter().map(|report| report.accepted))?;
    if stored.iter().any(|report| report.id > last_id) { Err(AppError::RetryTransaction) } else { Ok(()) }
}

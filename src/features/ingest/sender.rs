//! What is known of the senders of batches: whose log they read, and whether they can confirm what others report.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::domain::events::{EventKind, ValidEvent};
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{LogHeader, LogOwner, LogText, Provenance, Reporter, TrustRules, Unclaimed};
use crate::store::conn::AnyConn;
use crate::store::{Tx, logs, users};

use super::batch::Batch;

/// The channel whose events count.
const LIVE: &str = "LIVE";

/// The sender of a batch.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    /// The stored log.
    pub log_id: Option<i64>,
    owner: LogOwner,
    is_independent: bool,
    /// Whether the log comes from the LIVE channel, or from an unknown one.
    pub is_live_channel: bool,
    /// The version of the game that the log names.
    pub build_version: Option<i64>,
    /// The times of the same player's other logs that were stored earlier and overlap with this one, in epoch milliseconds.
    pub other_logs: Vec<(i64, i64)>,
}

impl Sender {
    /// What the sender is to an event of the batch.
    pub fn provenance(&self, event: &ValidEvent) -> Provenance {
        Provenance { voice: self.owner.voice(event), is_independent: self.is_independent }
    }
}

/// Stores the logs that batches name, and reads what is known of their senders, in the order of the batches.
pub(super) fn senders(
    tx: &mut Tx,
    batches: &[Batch],
    rules: &TrustRules,
    now: EpochMillis,
) -> diesel::QueryResult<Vec<Sender>> {
    let log_ids = store_logs(tx, batches, now)?;
    let accounts: Vec<&Batch> = batches.iter().filter(|batch| !batch.reporter.scope.is_operator()).collect();
    let handles: BTreeSet<String> = accounts.iter().filter_map(|batch| folded_handle(batch)).collect();
    let owners = users::owners_of_handles(tx, &handles.into_iter().collect::<Vec<_>>())?;
    let user_ids: BTreeSet<i64> = accounts.iter().filter_map(|batch| batch.reporter.scope.user_id()).collect();
    let ages = users::ages(tx, &user_ids.into_iter().collect::<Vec<_>>())?;
    let independent: HashSet<i64> =
        ages.into_iter().filter(|age| age.is_independent(now)).map(|age| age.user_id).collect();
    let mut senders = Vec::with_capacity(batches.len());
    for (batch, log_id) in batches.iter().zip(log_ids) {
        let owner = log_owner(batch.reporter, folded_handle(batch), &owners, rules.unclaimed);
        let text = |text: fn(&LogHeader) -> Option<&LogText>| batch.log.as_ref().and_then(text).map(LogText::as_str);
        let other_logs = match (&batch.log, log_id) {
            (Some(log), Some(id)) if !batch.reporter.scope.is_operator() => {
                logs::overlapping(tx, batch.reporter.key_id, id, log.first.0, log.last.0)?
            }
            _ => Vec::new(),
        };
        senders.push(Sender {
            log_id,
            is_independent: batch.reporter.scope.user_id().is_some_and(|id| independent.contains(&id)),
            is_live_channel: text(|log| log.channel.as_ref()).is_none_or(|channel| channel == LIVE),
            build_version: text(|log| log.branch.as_ref()).and_then(Patch::parse).map(|patch| patch.version()),
            owner,
            other_logs,
        });
    }
    Ok(senders)
}

fn folded_handle(batch: &Batch) -> Option<String> {
    Some(batch.log.as_ref()?.handle.as_ref()?.folded())
}

/// Whose log a batch comes from. `owners` are the users by the folded handles of the players that they claimed.
fn log_owner(
    reporter: Reporter,
    handle: Option<String>,
    owners: &HashMap<String, i64>,
    unclaimed: Unclaimed,
) -> LogOwner {
    let Some(handle) = handle.filter(|_| !reporter.scope.is_operator()) else {
        return if reporter.scope.is_operator() { LogOwner::Operator } else { LogOwner::Stranger };
    };
    match owners.get(&handle) {
        Some(user_id) if Some(*user_id) == reporter.scope.user_id() => LogOwner::Reporter(handle),
        Some(_) => LogOwner::Stranger,
        None if unclaimed == Unclaimed::Count => LogOwner::Reporter(handle),
        None => LogOwner::Nobody(handle),
    }
}

/// Stores the logs that batches name; returns their ids in the order of the batches.
fn store_logs(tx: &mut Tx, batches: &[Batch], now: EpochMillis) -> diesel::QueryResult<Vec<Option<i64>>> {
    let mut ids = vec![None; batches.len()];
    let mut named: Vec<_> = batches
        .iter()
        .enumerate()
        .filter_map(|(at, batch)| Some((batch.reporter.key_id, batch.log.as_ref()?, at)))
        .collect();
    // In ascending order, so that concurrent transactions do not deadlock.
    named.sort_by_key(|(key_id, log, at)| (*key_id, &log.id, *at));
    for (key_id, log, at) in named {
        ids[at] = Some(logs::upsert(tx, key_id, log, now.0)?);
    }
    Ok(ids)
}

/// Whose sessions a batch of an account may contain.
pub(super) struct Sessions {
    /// The folded handle of the player that the log names, unless another account has claimed this player.
    handle: Option<String>,
}

impl Sessions {
    /// Reads whether the player that the log names belongs to another account.
    pub fn of_log(conn: &mut AnyConn, reporter: Reporter, log: Option<&LogHeader>) -> diesel::QueryResult<Self> {
        let Some(handle) = log.and_then(|log| log.handle.as_ref()).map(|handle| handle.folded()) else {
            return Ok(Self { handle: None });
        };
        let owners = users::owners_of_handles(conn, std::slice::from_ref(&handle))?;
        let is_of_other = owners.get(&handle).is_some_and(|owner| Some(*owner) != reporter.scope.user_id());
        Ok(Self { handle: (!is_of_other).then_some(handle) })
    }

    /// Whether the event may be reported: logins, seats and missions only for the player of the log.
    pub fn permits(&self, event: &ValidEvent) -> bool {
        let is_personal = !event.identifier.is_fight();
        let is_own = |own: &String| event.player.player().is_some_and(|player| player.folded() == *own);
        !is_personal || self.handle.as_ref().is_some_and(is_own)
    }
}

/// The sentence with which an event of another player is rejected.
pub(super) fn not_own(event: &ValidEvent) -> String {
    let what = match event.identifier.kind() {
        EventKind::Login | EventKind::Logout | EventKind::Connection => "a session",
        EventKind::SeatEntered | EventKind::SeatExited => "a seat",
        _ => "a mission",
    };
    format!(
        "{what} of {} is accepted only from that player's own log: the header Apogee-Log must name the player, and no other \
         account may have claimed it",
        event.player
    )
}

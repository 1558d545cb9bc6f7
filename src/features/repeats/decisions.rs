//! Decides which repeats of a killer count, and withholds or releases events accordingly.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::domain::times::EpochMillis;
use crate::domain::trust::{Kill, Links, REPEAT_WINDOW_MS, Reasons, Surroundings, decide_repeats};
use crate::error::AppError;
use crate::features::ingest::{self, Decision};
use crate::replication::RecordedChange;
use crate::store::conn::AnyConn;
use crate::store::repeats::{self, RepeatRow, StoredKill};
use crate::store::{Store, Tx};

use super::circles::read_links;

/// Number of events per transaction.
const CHUNK: usize = 250;

/// What all decisions of a run depend on.
pub(super) struct Rules {
    claimed: Arc<HashSet<i64>>,
    links: Links,
    share: u32,
}

impl Rules {
    pub async fn read(store: &Store, share: u32) -> Result<Self, AppError> {
        let read = move |conn: &mut AnyConn| {
            let claimed: HashSet<i64> = repeats::known_claims(conn)?.into_iter().collect();
            Ok(Self { claimed: Arc::new(claimed), links: read_links(conn)?, share })
        };
        Ok(store.read(read).await?)
    }

    /// The repeats of a killer from a time on whose state is to change, as `(repeat, state)` in order of time. A repeat without a state
    /// is to be removed.
    fn changes(&self, facts: &Facts) -> Vec<(RepeatRow, Option<i16>)> {
        let kills: Vec<Kill> = facts.repeats().map(RepeatRow::kill).collect();
        let withheld: HashSet<i64> =
            facts.repeats().filter(|row| row.state == repeats::WITHHELD).map(|row| row.event_id).collect();
        let surroundings =
            Surroundings { fights: &facts.fights, claimed: &self.claimed, links: &self.links, share: self.share };
        let decided = decide_repeats(&kills, facts.since, |kill| !withheld.contains(&kill.id), &surroundings);
        let state = |row: &RepeatRow| match decided.get(&row.event_id) {
            _ if row.state == repeats::FORMER => None,
            Some(true) => Some(repeats::COUNTS),
            Some(false) => Some(repeats::WITHHELD),
            None => Some(row.state),
        };
        let changed = |row: &RepeatRow| Some((*row, state(row))).filter(|(row, state)| *state != Some(row.state));
        facts.rows.iter().filter_map(changed).collect()
    }
}

/// What the decision about a killer depends on.
struct Facts {
    killer_id: i64,
    since: i64,
    rows: Vec<RepeatRow>,
    fights: HashMap<i64, Vec<(i64, i64)>>,
}

impl Facts {
    /// The facts of the next killer; `None` if nothing is to be decided.
    fn read_next(conn: &mut AnyConn, claimed: &HashSet<i64>) -> diesel::QueryResult<Option<Self>> {
        let Some((killer_id, since)) = repeats::next_changes(conn, repeats::DECISION, 1)?.pop() else {
            return Ok(None);
        };
        let window = since.saturating_sub(REPEAT_WINDOW_MS);
        let rows = repeats::by_killer(conn, killer_id, window)?;
        let later = rows.iter().filter(|row| row.event_time >= since && row.state != repeats::FORMER);
        let mut players: HashSet<i64> = later.map(|row| row.victim_id).filter(|id| claimed.contains(id)).collect();
        players.insert(killer_id);
        let mut fights = HashMap::new();
        for player_id in players {
            let kills = repeats::kills_of_player(conn, player_id, window)?;
            let fight = |StoredKill { kill, .. }: &StoredKill| (kill.at, kill.opponent(player_id));
            fights.insert(player_id, kills.iter().map(fight).collect());
        }
        Ok(Some(Self { killer_id, since, rows, fights }))
    }

    fn repeats(&self) -> impl Iterator<Item = &RepeatRow> {
        self.rows.iter().filter(|row| row.state != repeats::FORMER)
    }
}

/// Decides about the next killer; returns whether there was one.
pub(super) async fn decide_next(
    store: &Store,
    rules: &Rules,
    publish: impl Fn(&RecordedChange) + Clone + Send + 'static,
) -> Result<bool, AppError> {
    let claimed = Arc::clone(&rules.claimed);
    let Some(facts) = store.read(move |conn| Facts::read_next(conn, &claimed)).await? else { return Ok(false) };
    let mut changes = rules.changes(&facts);
    // The rest is decided in the next transaction, from its time on.
    let next = (changes.len() > CHUNK).then(|| changes[CHUNK].0.event_time);
    changes.truncate(CHUNK);
    let Facts { killer_id, since, .. } = facts;
    let (withheld, released): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|(_, state)| *state == Some(repeats::WITHHELD));
    if !released.is_empty() {
        let is_pending = move |tx: &mut Tx| repeats::advance_change(tx, repeats::DECISION, killer_id, since, since);
        apply(store, released, publish.clone(), is_pending).await?;
    }
    let complete = move |tx: &mut Tx| match next {
        Some(next) => repeats::advance_change(tx, repeats::DECISION, killer_id, since, next),
        None => repeats::complete_change(tx, repeats::DECISION, killer_id, since),
    };
    apply(store, withheld, publish, complete).await?;
    Ok(true)
}

/// Stores the new states of repeats and counts the difference, unless `claim` returns that another process has done it.
async fn apply(
    store: &Store,
    changes: Vec<(RepeatRow, Option<i16>)>,
    publish: impl Fn(&RecordedChange) + Send + 'static,
    claim: impl Fn(&mut Tx) -> diesel::QueryResult<bool> + Send + 'static,
) -> Result<(), AppError> {
    let ids: Vec<i64> = changes.iter().map(|(row, _)| row.event_id).collect();
    let with_state = |state: Option<i16>| -> Vec<i64> {
        changes.iter().filter(|(_, new)| *new == state).map(|(row, _)| row.event_id).collect()
    };
    let (removed, counted, withheld) =
        (with_state(None), with_state(Some(repeats::COUNTS)), with_state(Some(repeats::WITHHELD)));
    let reasons: BTreeMap<i64, Reasons> = ids.iter().map(|id| (*id, Reasons::REPEATED)).collect();
    let decision = if withheld.is_empty() { Decision::RemoveEach(reasons) } else { Decision::AddEach(reasons) };
    let act = move |tx: &mut Tx| {
        if !claim(tx)? || ids.is_empty() {
            return Ok::<_, AppError>(None);
        }
        repeats::remove(tx, &removed)?;
        repeats::set_state(tx, &counted, repeats::COUNTS)?;
        repeats::set_state(tx, &withheld, repeats::WITHHELD)?;
        Ok(ingest::decide(tx, &ids, &decision, EpochMillis::now())?.1)
    };
    store.write_then(act, move |recorded: &Option<RecordedChange>| recorded.iter().for_each(&publish)).await?;
    Ok(())
}

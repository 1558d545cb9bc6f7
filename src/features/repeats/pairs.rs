//! Finds the repeats among the kills of players whose kills changed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::domain::trust::{Kill, REPEAT_WINDOW_MS, repeats_of_pair};
use crate::error::AppError;
use crate::store::repeats::{self, RepeatRow, StoredKill};
use crate::store::{Store, Tx};

/// Number of kills per transaction, exceeded by at most the kills of one player.
const MAX_KILLS: usize = 500;
/// Number of players per transaction.
const MAX_PLAYERS: i64 = 100;

/// Updates the repeats of the next players; returns whether there were any.
pub(super) async fn update_next(store: &Store) -> Result<bool, AppError> {
    let apply = |tx: &mut Tx| {
        let mut kills = 0;
        let next = repeats::next_changes(tx, repeats::KILLS, MAX_PLAYERS)?;
        for (player_id, _) in &next {
            if kills >= MAX_KILLS {
                break;
            }
            // Taken before the kills are read, so that a later change adds it again.
            if let Some(since) = repeats::take_change(tx, repeats::KILLS, *player_id)? {
                kills += update(tx, *player_id, since)?;
            }
        }
        Ok::<_, AppError>(!next.is_empty())
    };
    store.write(apply).await
}

/// Updates the repeats of a player from a time on; returns the number of kills that were read.
fn update(tx: &mut Tx, player_id: i64, since: i64) -> diesel::QueryResult<usize> {
    let window = since.saturating_sub(REPEAT_WINDOW_MS);
    let kills = repeats::kills_of_player(tx, player_id, window)?;
    let mut stored = repeats::by_killer(tx, player_id, window)?;
    stored.extend(repeats::by_victim(tx, player_id, window)?);
    let difference = Difference::new(player_id, since, &kills, &stored);
    let written: Vec<RepeatRow> = difference.added.iter().chain(&difference.former).copied().collect();
    repeats::upsert(tx, &written)?;
    repeats::remove(tx, &difference.removed.iter().map(|row| row.event_id).collect::<Vec<_>>())?;
    add_circle_changes(tx, &difference)?;
    add_decisions(tx, player_id, since)?;
    Ok(kills.len())
}

/// How the repeats of a player differ from the stored ones.
struct Difference {
    added: Vec<RepeatRow>,
    /// Withheld events that are to be released.
    former: Vec<RepeatRow>,
    removed: Vec<RepeatRow>,
}

impl Difference {
    fn new(player_id: i64, since: i64, kills: &[StoredKill], stored: &[RepeatRow]) -> Self {
        let of_event: HashMap<i64, &RepeatRow> = stored.iter().map(|row| (row.event_id, row)).collect();
        let is_known = |kill: &Kill| of_event.get(&kill.id).is_some_and(|row| row.state != repeats::FORMER);
        let mut pairs: BTreeMap<i64, Vec<Kill>> = BTreeMap::new();
        for StoredKill { kill, .. } in kills {
            pairs.entry(kill.opponent(player_id)).or_default().push(*kill);
        }
        let withheld: HashSet<i64> = kills.iter().filter(|kill| kill.is_withheld).map(|kill| kill.kill.id).collect();
        let repeats = pairs.values().flat_map(|kills| repeats_of_pair(kills, since, is_known));
        let repeats: Vec<Kill> = repeats.filter(|kill| kill.at >= since).collect();
        let state = |kill: &Kill| if withheld.contains(&kill.id) { repeats::WITHHELD } else { repeats::COUNTS };
        let rows = repeats.iter().map(|kill| RepeatRow::new(kill, state(kill)));
        let added = rows.filter(|row| of_event.get(&row.event_id) != Some(&row)).collect();
        let found: HashSet<i64> = repeats.iter().map(|kill| kill.id).collect();
        let missing = stored.iter().filter(|row| row.event_time >= since && !found.contains(&row.event_id));
        let (removed, former): (Vec<RepeatRow>, Vec<RepeatRow>) =
            missing.copied().partition(|row| row.state == repeats::COUNTS);
        let former = former.into_iter().map(|row| RepeatRow { state: repeats::FORMER, ..row }).collect();
        Self { added, former, removed }
    }
}

/// A repeat links claimed players, so their circles may differ from its time on.
fn add_circle_changes(tx: &mut Tx, difference: &Difference) -> diesel::QueryResult<()> {
    let Difference { added, former, removed } = difference;
    let kills: Vec<Kill> = added.iter().chain(former).chain(removed).map(RepeatRow::kill).collect();
    let players: BTreeSet<i64> = kills.iter().flat_map(|kill| [kill.killer, kill.victim]).collect();
    let claimed = repeats::known_claims_among(tx, &players.into_iter().collect::<Vec<_>>())?;
    let links = kills.iter().filter(|kill| claimed.contains(&kill.killer) && claimed.contains(&kill.victim));
    let mut since = BTreeMap::new();
    repeats::extend_changes(&mut since, links);
    repeats::add_changes(tx, repeats::CIRCLE, &since)
}

/// Adds the decisions that depend on the people that a player fought: of the player's repeats, and of the repeats against the player.
pub(super) fn add_decisions(tx: &mut Tx, player_id: i64, since: i64) -> diesel::QueryResult<()> {
    let mut rows = repeats::by_killer(tx, player_id, since - 1)?;
    rows.extend(repeats::by_victim(tx, player_id, since - 1)?);
    let killers: BTreeMap<i64, i64> = rows.into_iter().map(|row| (row.killer_id, since)).collect();
    repeats::add_changes(tx, repeats::DECISION, &killers)
}

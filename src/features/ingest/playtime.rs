//! Keeps play sessions right while events arrive in any order, and hands changed lengths to the tally.

use std::collections::BTreeMap;

use crate::domain::sessions::{PlaySession, replay};
use crate::domain::times::EpochMillis;
use crate::store::Tx;
use crate::store::ingest::{self, PlaySessionRow};

use super::tally::Tally;

/// Codes of the categories that begin and end a session.
pub const LOGIN: i16 = 5;
pub const LOGOUT: i16 = 6;

/// One thing seen of a player: `(time, category, patch)`.
pub type Seen = (i64, i16, Option<i64>);

/// Updates the sessions of the players that were seen.
///
/// `moved` names the players of an event that was stored at that time before and has an earlier one now.
pub fn update(
    tx: &mut Tx,
    seen: &BTreeMap<i64, Vec<Seen>>,
    moved: &BTreeMap<i64, i64>,
    tally: &mut Tally,
) -> diesel::QueryResult<()> {
    let ids: Vec<i64> = seen.keys().copied().collect();
    let newest: BTreeMap<i64, PlaySessionRow> =
        ingest::newest_sessions(tx, &ids)?.into_iter().map(|row| (row.player_id, row)).collect();
    let mut changed = Vec::new();
    for (player_id, events) in seen {
        let logs_in = events.iter().any(|(_, category, _)| *category == LOGIN);
        let was_at = moved.get(player_id).copied();
        match newest.get(player_id) {
            None if !logs_in => {}
            Some(session) if !logs_in && was_at.is_none() && events.iter().all(|(at, ..)| *at >= session.login_at) => {
                let after = see_all(session, events);
                note(tally, Some(session), Some(&after));
                changed.push(after);
            }
            _ => rebuild(tx, *player_id, events, was_at, tally)?,
        }
    }
    changed.retain(|row| newest.get(&row.player_id) != Some(row));
    ingest::put_sessions(tx, &changed)
}

fn see_all(session: &PlaySessionRow, events: &[Seen]) -> PlaySessionRow {
    let mut play = to_play(session);
    for (at, category, _) in events {
        play.see(EpochMillis(*at), *category == LOGOUT);
    }
    PlaySessionRow { logout_at: play.logout_at.map(|t| t.0), last_seen_at: play.last_seen_at.0, ..*session }
}

/// Replays the part of a player's history that the events fall into: from the session that holds the first of them
/// to the first login after the last of them.
fn rebuild(
    tx: &mut Tx,
    player_id: i64,
    events: &[Seen],
    was_at: Option<i64>,
    tally: &mut Tally,
) -> diesel::QueryResult<()> {
    let times = events.iter().map(|e| e.0).chain(was_at);
    let (Some(first), Some(last)) = (times.clone().min(), times.max()) else {
        return Ok(());
    };
    let from = ingest::session_at(tx, player_id, first)?.map_or(first, |s| s.login_at);
    let until = ingest::next_login(tx, player_id, last)?.unwrap_or(i64::MAX);
    let known = ingest::sessions_between(tx, player_id, from, until)?;
    let mut history = ingest::seen_between(tx, player_id, from, until)?;
    history.extend_from_slice(events);
    let mut patches: BTreeMap<i64, Option<i64>> = BTreeMap::new();
    for (at, _, patch) in history.iter().filter(|(_, category, _)| *category == LOGIN) {
        let login = patches.entry(*at).or_default();
        *login = (*login).max(*patch);
    }
    let replayed = replay(history.iter().map(|(at, c, _)| (EpochMillis(*at), *c == LOGIN, *c == LOGOUT)).collect());
    let rows: Vec<PlaySessionRow> = replayed
        .iter()
        .map(|play| PlaySessionRow {
            player_id,
            login_at: play.login_at.0,
            logout_at: play.logout_at.map(|t| t.0),
            last_seen_at: play.last_seen_at.0,
            patch_version: patches.get(&play.login_at.0).copied().flatten(),
        })
        .collect();
    for old in &known {
        note(tally, Some(old), None);
        if !rows.iter().any(|row| row.login_at == old.login_at) {
            ingest::remove_session(tx, player_id, old.login_at)?;
        }
    }
    for new in &rows {
        note(tally, None, Some(new));
    }
    ingest::put_sessions(tx, &rows)
}

fn note(tally: &mut Tally, old: Option<&PlaySessionRow>, new: Option<&PlaySessionRow>) {
    if let Some(row) = old {
        tally.play(row.player_id, &to_play(row), row.patch_version, -1);
    }
    if let Some(row) = new {
        tally.play(row.player_id, &to_play(row), row.patch_version, 1);
    }
}

fn to_play(row: &PlaySessionRow) -> PlaySession {
    PlaySession {
        login_at: EpochMillis(row.login_at),
        logout_at: row.logout_at.map(EpochMillis),
        last_seen_at: EpochMillis(row.last_seen_at),
    }
}

//! Maintains play sessions and stays in the universe while events arrive in any order, and passes changed lengths to the tally.

use std::collections::BTreeMap;

use crate::domain::events::UNLISTED;
use crate::domain::play_sessions::{MAX_OVERLAP_MS, Mark, PlaySession, SessionKind, replay};
use crate::domain::times::EpochMillis;
use crate::store::ingest::{self, EventRow, PlaySessionRow};
use crate::store::{Tx, distinct};

use super::tally::Tally;

/// An event of a player: `(time, category, patch)`.
pub type SeenEvent = (i64, i16, Option<i64>);

/// An event as one of a player. Outside the universe, arrivals and departures are events like any other.
pub(super) fn seen_event(row: &EventRow) -> SeenEvent {
    let universe = SessionKind::Universe;
    let is_foreign = universe.categories().contains(&row.category) && universe.foreign_modes().contains(&row.game_mode);
    (row.event_time, if is_foreign { UNLISTED } else { row.category }, row.patch_version)
}

/// Updates the sessions of a kind with new events of players.
///
/// `moved` contains the previous times of events that now have another time or other players, by player.
pub fn update(
    tx: &mut Tx,
    kind: SessionKind,
    seen: &BTreeMap<i64, Vec<SeenEvent>>,
    moved: &BTreeMap<i64, Vec<i64>>,
    tally: &mut Tally,
) -> diesel::QueryResult<()> {
    let [begins, ends] = kind.categories();
    let is_mark = |event: &SeenEvent| [begins, ends].contains(&event.1);
    let concerns = |player_id: &i64, events: &[SeenEvent]| {
        kind == SessionKind::Play || events.iter().any(is_mark) || moved.contains_key(player_id)
    };
    let mut changed = Vec::new();
    for (player_id, events) in seen.iter().filter(|(player_id, events)| concerns(player_id, events)) {
        let mut events = events.clone();
        // Only the time of a departure ends a stay: the reader sends one for each arrival.
        events.retain(|event| kind == SessionKind::Play || is_mark(event));
        // At the same instant a login comes first.
        events.sort_by_key(|(at, category, _)| (*at, *category != begins));
        let newest = ingest::session_at(tx, kind, *player_id, i64::MAX)?;
        let moved = moved.get(player_id).map_or(&[][..], Vec::as_slice);
        let appended = if moved.is_empty() { append(tx, kind, *player_id, newest, &events)? } else { None };
        match appended {
            Some(rows) => {
                let replaced = newest.filter(|newest| rows.first() != Some(newest));
                let rows: Vec<_> = rows.into_iter().filter(|row| Some(*row) != newest).collect();
                tally_change(tally, kind, replaced.as_ref(), &rows);
                changed.extend(rows);
            }
            None => update_around(tx, kind, *player_id, &events, moved, tally)?,
        }
    }
    ingest::upsert_sessions(tx, &changed)
}

/// The newest session and those after it, if all events follow what is known of the player; `None` if earlier sessions may change.
fn append(
    tx: &mut Tx,
    kind: SessionKind,
    player_id: i64,
    newest: Option<PlaySessionRow>,
    events: &[SeenEvent],
) -> diesel::QueryResult<Option<Vec<PlaySessionRow>>> {
    let [begins, ends] = kind.categories();
    if let Some((login_at, ..)) = events.iter().find(|(_, category, _)| *category == begins)
        && ingest::last_activity(tx, player_id, *login_at, i64::MAX)?.is_some()
    {
        return Ok(None);
    }
    let mut rows: Vec<PlaySessionRow> = newest.into_iter().collect();
    for (at, category, patch) in events {
        let (at, last) = (EpochMillis(*at), rows.last_mut());
        match last {
            Some(row) if *category == begins && at.0 <= row.login_at => return Ok(None),
            _ if *category == begins => {
                rows.push(PlaySessionRow::new(player_id, &PlaySession::starting_at(kind, at), *patch));
            }
            None => {}
            Some(row) if *category == ends && row.logout_at.is_some() => return Ok(None),
            Some(row) if at.0 < row.login_at => return Ok(None),
            Some(row) => {
                let mut session = row.session(kind);
                if *category == ends {
                    session.log_out(at)
                } else {
                    session.see(at)
                }
                *row = PlaySessionRow::new(player_id, &session, row.patch_version);
            }
        }
    }
    Ok(Some(rows))
}

/// Updates the sessions around each event. The cost depends on the number of events and their sessions, not on the time between
/// them.
fn update_around(
    tx: &mut Tx,
    kind: SessionKind,
    player_id: i64,
    events: &[SeenEvent],
    moved: &[i64],
    tally: &mut Tally,
) -> diesel::QueryResult<()> {
    let (marks, others): (Vec<SeenEvent>, Vec<SeenEvent>) =
        events.iter().partition(|(_, category, _)| kind.categories().contains(category));
    let times = distinct(marks.iter().map(|mark| mark.0).chain(moved.iter().copied()));
    for near in times.chunk_by(|one, next| next - one <= 2 * MAX_OVERLAP_MS) {
        if let (Some(first), Some(last)) = (near.first(), near.last()) {
            replay_between(tx, kind, player_id, (*first, *last), &marks, tally)?;
        }
    }
    for (at, ..) in others {
        let Some(before) = ingest::session_at(tx, kind, player_id, at)? else { continue };
        let mut session = before.session(kind);
        session.see(EpochMillis(at));
        let after = PlaySessionRow::new(player_id, &session, before.patch_version);
        if after != before {
            tally_change(tally, kind, Some(&before), &[after]);
            ingest::upsert_sessions(tx, &[after])?;
        }
    }
    Ok(())
}

/// Replays the part of a player's history that events between two times can change, with additional logins and logouts.
fn replay_between(
    tx: &mut Tx,
    kind: SessionKind,
    player_id: i64,
    (first, last): (i64, i64),
    new: &[SeenEvent],
    tally: &mut Tally,
) -> diesel::QueryResult<()> {
    let earliest = first - MAX_OVERLAP_MS;
    let from = ingest::session_at(tx, kind, player_id, earliest)?.map_or(earliest, |session| session.login_at);
    let until = ingest::next_login(tx, kind, player_id, last + MAX_OVERLAP_MS)?.unwrap_or(i64::MAX);
    let known = ingest::sessions_between(tx, kind, player_id, from, until)?;
    let mut marks = ingest::activity_between(tx, player_id, kind, from, until)?;
    marks.extend(new.iter().filter(|(at, ..)| (from..until).contains(at)));
    let mut patches: BTreeMap<i64, Option<i64>> = BTreeMap::new();
    let [begins, _] = kind.categories();
    for (at, _, patch) in marks.iter().filter(|(_, category, _)| *category == begins) {
        let login = patches.entry(*at).or_default();
        *login = (*login).max(*patch);
    }
    let marks = marks.iter().map(|(at, category, _)| Mark { at: EpochMillis(*at), is_login: *category == begins });
    let mut sessions = replay(kind, marks.collect());
    let mut next_login = until;
    for session in sessions.iter_mut().rev() {
        if session.is_open() && kind == SessionKind::Play {
            let seen = ingest::last_activity(tx, player_id, session.login_at.0, next_login)?;
            seen.into_iter().for_each(|at| session.see(EpochMillis(at)));
        }
        next_login = session.login_at.0;
    }
    let row = |session: &PlaySession| {
        PlaySessionRow::new(player_id, session, patches.get(&session.login_at.0).copied().flatten())
    };
    let rows: Vec<PlaySessionRow> = sessions.iter().map(row).collect();
    for old in &known {
        tally_change(tally, kind, Some(old), &[]);
        if !rows.iter().any(|row| row.login_at == old.login_at) {
            ingest::remove_session(tx, kind, player_id, old.login_at)?;
        }
    }
    tally_change(tally, kind, None, &rows);
    ingest::upsert_sessions(tx, &rows)
}

fn tally_change(tally: &mut Tally, kind: SessionKind, old: Option<&PlaySessionRow>, new: &[PlaySessionRow]) {
    for (row, sign) in old.into_iter().map(|row| (row, -1)).chain(new.iter().map(|row| (row, 1))) {
        tally.add_session(row.player_id, &row.session(kind), row.patch_version, sign);
    }
}

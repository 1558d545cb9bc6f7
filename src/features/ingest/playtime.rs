//! Maintains play sessions while events arrive in any order, and passes changed lengths to the tally.

use std::collections::BTreeMap;

use crate::domain::play_sessions::replay;
use crate::domain::times::EpochMillis;
use crate::store::Tx;
use crate::store::ingest::{self, EventRow, PlaySessionRow};

use super::category::{LOGIN, LOGOUT};
use super::tally::Tally;

/// An event of a player: `(time, category, patch)`.
pub type SeenEvent = (i64, i16, Option<i64>);

/// An event as one of a player.
pub(super) fn seen_event(row: &EventRow) -> SeenEvent {
    (row.event_time, row.category, row.patch_version)
}

/// Updates the sessions of players with new events.
///
/// `moved` contains the previous times of events that now have another time or other players, by player.
pub fn update(
    tx: &mut Tx,
    seen: &BTreeMap<i64, Vec<SeenEvent>>,
    moved: &BTreeMap<i64, Vec<i64>>,
    tally: &mut Tally,
) -> diesel::QueryResult<()> {
    let ids: Vec<i64> = seen.keys().copied().collect();
    let newest: BTreeMap<i64, PlaySessionRow> =
        ingest::newest_sessions(tx, &ids)?.into_iter().map(|row| (row.player_id, row)).collect();
    let mut changed = Vec::new();
    for (player_id, events) in seen {
        let logs_in = events.iter().any(|(_, category, _)| *category == LOGIN);
        let previous_times = moved.get(player_id).map_or(&[][..], Vec::as_slice);
        match newest.get(player_id) {
            None if !logs_in => {}
            Some(session)
                if !logs_in && previous_times.is_empty() && events.iter().all(|(at, ..)| *at >= session.login_at) =>
            {
                let after = extend_session(session, events);
                tally_change(tally, Some(session), Some(&after));
                changed.push(after);
            }
            _ => update_around(tx, *player_id, events, previous_times, tally)?,
        }
    }
    changed.retain(|row| newest.get(&row.player_id) != Some(row));
    ingest::upsert_sessions(tx, &changed)
}

fn extend_session(session: &PlaySessionRow, events: &[SeenEvent]) -> PlaySessionRow {
    let mut play = session.session();
    for (at, category, _) in events {
        play.record_event(EpochMillis(*at), *category == LOGOUT);
    }
    PlaySessionRow { logout_at: play.logout_at.map(|t| t.0), last_seen_at: play.last_seen_at.0, ..*session }
}

/// The part of a player's history that an event at a given time can change: `[from, until)`.
struct Span {
    /// The session that contains the time, if there is one. The span then begins with its login.
    session: Option<PlaySessionRow>,
    from: i64,
    /// The first login after the given time.
    until: i64,
}

impl Span {
    fn around(tx: &mut Tx, player_id: i64, at: i64) -> diesel::QueryResult<Self> {
        let session = ingest::session_at(tx, player_id, at)?;
        let from = session.map_or(at, |session| session.login_at);
        let until = ingest::next_login(tx, player_id, at)?.unwrap_or(i64::MAX);
        Ok(Self { session, from, until })
    }
}

/// Updates the sessions around each event. The cost depends on the number of events and their sessions, not on the time between
/// them.
fn update_around(
    tx: &mut Tx,
    player_id: i64,
    events: &[SeenEvent],
    previous_times: &[i64],
    tally: &mut Tally,
) -> diesel::QueryResult<()> {
    let mut events = events.to_vec();
    events.sort_unstable_by_key(|event| event.0);
    let mut times: Vec<i64> = events.iter().map(|event| event.0).chain(previous_times.iter().copied()).collect();
    times.sort_unstable();
    let mut rest = events.as_slice();
    let mut done_until = i64::MIN;
    for at in times {
        if at < done_until {
            continue;
        }
        let span = Span::around(tx, player_id, at)?;
        let (inside, later) = rest.split_at(rest.partition_point(|event| event.0 < span.until));
        (rest, done_until) = (later, span.until);
        let is_split = inside.iter().any(|(_, category, _)| *category == LOGIN);
        let lost_one = previous_times.iter().any(|at| (span.from..span.until).contains(at));
        if is_split || lost_one {
            replay_span(tx, player_id, &span, inside, tally)?;
        } else if let Some(session) = &span.session {
            let after = extend_session(session, inside);
            tally_change(tally, Some(session), Some(&after));
            ingest::upsert_sessions(tx, &[after])?;
        }
    }
    Ok(())
}

/// Replays one span of a player's history with additional events.
fn replay_span(
    tx: &mut Tx,
    player_id: i64,
    span: &Span,
    events: &[SeenEvent],
    tally: &mut Tally,
) -> diesel::QueryResult<()> {
    let known = ingest::sessions_between(tx, player_id, span.from, span.until)?;
    let mut history = ingest::activity_between(tx, player_id, span.from, span.until)?;
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
        tally_change(tally, Some(old), None);
        if !rows.iter().any(|row| row.login_at == old.login_at) {
            ingest::remove_session(tx, player_id, old.login_at)?;
        }
    }
    for new in &rows {
        tally_change(tally, None, Some(new));
    }
    ingest::upsert_sessions(tx, &rows)
}

fn tally_change(tally: &mut Tally, old: Option<&PlaySessionRow>, new: Option<&PlaySessionRow>) {
    if let Some(row) = old {
        tally.add_playtime(row.player_id, &row.session(), row.patch_version, -1);
    }
    if let Some(row) = new {
        tally.add_playtime(row.player_id, &row.session(), row.patch_version, 1);
    }
}

//! What follows from a change in this process: ranks, numbers, search, live feed. All of it can be built anew.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::app::App;
use crate::domain::scores::Scores;
use crate::features::guilds::scores as guild_scores;
use crate::features::{commits, index, ingest};
use crate::store::changes::ChangePosition;
use crate::store::ingest::ScoreRow;
use crate::store::players::PlayerRef;
use crate::store::{StoreError, guilds, leaderboard, players};

use super::{Change, Touched, scores};

/// Runs once for each change, in the order of commits.
pub fn apply(app: &App, place: ChangePosition, change: &Change) {
    match change {
        // Those of this process come with all they hold, those of others are read: see `ingest`.
        Change::Events(told) => ingest::apply_change(app, place, told),
        Change::Touched(changed) => touched(app, place, changed),
        Change::Commits(ids) => commits::publish(app, place, ids),
        Change::Keys => app.keys.invalidate_all(),
        // Its numbers begin anew, which the caller sees to.
        Change::Everything => {}
    }
}

fn touched(app: &App, place: ChangePosition, changed: &Touched) {
    let pairs =
        |all: &[(_, _)]| -> Vec<_> { all.iter().map(|(before, now)| (scores(*before), scores(*now))).collect() };
    app.change_player_ranks(pairs(&changed.player_figures).into_iter());
    let guilds = changed.guild_figures.iter().map(|(id, before, now)| (*id, scores(*before), scores(*now)));
    app.remember_guilds(guilds.clone().map(|(id, before, _)| (id, before, Scores::default())));
    app.change_guild_ranks(guilds.map(|(_, before, now)| (before, now)));
    app.player_count.fetch_add(changed.new_players, Ordering::Relaxed);
    app.guild_count.fetch_add(changed.new_guilds, Ordering::Relaxed);
    if changed.new_players + changed.new_guilds > 0 {
        app.are_counts_stale.store(true, Ordering::Release);
    }
    if !changed.player_figures.is_empty() {
        app.forget_windows();
    }
    if let Err(error) = put_on_boards(app, changed) {
        tracing::warn!(%error, "boards could not follow a change and are read anew");
        app.player_boards.forget();
        app.guild_boards.forget();
    }
    // Hiding takes a player's figures out of the ranks, and the end of it brings them back.
    if !changed.hidden.is_empty() || !changed.player_figures.is_empty() {
        app.visibility_changes.fetch_add(1, Ordering::AcqRel);
    }
    // After all that answers are made of: none made from now on is older than this change.
    app.count_commit();
    for handle in &changed.hidden {
        app.live.retract(ingest::player_topic(handle));
    }
    if !changed.hidden.is_empty() {
        app.are_bot_boards_stale.store(true, Ordering::Release);
    }
    if let Err(error) = publish_guilds(app, place, changed) {
        tracing::warn!(%error, "a guild's members could not be read for the live stream");
    }
    for player_id in &changed.refreshed {
        app.refreshed.insert(*player_id, Instant::now());
    }
    if !changed.players.is_empty() {
        index::follow_players(app, &changed.players);
    }
    if !changed.guilds.is_empty() {
        index::follow_guilds(app, &changed.guilds);
    }
}

/// Has the open pages of guilds read their members again: who is one, or what is shown of them, may have changed.
///
/// Each guild has the number of its first place among the touched guilds and players, which is the same in every process.
fn publish_guilds(app: &App, place: ChangePosition, changed: &Touched) -> Result<(), StoreError> {
    if app.live.subscriber_count() == 0 {
        return Ok(());
    }
    let (keys, rows) = app.store.read_blocking(|conn| {
        let keys = players::find_refs_by_id(conn, &changed.players)?;
        let of_players = keys.iter().filter_map(|key| key.guild_id);
        let mut ids: Vec<i64> = changed.guilds.iter().copied().chain(of_players).collect();
        ids.sort_unstable();
        ids.dedup();
        let rows = guilds::find_many(conn, &ids)?;
        Ok((keys, rows))
    })?;
    let guild_of: HashMap<i64, Option<i64>> = keys.iter().map(|key| (key.id, key.guild_id)).collect();
    let in_order: Vec<Option<i64>> = changed
        .guilds
        .iter()
        .map(|id| Some(*id))
        .chain(changed.players.iter().map(|id| guild_of.get(id).copied().flatten()))
        .collect();
    let mut messages: Vec<_> = rows
        .iter()
        .filter(|row| app.live.has_subscribers(ingest::guild_topic(&row.tag)))
        .filter_map(|row| {
            let nth = in_order.iter().position(|id| *id == Some(row.id))?;
            let message = ingest::guild_message(app, &row.tag, &guild_scores(row), None)?;
            Some((place.nth + 1 + nth as i64, message))
        })
        .collect();
    messages.sort_by_key(|(nth, _)| *nth);
    if !messages.is_empty() {
        app.live.publish_derived(place.event_id, messages);
    }
    Ok(())
}

/// Boards show names, pictures and who is there as the database has them by now.
fn put_on_boards(app: &App, changed: &Touched) -> Result<(), StoreError> {
    app.player_boards.lines.forget(changed.players.iter().copied());
    app.guild_boards.lines.forget(changed.guilds.iter().copied());
    if !changed.players.is_empty() {
        let (keys, figures) = app.store.read_blocking(|conn| {
            Ok((players::find_refs_by_id(conn, &changed.players)?, leaderboard::scores_of(conn, &changed.players)?))
        })?;
        let figures: HashMap<i64, ScoreRow> = figures.into_iter().map(|row| (row.player_id, row)).collect();
        let now = |key: &PlayerRef| {
            let seen = figures.get(&key.id).filter(|_| !key.is_hidden);
            seen.map(ingest::scores_of_row).unwrap_or_default()
        };
        let seats: Vec<_> = keys.iter().map(|key| (key.id, key.handle_folded.as_str(), now(key))).collect();
        app.player_boards.put(&seats);
    }
    if !changed.guilds.is_empty() {
        let rows = app.store.read_blocking(|conn| guilds::find_many(conn, &changed.guilds))?;
        let seats: Vec<_> = rows.iter().map(|row| (row.id, row.tag.as_str(), guild_scores(row))).collect();
        app.guild_boards.put(&seats);
    }
    Ok(())
}

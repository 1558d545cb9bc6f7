//! What follows from a change in this process: ranks, numbers, search, live feed. All of it can be built anew.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::app::App;
use crate::domain::scores::Scores;
use crate::features::{commits, index, ingest};
use crate::store::changes::Place;

use super::{Change, Touched, scores};

/// Runs once for each change, in the order of commits.
pub fn apply(app: &App, place: Place, change: &Change) {
    match change {
        // Those of this process come with all they hold, those of others are read: see `ingest`.
        Change::Events(told) => ingest::announce_told(app, place, told),
        Change::Touched(changed) => touched(app, changed),
        Change::Commits(ids) => commits::announce(app, place, ids),
        Change::Keys => app.keys.invalidate_all(),
        // Its numbers begin anew, which the caller sees to.
        Change::Everything => {}
    }
}

fn touched(app: &App, changed: &Touched) {
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
    app.count_commit();
    for handle in &changed.hidden {
        app.live.remove(ingest::player_topic(handle));
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

//! The best of each board in order, read from the database when somebody has asked, and followed from there on.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::app::App;
use crate::domain::scores::Metric;
use crate::domain::top_n::{MIN_ENTRIES, SPARE_ENTRIES, TopN};
use crate::error::AppError;
use crate::store::{guilds, leaderboard};

use super::{LARGE_SITE, lines};

/// How many lines are read at once ahead of whoever asks.
const READ_AHEAD: usize = 500;

/// Asks for every board of a large site, where a page from the database takes milliseconds.
pub fn want_all_of_a_large_site(app: &App) {
    if is_large(app) {
        app.player_boards.want_all();
        app.guild_boards.want_all();
    }
}

/// Reads the orders that somebody has asked for; on a large site also what their lines show.
pub async fn keep(app: &App) -> Result<(), AppError> {
    for metric in app.player_boards.wanted() {
        app.player_boards.begin_reading(metric);
        let most = (MIN_ENTRIES + SPARE_ENTRIES) as i64;
        let best = app.store.read(move |conn| leaderboard::top(conn, metric, most)).await?;
        let standings = standings(best);
        let ids: Vec<i64> = standings.ids().take(ahead(app)).collect();
        app.player_boards.end_reading(metric, standings);
        for ids in ids.chunks(READ_AHEAD) {
            let lines = lines::players(app, ids).await?;
            let of: Vec<i64> = lines.iter().flatten().filter_map(|line| line.guild_id).collect();
            lines::guilds(app, &of).await?;
        }
    }
    for metric in app.guild_boards.wanted() {
        keep_guilds(app, metric).await?;
    }
    Ok(())
}

async fn keep_guilds(app: &App, metric: Metric) -> Result<(), AppError> {
    app.guild_boards.begin_reading(metric);
    let most = (MIN_ENTRIES + SPARE_ENTRIES) as i64;
    let best = app.store.read(move |conn| guilds::top(conn, metric, most)).await?;
    let standings = standings(best);
    let ids: Vec<i64> = standings.ids().take(ahead(app)).collect();
    app.guild_boards.end_reading(metric, standings);
    for ids in ids.chunks(READ_AHEAD) {
        lines::guilds(app, ids).await?;
    }
    Ok(())
}

fn standings(best: Vec<(i64, i64, String)>) -> TopN {
    TopN::new(best.into_iter().map(|(id, score, name)| (id, score, Arc::from(name))))
}

fn ahead(app: &App) -> usize {
    if is_large(app) { MIN_ENTRIES } else { 0 }
}

fn is_large(app: &App) -> bool {
    app.player_count.load(Ordering::Relaxed) > LARGE_SITE
}

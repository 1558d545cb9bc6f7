//! `apogee reindex`

use std::sync::Arc;
use std::time::Instant;

use crate::config::Settings;
use crate::features::index;
use crate::features::transfer::Step;

use super::output::say;
use super::progress::Bar;
use super::{CliError, block_on};

pub fn run(settings: Settings) -> Result<(), CliError> {
    let started = Instant::now();
    block_on(async {
        let (_lock, app) = super::open_alone(settings, "apogee reindex").await?;
        let bar = Bar::new();
        let shown = bar.clone();
        let events = index::recount(&app, move |what, done, total| shown.show(Step { what, done, total })).await?;
        let (worker, shown) = (Arc::clone(&app), bar.clone());
        let entries = tokio::task::spawn_blocking(move || {
            let total = index::findable(&worker);
            let entries = index::rebuild_search(&worker, |done| shown.show(Step { what: "search", done, total }))?;
            index::mark_finished(&worker)?;
            Ok::<u64, index::OpenError>(entries)
        });
        let entries = entries.await.map_err(std::io::Error::other)??;
        index::forget_notes(&app).await?;
        bar.clear();
        say!(
            "{events} events counted, {entries} players and guilds findable, in {:.1} s",
            started.elapsed().as_secs_f64()
        )
    })
}

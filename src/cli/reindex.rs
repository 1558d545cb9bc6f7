//! `apogee reindex`

use std::sync::Arc;
use std::time::Instant;

use crate::config::Settings;
use crate::features::index;
use crate::features::transfer::Progress;

use super::output::outln;
use super::progress::ProgressBar;
use super::{CliError, block_on};

pub fn run(settings: Settings) -> Result<(), CliError> {
    let started = Instant::now();
    block_on(async {
        let (_lock, app) = super::open_exclusive(settings, "apogee reindex").await?;
        let bar = ProgressBar::new();
        let shown = bar.clone();
        let events =
            index::recount(&app, move |what, done, total| shown.update(Progress { phase: what, done, total })).await?;
        let (worker, shown) = (Arc::clone(&app), bar.clone());
        let entries = tokio::task::spawn_blocking(move || {
            let total = index::findable(&worker);
            let entries =
                index::rebuild_search(&worker, |done| shown.update(Progress { phase: "search", done, total }))?;
            index::mark_finished(&worker)?;
            Ok::<u64, index::OpenError>(entries)
        });
        let entries = entries.await.map_err(std::io::Error::other)??;
        index::forget_notes(&app).await?;
        bar.clear();
        outln!(
            "{events} events counted, {entries} players and guilds findable, in {:.1} s",
            started.elapsed().as_secs_f64()
        )
    })
}

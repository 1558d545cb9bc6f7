//! `apogee reindex`

use std::time::Instant;

use crate::config::Settings;
use crate::features::ingest;
use crate::features::transfer::Progress;

use super::output::outln;
use super::progress::progress_bar;
use super::{CliError, block_on};

pub fn run(settings: Settings) -> Result<(), CliError> {
    let started = Instant::now();
    block_on(async {
        let (_lock, app) = super::open_exclusive(settings, "apogee reindex").await?;
        let update = progress_bar();
        let shown = update.clone();
        let events = ingest::recount(&app, move |phase, done, total| shown(Progress { phase, done, total })).await?;
        let progress = move |done, total| update(Progress { phase: "search", done, total });
        let entries = app.projections.finish_load(progress).await?;
        outln!(
            "{events} events counted, {entries} players and guilds indexed, in {:.1} s",
            started.elapsed().as_secs_f64()
        )
    })
}

//! `apogee reindex`

use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};

use crate::config::Settings;
use crate::features::index;

use super::{CliError, block_on};

pub fn run(settings: Settings) -> Result<(), CliError> {
    block_on(async {
        let (_lock, app) = super::open_alone(settings, "apogee reindex").await?;
        let bar = ProgressBar::new(1);
        let style = ProgressStyle::with_template("{msg:>10} {wide_bar} {human_pos}/{human_len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let shown = bar.clone();
        let events = index::recount(&app, move |what, done, total| {
            shown.set_message(what);
            shown.set_length(total);
            shown.set_position(done);
        })
        .await?;
        bar.set_message("search");
        let shown = bar.clone();
        let worker = Arc::clone(&app);
        let entries =
            tokio::task::spawn_blocking(move || index::rebuild_search(&worker, |done| shown.set_position(done)));
        let entries = entries.await.map_err(std::io::Error::other)??;
        bar.finish_and_clear();
        println!("{events} events counted, {entries} players and guilds findable");
        Ok(())
    })
}

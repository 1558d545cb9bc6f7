//! `apogee demo`

use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};

use crate::config::Settings;
use crate::features::{index, transfer};

use super::{CliError, block_on};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many players
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=5_000_000))]
    players: u32,
    /// How many guilds
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    guilds: u32,
    /// How many events
    #[arg(long, default_value_t = 60_000)]
    events: u64,
    /// The same seed gives the same universe
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    block_on(async {
        let public_url = settings.public_url.clone().unwrap_or_default();
        let opened = tokio::task::spawn_blocking(move || index::open(settings, public_url));
        let app = Arc::new(opened.await.map_err(std::io::Error::other)??);
        let bar = ProgressBar::new(100);
        let style = ProgressStyle::with_template("{msg:>10} {wide_bar} {human_pos}/{human_len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let size =
            transfer::DemoSize { players: args.players, guilds: args.guilds, events: args.events, seed: args.seed };
        transfer::demo(&app, size, |step| {
            bar.set_length(step.total);
            bar.set_message(step.what);
            bar.set_position(step.done);
        })
        .await?;
        bar.finish_and_clear();
        let counts = crate::features::patch::counts(&app);
        println!("{} players and {} guilds", counts.players, counts.orgs);
        Ok(())
    })
}

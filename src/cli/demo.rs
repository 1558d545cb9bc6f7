//! `apogee demo`

use std::time::Instant;

use crate::config::Settings;
use crate::features::transfer;

use super::output::outln;
use super::progress::progress_bar;
use super::{CliError, block_on};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of players
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=5_000_000))]
    players: u32,
    /// Number of guilds
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    guilds: u32,
    /// Number of events
    #[arg(long, default_value_t = 60_000)]
    events: u64,
    /// Seed; the same seed generates the same universe
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    let started = Instant::now();
    block_on(async {
        let (_lock, app) = super::open_exclusive(settings, "apogee demo").await?;
        let size =
            transfer::DemoSize { players: args.players, guilds: args.guilds, events: args.events, seed: args.seed };
        transfer::generate_demo(&app, size, progress_bar()).await?;
        let counts = crate::features::patch::counts(&app.projections);
        outln!("{} players and {} guilds in {:.1} s", counts.players, counts.orgs, started.elapsed().as_secs_f64())
    })
}

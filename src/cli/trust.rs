//! `apogee trust`

use std::time::Duration;

use clap::Subcommand;

use crate::config::Settings;
use crate::features::transfer::Progress;
use crate::features::{data_lock, reassessment};
use crate::store::Store;

use super::output::outln;
use super::progress::ProgressBar;
use super::{CliError, block_on, require_database};

const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Grade the events that accounts reported before grades existed
    #[command(
        after_help = "Examples:\n  apogee trust regrade --preview\n  apogee trust regrade\n\nSuch events count until they are \
            graded. Afterwards, events that nobody who took part reported no longer count."
    )]
    Regrade {
        /// Print the effect and change nothing
        #[arg(long)]
        preview: bool,
    },
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    require_database(&settings)?;
    block_on(async {
        let store = Store::open(&settings.database_url)?;
        match args.command {
            Command::Regrade { preview: true } => print_preview(&store).await,
            Command::Regrade { preview: false } => regrade(&settings, &store).await,
        }
    })
}

async fn print_preview(store: &Store) -> Result<(), CliError> {
    let preview = reassessment::preview_regrade(store).await?;
    outln!("events: {}", preview.events)?;
    outln!("players whose score changes: {}", preview.players)?;
    for (handle, before, after) in preview.effect {
        outln!("{handle}\t{before}\t{after}")?;
    }
    Ok(())
}

async fn regrade(settings: &Settings, store: &Store) -> Result<(), CliError> {
    reassessment::regrade(store).await?;
    if data_lock::holder(settings).is_none() {
        return outln!("the server grades the events when it starts");
    }
    let total = reassessment::remaining_regrade(store).await?.unwrap_or(0).unsigned_abs();
    let bar = ProgressBar::new();
    while let Some(left) = reassessment::remaining_regrade(store).await? {
        bar.update(Progress { phase: "events", done: total.saturating_sub(left.unsigned_abs()), total });
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    bar.clear();
    outln!("graded {total} {}", if total == 1 { "event" } else { "events" })
}

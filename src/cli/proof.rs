//! `apogee proof`

use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;

use crate::config::Settings;
use crate::features::proof::{WatchReport, Watcher};

use super::output::{errln, outln};
use super::{CliError, block_on};

/// Sites sign a checkpoint every minute.
const WATCH_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Keep the checkpoints of a site's transparency log and check that they fit, and that entries match the site's events
    #[command(after_help = "Examples:\n  apogee proof watch https://stats.example.org\n  \
        apogee proof watch https://stats.example.org --once --file stats.json\n\n\
        Exits with 1 if two checkpoints do not fit or an entry was changed.")]
    Watch {
        /// Address of the site
        url: String,
        /// File of the newest checkpoint [default: one per site in the data directory]
        #[arg(long)]
        file: Option<PathBuf>,
        /// Check once instead of every minute
        #[arg(long)]
        once: bool,
        /// Entries per check: new ones, and older ones in turn
        #[arg(long, value_name = "N", default_value_t = 10_000)]
        entries: u64,
    },
}

pub fn run(settings: &Settings, args: Args) -> Result<(), CliError> {
    let Command::Watch { url, file, once, entries } = args.command;
    let watcher = Watcher::new(&url, file, &settings.data_dir, entries)?;
    block_on(async {
        loop {
            match watcher.check().await {
                Ok(report) => print(&url, &report)?,
                Err(error) if once => return Err(error.into()),
                Err(error) => errln!("apogee: {error}; trying again in a minute"),
            }
            if once {
                return Ok(());
            }
            tokio::time::sleep(WATCH_INTERVAL).await;
        }
    })
}

fn print(url: &str, report: &WatchReport) -> Result<(), CliError> {
    for problem in &report.problems {
        outln!("error    {url}: {problem}")?;
    }
    if !report.problems.is_empty() {
        return Err(CliError::Findings(report.problems.len()));
    }
    let WatchReport { origin, size, root, checked, hidden, erased, .. } = report;
    outln!(
        "ok       {origin}: {size} entries, root {root}; {checked} checked, {hidden} of hidden players, {erased} erased"
    )
}

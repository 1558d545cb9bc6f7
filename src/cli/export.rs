//! `apogee export`

use std::path::PathBuf;

use crate::config::Settings;
use crate::features::transfer::{self, Dataset};
use crate::store::Store;

use super::CliError;
use super::output::outln;
use super::progress::ProgressBar;

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum What {
    Players,
    Guilds,
    Events,
    All,
}

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Type of rows to export; `all` includes secrets, like the database itself
    what: What,
    /// File ending in .csv, .ndjson or .jsonl, optionally with .gz
    file: PathBuf,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    super::require_database(&settings)?;
    let store = Store::open(&settings.database_url)?;
    let dataset = match args.what {
        What::Players => Dataset::Players,
        What::Guilds => Dataset::Guilds,
        What::Events => Dataset::Events,
        What::All => Dataset::All,
    };
    super::remove_partial_files_on_stop(&args.file);
    let bar = ProgressBar::new();
    let done = transfer::export(&store, dataset, &args.file, |step| bar.update(step));
    bar.clear();
    let done = done?;
    if args.json {
        return outln!("{}", serde_json::to_string(&done).map_err(std::io::Error::other)?);
    }
    outln!("{} lines written to {}", done.lines, args.file.display())
}

//! `apogee export`

use std::path::PathBuf;

use crate::config::Settings;
use crate::features::transfer::{self, Noun};
use crate::store::Store;

use super::CliError;
use super::output::say;
use super::progress::Bar;

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum What {
    Players,
    Guilds,
    Events,
    All,
}

#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to write; `all` is as secret as the database itself
    what: What,
    /// .csv, .ndjson or .jsonl, each also with .gz
    file: PathBuf,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    super::require_database(&settings)?;
    let store = Store::open(&settings.database_url)?;
    let noun = match args.what {
        What::Players => Noun::Players,
        What::Guilds => Noun::Guilds,
        What::Events => Noun::Events,
        What::All => Noun::All,
    };
    super::abandon_when_stopped(&args.file);
    let bar = Bar::new();
    let done = transfer::export(&store, noun, &args.file, |step| bar.show(step));
    bar.clear();
    let done = done?;
    if args.json {
        return say!("{}", serde_json::to_string(&done).map_err(std::io::Error::other)?);
    }
    say!("{} lines written to {}", done.lines, args.file.display())
}

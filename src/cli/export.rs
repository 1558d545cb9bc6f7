//! `apogee export`

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::config::Settings;
use crate::features::transfer::{self, Dataset};

use super::CliError;
use super::output::{self, outln};
use super::progress::progress_bar;

/// What can be exported.
fn datasets() -> impl TypedValueParser<Value = Dataset> {
    PossibleValuesParser::new(["players", "guilds", "events", "all"]).try_map(|name| Dataset::from_str(&name, false))
}

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Type of rows to export; `all` includes secrets, like the database itself
    #[arg(value_parser = datasets())]
    what: Dataset,
    /// File ending in .csv, .ndjson or .jsonl, optionally with .gz
    file: PathBuf,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    let store = super::open_existing(&settings)?;
    super::remove_partial_files_on_stop(&args.file);
    let done = transfer::export(&store, args.what, &args.file, progress_bar())?;
    if args.json {
        return output::write_json(&done);
    }
    outln!("{} lines written to {}", done.lines, args.file.display())
}

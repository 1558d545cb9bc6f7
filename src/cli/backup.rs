//! `apogee backup`

use std::path::PathBuf;

use crate::config::Settings;
use crate::features::backup;

use super::output::{self, outln};
use super::progress::progress_bar;
use super::{CliError, block_on};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// File to write; replaces an older backup once the new one is complete
    file: PathBuf,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    super::remove_partial_files_on_stop(&args.file);
    let done = block_on(async { Ok(backup::backup(&settings, &args.file, progress_bar()).await?) })?;
    if args.json {
        return output::write_json(&done);
    }
    outln!(
        "{}: {} players, {} guilds, {} events, {} users and {} files",
        args.file.display(),
        done.players,
        done.guilds,
        done.events,
        done.users,
        done.files.len()
    )
}

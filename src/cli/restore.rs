//! `apogee restore`

use std::path::PathBuf;

use crate::config::Settings;
use crate::features::backup;

use super::output::{self, outln};
use super::progress::progress_bar;
use super::{CliError, block_on};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Archive written by `apogee backup`
    file: PathBuf,
    /// Replace existing data; the old database moves to backups/
    #[arg(long)]
    force: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    let done = block_on(async { Ok(backup::restore(settings, &args.file, args.force, progress_bar()).await?) })?;
    if args.json {
        return output::write_json(&done);
    }
    outln!(
        "restored {} players, {} guilds, {} events, {} users and {} uploads",
        done.players,
        done.guilds,
        done.events,
        done.users,
        done.uploads
    )?;
    if done.sessions_ended > 0 {
        outln!("{} sessions were ended: users have to sign in again", done.sessions_ended)?;
    }
    if done.keys_for_review > 0 {
        outln!(
            "{} ingest keys need review before they can upload: see `apogee key list` and `apogee key confirm`",
            done.keys_for_review
        )?;
    }
    if let Some(replaced) = done.replaced {
        outln!("the previous database was moved to {}", replaced)?;
    }
    Ok(())
}

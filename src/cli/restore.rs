//! `apogee restore`

use std::path::PathBuf;

use crate::config::Settings;
use crate::features::backup;

use super::output::outln;
use super::progress::ProgressBar;
use super::{CliError, block_on};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file that `apogee backup` wrote
    file: PathBuf,
    /// Replace data that is there; the database is kept in backups/
    #[arg(long)]
    force: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    let bar = ProgressBar::new();
    let shown = bar.clone();
    let done = block_on(async {
        Ok(backup::restore(settings, &args.file, args.force, move |step| shown.update(step)).await?)
    });
    bar.clear();
    let done = done?;
    if args.json {
        return outln!("{}", serde_json::to_string(&done).map_err(std::io::Error::other)?);
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
        outln!("everybody has to sign in again: {} sessions were ended", done.sessions_ended)?;
    }
    if done.keys_for_review > 0 {
        outln!(
            "{} ingest keys upload nothing until they are confirmed: see `apogee key list` and `apogee key confirm`",
            done.keys_for_review
        )?;
    }
    if let Some(replaced) = done.replaced {
        outln!("the database that was there is now {}", replaced)?;
    }
    Ok(())
}

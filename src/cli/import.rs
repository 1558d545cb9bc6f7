//! `apogee import`

use std::path::PathBuf;
use std::time::Instant;

use crate::config::Settings;
use crate::features::transfer::{self, Dataset, ImportSummary};

use super::output::{errln, outln};
use super::progress::progress_bar;
use super::{CliError, block_on};

/// Rejected lines that are printed one by one.
const MAX_ERRORS_SHOWN: usize = 50;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Type of rows in the file
    what: Dataset,
    /// File ending in .csv, .ndjson or .jsonl, optionally with .gz; for commits also a git repository
    file: PathBuf,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    let started = Instant::now();
    let done = block_on(async {
        let (_lock, app) = super::open_exclusive(settings, "apogee import").await?;
        Ok(transfer::import(&app, args.what, &args.file, progress_bar()).await?)
    })?;
    let printed = print_summary(&done, started.elapsed().as_secs_f64(), args.json);
    // Rejected lines matter more than a summary that could not be printed.
    if done.rejected > 0 { Err(CliError::Rejected(done.rejected)) } else { printed }
}

fn print_summary(done: &ImportSummary, seconds: f64, is_json: bool) -> Result<(), CliError> {
    for rejected in done.errors.iter().take(MAX_ERRORS_SHOWN) {
        errln!("line {}: {}", rejected.line, rejected.error);
    }
    if done.rejected > MAX_ERRORS_SHOWN as u64 {
        errln!("… and {} more", done.rejected - MAX_ERRORS_SHOWN as u64);
    }
    if is_json {
        let mut summary = serde_json::to_value(done).map_err(std::io::Error::other)?;
        summary["seconds"] = seconds.into();
        return outln!("{summary}");
    }
    outln!(
        "{} lines imported ({} duplicates), {} rejected, in {seconds:.1} s",
        done.taken,
        done.duplicates,
        done.rejected
    )
}

//! `apogee import`

use std::path::PathBuf;
use std::time::Instant;

use crate::config::Settings;
use crate::features::transfer::{self, Imported, Noun};

use super::output::{notice, say};
use super::progress::Bar;
use super::{CliError, block_on};

/// How many bad lines are shown one by one.
const SHOWN: usize = 50;

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum What {
    Players,
    Guilds,
    Events,
    Commits,
    All,
}

#[derive(Debug, clap::Args)]
pub struct Args {
    /// What the lines are about
    what: What,
    /// .csv, .ndjson or .jsonl, each also with .gz; for commits also the folder of a git repository
    file: PathBuf,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

impl From<What> for Noun {
    fn from(what: What) -> Self {
        match what {
            What::Players => Self::Players,
            What::Guilds => Self::Guilds,
            What::Events => Self::Events,
            What::Commits => Self::Commits,
            What::All => Self::All,
        }
    }
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    let started = Instant::now();
    let done = block_on(async {
        let (_lock, app) = super::open_alone(settings, "apogee import").await?;
        let bar = Bar::new();
        let shown = bar.clone();
        let done = transfer::import(&app, args.what.into(), &args.file, move |step| shown.show(step)).await;
        bar.clear();
        Ok(done?)
    })?;
    let printed = tell(&done, started.elapsed().as_secs_f64(), args.json);
    // What became of the lines outranks a summary that nobody reads.
    if done.rejected > 0 { Err(CliError::Rejected(done.rejected)) } else { printed }
}

fn tell(done: &Imported, seconds: f64, is_json: bool) -> Result<(), CliError> {
    for bad in done.errors.iter().take(SHOWN) {
        notice!("line {}: {}", bad.line, bad.error);
    }
    if done.rejected > SHOWN as u64 {
        notice!("… and {} more", done.rejected - SHOWN as u64);
    }
    if is_json {
        let mut summary = serde_json::to_value(done).map_err(std::io::Error::other)?;
        summary["seconds"] = seconds.into();
        return say!("{summary}");
    }
    say!("{} lines taken ({} known before), {} rejected, in {seconds:.1} s", done.taken, done.duplicates, done.rejected)
}

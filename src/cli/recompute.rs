//! `apogee recompute`

use std::path::{Path, PathBuf};

use crate::config::Settings;
use crate::features::public_export::{self, Outcome};
use crate::features::transfer::PartialFile;

use super::output::outln;
use super::progress::ProgressBar;
use super::{CliError, block_on};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// File of a public export, or the address of a site, whose newest export is downloaded
    export: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(settings: &Settings, args: Args) -> Result<(), CliError> {
    let is_address = args.export.starts_with("https://") || args.export.starts_with("http://");
    if !is_address {
        return recompute(Path::new(&args.export), &args);
    }
    std::fs::create_dir_all(&settings.data_dir)?;
    let target: PathBuf = settings.data_dir.join("recompute.ndjson.gz");
    super::remove_partial_files_on_stop(&target);
    let file = PartialFile::beside(&target, "")?;
    let path = file.path().to_owned();
    block_on(async { Ok::<_, CliError>(public_export::fetch(&args.export, &path).await?) })?;
    recompute(&path, &args)
}

fn recompute(path: &Path, args: &Args) -> Result<(), CliError> {
    let bar = ProgressBar::new();
    let outcome = public_export::recompute_file(path, |step| bar.update(step));
    bar.clear();
    let outcome = outcome?;
    if args.json {
        outln!("{}", serde_json::to_string(&outcome).map_err(std::io::Error::other)?)?;
    } else {
        print(&args.export, &outcome)?;
    }
    match usize::try_from(outcome.differences) {
        Ok(0) => Ok(()),
        differences => Err(CliError::Findings(differences.unwrap_or(usize::MAX))),
    }
}

fn print(export: &str, outcome: &Outcome) -> Result<(), CliError> {
    let Outcome { head, events, standing, repeated, players, guilds, differences, described } = outcome;
    for sentence in described {
        outln!("error    {sentence}")?;
    }
    let more = differences.saturating_sub(described.len() as u64);
    if more > 0 {
        outln!("error    {more} more differences")?;
    }
    let result = if *differences == 0 { "ok      " } else { "checked " };
    outln!(
        "{result} {export}, from {} with rules {}: events {events}, standing {standing}, repeated kills {repeated}, \
         players {players}, guilds {guilds}",
        head.site,
        head.rules
    )
}

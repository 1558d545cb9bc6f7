//! `apogee man`

use std::path::PathBuf;

use super::CliError;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write a page for each command into this folder instead of printing the main one
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<(), CliError> {
    match args.dir {
        None => clap_mangen::Man::new(super::command()).render(&mut std::io::stdout())?,
        Some(dir) => {
            std::fs::create_dir_all(&dir)?;
            clap_mangen::generate_to(super::command(), dir)?;
        }
    }
    Ok(())
}

//! `apogee man`

use std::path::PathBuf;

use clap::CommandFactory;

use super::{Cli, CliError, output};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write one page per command into this directory instead of printing the main page
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<(), CliError> {
    match args.dir {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            output::write_bytes(&page)
        }
        Some(dir) => {
            std::fs::create_dir_all(&dir)?;
            Ok(clap_mangen::generate_to(Cli::command(), dir)?)
        }
    }
}

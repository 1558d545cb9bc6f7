//! `apogee completions`

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::{Cli, CliError, output};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Shell to generate the script for
    shell: Shell,
}

pub fn run(args: &Args) -> Result<(), CliError> {
    // The generator panics on a write error, so it writes to memory first.
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "apogee", &mut script);
    output::write_bytes(&script)
}

//! `apogee completions`

use clap_complete::{Shell, generate};

use super::{CliError, output};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Shell to generate the script for
    shell: Shell,
}

pub fn run(args: &Args) -> Result<(), CliError> {
    // The generator panics on a write error, so it writes to memory first.
    let mut script = Vec::new();
    generate(args.shell, &mut super::command(), "apogee", &mut script);
    output::write_bytes(&script)
}

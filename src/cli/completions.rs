//! `apogee completions`

use clap_complete::{Shell, generate};

use super::{CliError, output};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell to write for
    shell: Shell,
}

pub fn run(args: &Args) -> Result<(), CliError> {
    // The generator panics when it cannot write; memory it can always write to.
    let mut script = Vec::new();
    generate(args.shell, &mut super::command(), "apogee", &mut script);
    output::write_bytes(&script)
}

//! `apogee completions`

use clap_complete::{Shell, generate};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell to write for
    shell: Shell,
}

pub fn run(args: &Args) {
    generate(args.shell, &mut super::command(), "apogee", &mut std::io::stdout());
}

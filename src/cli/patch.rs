//! `apogee patch`

use clap::Subcommand;

use crate::config::Settings;
use crate::features::patch;

use super::output::{self, outln};
use super::{CliError, block_on, open_existing};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the patches of all events, newest first
    #[command(after_help = "Examples:\n  apogee patch list\n  apogee patch list --json")]
    List {
        /// Print the patches as JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(settings: Settings, command: Command) -> Result<(), CliError> {
    let store = open_existing(&settings)?;
    block_on(async {
        let Command::List { json } = command;
        let all = patch::list(&store).await?;
        if json {
            return output::write_json(&all);
        }
        for patch in all {
            let current = if patch.is_current { "\tcurrent" } else { "" };
            outln!("{}\t{}{current}", patch.name, patch.state)?;
        }
        Ok(())
    })
}

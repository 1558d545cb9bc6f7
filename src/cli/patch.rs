//! `apogee patch`

use clap::Subcommand;

use crate::config::Settings;
use crate::features::patch;
use crate::store::Store;

use super::output::{self, outln};
use super::{CliError, block_on, require_database};

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
    require_database(&settings)?;
    block_on(async {
        let store = Store::open(&settings.database_url)?;
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

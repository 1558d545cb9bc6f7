//! `apogee patch`

use clap::Subcommand;

use crate::config::Settings;
use crate::features::patch;
use crate::store::Store;

use super::output::outln;
use super::{CliError, block_on, require_database};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the patches of all events, newest first
    #[command(after_help = "Examples:\n  apogee patch list\n  apogee patch list --json")]
    List {
        /// Print the patches as JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    require_database(&settings)?;
    block_on(async {
        let store = Store::open(&settings.database_url)?;
        match args.command {
            Command::List { json: true } => {
                let all = patch::list(&store).await?;
                outln!("{}", serde_json::to_string(&all).map_err(std::io::Error::other)?)
            }
            Command::List { json: false } => {
                for patch in patch::list(&store).await? {
                    let current = if patch.is_current { "\tcurrent" } else { "" };
                    outln!("{}\t{}{current}", patch.name, patch.state)?;
                }
                Ok(())
            }
        }
    })
}

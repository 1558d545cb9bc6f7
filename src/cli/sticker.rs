//! `apogee sticker`

use clap::Subcommand;

use crate::config::Settings;
use crate::features::stickers::{self, GrantAction};
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
    /// Grant a sticker to a player
    #[command(
        after_help = "Examples:\n  apogee sticker grant Sputnik Some-Player\n  apogee sticker grant 538261 Some-Player"
    )]
    Grant {
        /// Name or id of the sticker
        #[arg(allow_hyphen_values = true)]
        sticker: String,
        /// Handle of the player
        #[arg(allow_hyphen_values = true)]
        handle: String,
    },
    /// Revoke a granted sticker
    #[command(after_help = "Example:\n  apogee sticker revoke Sputnik Some-Player")]
    Revoke {
        /// Name or id of the sticker
        #[arg(allow_hyphen_values = true)]
        sticker: String,
        /// Handle of the player
        #[arg(allow_hyphen_values = true)]
        handle: String,
    },
    /// List all stickers with their rules and the players they were granted to
    #[command(after_help = "Examples:\n  apogee sticker list\n  apogee sticker list --json")]
    List {
        /// Print the stickers as JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    require_database(&settings)?;
    block_on(async {
        let store = Store::open(&settings.database_url)?;
        let catalogue = &settings.stickers;
        match args.command {
            Command::Grant { sticker, handle } => {
                let name = stickers::change_in_store(&store, catalogue, GrantAction::Grant, &sticker, &handle).await?;
                outln!("granted {name} to {handle}")
            }
            Command::Revoke { sticker, handle } => {
                let name = stickers::change_in_store(&store, catalogue, GrantAction::Revoke, &sticker, &handle).await?;
                outln!("revoked {name} from {handle}")
            }
            Command::List { json: true } => {
                let all = stickers::list(&store, catalogue).await?;
                outln!("{}", serde_json::to_string(&all).map_err(std::io::Error::other)?)
            }
            Command::List { json: false } => {
                for sticker in stickers::list(&store, catalogue).await? {
                    outln!("{}\t{}\t{}", sticker.id, sticker.name, sticker.earned_by)?;
                    for holder in sticker.holders {
                        outln!("\t{}", holder.handle)?;
                    }
                }
                Ok(())
            }
        }
    })
}

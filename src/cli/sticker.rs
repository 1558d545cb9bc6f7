//! `apogee sticker`

use clap::Subcommand;

use crate::config::Settings;
use crate::features::stickers::{self, GrantAction};

use super::output::{self, outln};
use super::{CliError, block_on, open_existing};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Grant a sticker to a player
    #[command(
        after_help = "Examples:\n  apogee sticker grant Sputnik Some-Player\n  apogee sticker grant 538261 Some-Player"
    )]
    Grant(Granted),
    /// Revoke a granted sticker
    #[command(after_help = "Example:\n  apogee sticker revoke Sputnik Some-Player")]
    Revoke(Granted),
    /// List all stickers with their rules and the players they were granted to
    #[command(after_help = "Examples:\n  apogee sticker list\n  apogee sticker list --json")]
    List {
        /// Print the stickers as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
pub struct Granted {
    /// Name or id of the sticker
    #[arg(allow_hyphen_values = true)]
    sticker: String,
    /// Handle of the player
    #[arg(allow_hyphen_values = true)]
    handle: String,
}

pub fn run(settings: Settings, command: Command) -> Result<(), CliError> {
    let store = open_existing(&settings)?;
    block_on(async {
        let catalogue = &settings.stickers;
        match command {
            Command::Grant(Granted { sticker, handle }) => {
                let name = stickers::change_in_store(&store, catalogue, GrantAction::Grant, &sticker, &handle).await?;
                outln!("granted {name} to {handle}")
            }
            Command::Revoke(Granted { sticker, handle }) => {
                let name = stickers::change_in_store(&store, catalogue, GrantAction::Revoke, &sticker, &handle).await?;
                outln!("revoked {name} from {handle}")
            }
            Command::List { json } => {
                let all = stickers::list(&store, catalogue).await?;
                if json {
                    return output::write_json(&all);
                }
                for sticker in all {
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

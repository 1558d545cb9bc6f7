//! `apogee bot`

use clap::Subcommand;

use crate::bot::commands;
use crate::config::Settings;
use crate::features::discord;

use super::output::outln;
use super::{CliError, block_on};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Register the slash commands with Discord
    #[command(after_help = "Example:\n  APOGEE_DISCORD_CLIENT_ID=… APOGEE_DISCORD_BOT_TOKEN=… apogee bot register")]
    Register,
}

pub fn run(settings: Settings, command: Command) -> Result<(), CliError> {
    let Command::Register = command;
    block_on(async {
        let count = discord::register(&settings, &commands::registration()).await?;
        outln!("{count} commands registered")
    })
}

//! `apogee key`

use clap::Subcommand;

use crate::config::Settings;
use crate::features::keys::{self, KeyOwner};
use crate::store::Store;

use super::output::{self, outln};
use super::{CliError, block_on};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a key and print it; it is shown only once
    #[command(after_help = "Examples:\n  apogee key create --name \"my reader\" --data-dir /var/lib/apogee\n  \
            apogee key create --name \"event team\" --reader\n\nReports with a key of the operator are believed. \
            Reports with a reader's key follow the same rules as those of signed-in users.")]
    Create {
        /// Name of the key
        #[arg(long, default_value = "reader", allow_hyphen_values = true)]
        name: String,
        /// Create a key under the rules of account keys, for the log reader of another person
        #[arg(long)]
        reader: bool,
    },
    /// List all keys
    #[command(after_help = "Examples:\n  apogee key list\n  apogee key list --json")]
    List {
        /// Print the keys as JSON
        #[arg(long)]
        json: bool,
    },
    /// Confirm keys of a restored backup, so that they can upload again
    #[command(after_help = "Examples:\n  apogee key confirm \"my reader\"\n  apogee key confirm --all")]
    Confirm {
        /// Name or id of the key
        #[arg(required_unless_present = "all", conflicts_with = "all", allow_hyphen_values = true)]
        key: Option<String>,
        /// Confirm every key that needs review
        #[arg(long)]
        all: bool,
    },
    /// Revoke a key
    #[command(after_help = "Examples:\n  apogee key revoke \"my reader\"\n  apogee key revoke 12")]
    Revoke {
        /// Name or id of the key
        #[arg(allow_hyphen_values = true)]
        key: String,
    },
}

pub fn run(settings: Settings, command: Command) -> Result<(), CliError> {
    block_on(async {
        std::fs::create_dir_all(&settings.data_dir)?;
        let store = Store::open(&settings.database_url)?;
        match command {
            Command::Create { name, reader } => {
                let owner = if reader { KeyOwner::Reader } else { KeyOwner::Operator };
                let (id, key) = keys::create(&store, &name, owner).await?;
                if let Err(error) = outln!("{key}") {
                    // A key that was not printed can never be used.
                    keys::revoke(&store, &id.to_string()).await?;
                    return Err(error);
                }
                Ok(())
            }
            Command::List { json } => {
                let all = keys::list(&store, None).await?;
                if json {
                    return output::write_json(&all);
                }
                for key in all {
                    let state = match (key.revoked_at, key.review_since) {
                        (Some(_), _) => "revoked",
                        (None, Some(_)) => "needs review",
                        (None, None) => "live",
                    };
                    outln!("{}\t{}\t{state}", key.id, key.name)?;
                }
                Ok(())
            }
            Command::Confirm { key, .. } => {
                let confirmed = keys::confirm(&store, key.as_deref()).await?;
                outln!("confirmed {confirmed} {}", if confirmed == 1 { "key" } else { "keys" })
            }
            Command::Revoke { key } => {
                keys::revoke(&store, &key).await?;
                outln!("revoked {key}")
            }
        }
    })
}

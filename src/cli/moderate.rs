//! `apogee moderate`

use std::time::Duration;

use clap::{ArgGroup, Subcommand};

use crate::config::Settings;
use crate::domain::trust::Action;
use crate::features::data_lock;
use crate::features::moderation;
use crate::features::transfer::Progress;
use crate::store::Store;
use crate::views::moderation::{EntryState, ModerationEntry, ModerationRequest, ModerationTarget};

use super::output::{self, outln};
use super::progress::progress_bar;
use super::{CliError, block_on, open_existing};

const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Block an ingest key or an account: it uploads nothing, and what it reported no longer counts
    #[command(after_help = "Example:\n  apogee moderate block --key 7 --reason \"invented kills\"")]
    Block(Reporter),
    /// Unblock an ingest key or an account: it uploads again, and what it reported counts
    #[command(after_help = "Example:\n  apogee moderate unblock --key 7 --reason \"cleared up\"")]
    Unblock(Reporter),
    /// Remove an event, or the reports of a key, an account or a player's own log
    #[command(after_help = "Examples:\n  apogee moderate remove --event 1234 --reason \"never happened\"\n  \
        apogee moderate remove --player Some-Player --from 1767225600 --reason \"forged log\"")]
    Remove(Reports),
    /// Restore what was removed
    #[command(after_help = "Example:\n  apogee moderate restore --event 1234 --reason \"it did happen\"")]
    Restore(Reports),
    /// Pin a patch as the current one
    #[command(after_help = "Example:\n  apogee moderate pin 4.3.2 --reason \"the logs of 4.4 are of a test\"")]
    Pin {
        /// Patch, such as 4.3.2
        patch: String,
        #[command(flatten)]
        why: Why,
    },
    /// Give a player another handle
    #[command(
        after_help = "Example:\n  apogee moderate rename Old-Handle New-Handle --reason \"changed on the game's site\""
    )]
    Rename {
        /// Handle of the player
        #[arg(allow_hyphen_values = true)]
        player: String,
        /// New handle
        #[arg(allow_hyphen_values = true)]
        handle: String,
        #[command(flatten)]
        why: Why,
    },
    /// Make all events of a player those of another one
    #[command(after_help = "Example:\n  apogee moderate merge Old-Handle New-Handle --reason \"one person\"")]
    Merge {
        /// Handle of the player to merge
        #[arg(allow_hyphen_values = true)]
        player: String,
        /// Handle of the player that it becomes
        #[arg(allow_hyphen_values = true)]
        into: String,
        #[command(flatten)]
        why: Why,
    },
    /// Undo an entry of the history
    #[command(after_help = "Example:\n  apogee moderate undo 12")]
    Undo {
        /// Number of the entry
        entry: i64,
    },
    /// List the history, newest entries first
    #[command(after_help = "Examples:\n  apogee moderate list\n  apogee moderate list --json")]
    List {
        /// Print the entries as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
pub struct Why {
    /// Reason, shown in the history
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: String,
}

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("reporter").required(true).args(["key", "account"])))]
pub struct Reporter {
    /// Id of an ingest key
    #[arg(long, value_name = "ID")]
    key: Option<i64>,
    /// Discord id of an account
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    #[command(flatten)]
    why: Why,
}

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("target").required(true).args(["event", "key", "account", "player"])))]
pub struct Reports {
    /// Id of an event
    #[arg(long, value_name = "ID")]
    event: Option<i64>,
    /// Id of an ingest key
    #[arg(long, value_name = "ID")]
    key: Option<i64>,
    /// Discord id of an account
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    /// Handle of a player: the reports from the player's own log
    #[arg(long, value_name = "HANDLE", allow_hyphen_values = true)]
    player: Option<String>,
    /// Only events at or after this time, in epoch seconds
    #[arg(long, value_name = "SECONDS")]
    from: Option<i64>,
    /// Only events before this time, in epoch seconds
    #[arg(long, value_name = "SECONDS")]
    until: Option<i64>,
    #[command(flatten)]
    why: Why,
}

impl Reporter {
    fn request(self, action: Action) -> ModerationRequest {
        let target = ModerationTarget { key: self.key, account: self.account, ..ModerationTarget::default() };
        ModerationRequest { action, target, handle: None, reason: self.why.reason }
    }
}

impl Reports {
    fn request(self, action: Action) -> ModerationRequest {
        let Self { event, key, account, player, from, until, why } = self;
        let target = ModerationTarget { key, account, player, event, patch: None, from, until };
        ModerationRequest { action, target, handle: None, reason: why.reason }
    }
}

fn of_player(action: Action, player: String, handle: String, why: Why) -> ModerationRequest {
    let target = ModerationTarget { player: Some(player), ..ModerationTarget::default() };
    ModerationRequest { action, target, handle: Some(handle), reason: why.reason }
}

pub fn run(settings: Settings, command: Command) -> Result<(), CliError> {
    let store = open_existing(&settings)?;
    block_on(async {
        let request = match command {
            Command::Block(reporter) => reporter.request(Action::Block),
            Command::Unblock(reporter) => reporter.request(Action::Unblock),
            Command::Remove(reports) => reports.request(Action::Remove),
            Command::Restore(reports) => reports.request(Action::Restore),
            Command::Pin { patch, why } => {
                let target = ModerationTarget { patch: Some(patch), ..ModerationTarget::default() };
                ModerationRequest { action: Action::Pin, target, handle: None, reason: why.reason }
            }
            Command::Rename { player, handle, why } => of_player(Action::Rename, player, handle, why),
            Command::Merge { player, into, why } => of_player(Action::Merge, player, into, why),
            Command::Undo { entry } => {
                let entry = moderation::enter_undo(&store, None, entry).await?;
                return wait(&settings, &store, entry).await;
            }
            Command::List { json } => return list(&store, json).await,
        };
        let entry = moderation::enter(&store, None, request).await?;
        wait(&settings, &store, entry).await
    })
}

/// Applies the entry, or waits until the server has.
async fn wait(settings: &Settings, store: &Store, entry: ModerationEntry) -> Result<(), CliError> {
    if data_lock::holder(settings).is_none() {
        moderation::run_pending(store).await?;
    }
    let update = progress_bar();
    let running = |entry: &ModerationEntry| entry.state == EntryState::Running;
    while let Some(entry) = moderation::find(store, entry.id).await?.filter(running) {
        update(Progress { phase: "reports", done: entry.done.unsigned_abs(), total: entry.total.unsigned_abs() });
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    drop(update);
    outln!("entry {}: done", entry.id)
}

async fn list(store: &Store, json: bool) -> Result<(), CliError> {
    let mut before = None;
    loop {
        let page = moderation::list(store, before, 100).await?;
        for entry in &page.data {
            if json {
                output::write_json(entry)?;
                continue;
            }
            let handle = entry.handle.as_ref().map(|handle| format!(" -> {handle}")).unwrap_or_default();
            let state = match (entry.state, entry.undone_at) {
                (EntryState::Running, _) => format!("{} of {}", entry.done, entry.total),
                (EntryState::Done, Some(_)) => "undone".to_owned(),
                (EntryState::Done, None) => "done".to_owned(),
            };
            outln!("{}\t{}\t{}{handle}\t{state}\t{}", entry.id, entry.action.as_str(), entry.target, entry.reason)?;
        }
        before = page.next;
        if before.is_none() {
            return Ok(());
        }
    }
}

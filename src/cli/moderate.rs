//! `apogee moderate`

use std::time::Duration;

use clap::{ArgGroup, Subcommand};

use crate::config::Settings;
use crate::domain::trust::Action;
use crate::features::data_lock;
use crate::features::moderation::{self, Selection};
use crate::features::transfer::Progress;
use crate::store::Store;
use crate::views::moderation::{EntryState, ModerationEntry, ModerationPreview, ModerationSelect};

use super::output::outln;
use super::progress::ProgressBar;
use super::{CliError, block_on, require_database};

const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Void events or the reports of a key or an account: they never count
    #[command(after_help = "Examples:\n  apogee moderate void --key 7 --preview\n  \
        apogee moderate void --key 7 --reason \"invented kills\"\n\nThe keys are revoked; an account can create no others.")]
    Void(Change),
    /// Hold events: they do not count until they are released
    #[command(after_help = "Example:\n  apogee moderate hold --player Some-Player --reason \"under review\"")]
    Hold(Change),
    /// Release held events: they count again
    #[command(after_help = "Example:\n  apogee moderate release --player Some-Player --reason \"reviewed\"")]
    Release(Change),
    /// Revert an entry of the history
    #[command(after_help = "Example:\n  apogee moderate undo 12 --reason \"wrong key\"")]
    Undo {
        /// Number of the entry
        entry: i64,
        /// Reason, shown to admins
        #[arg(long, value_name = "TEXT")]
        reason: String,
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
#[command(group(ArgGroup::new("target").required(true).args(["key", "account", "player", "events"])))]
struct Change {
    /// Id of an ingest key
    #[arg(long, value_name = "ID")]
    key: Option<i64>,
    /// Discord id of an account
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    /// Handle of a player
    #[arg(long, value_name = "HANDLE")]
    player: Option<String>,
    /// Ids of events, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    events: Option<Vec<i64>>,
    /// Only events at or after this time, in epoch seconds
    #[arg(long, value_name = "SECONDS")]
    from: Option<i64>,
    /// Only events before this time, in epoch seconds
    #[arg(long, value_name = "SECONDS")]
    until: Option<i64>,
    /// Reason, shown to admins
    #[arg(long, value_name = "TEXT", required_unless_present = "preview")]
    reason: Option<String>,
    /// Print the effect and change nothing
    #[arg(long)]
    preview: bool,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    require_database(&settings)?;
    block_on(async {
        let store = Store::open(&settings.database_url)?;
        match args.command {
            Command::Void(change) => apply(&settings, &store, Action::Void, change).await,
            Command::Hold(change) => apply(&settings, &store, Action::Hold, change).await,
            Command::Release(change) => apply(&settings, &store, Action::Release, change).await,
            Command::Undo { entry, reason } => {
                let entry = moderation::enter_undo(&store, None, entry, &reason).await?;
                wait(&settings, &store, entry).await
            }
            Command::List { json } => list(&store, json).await,
        }
    })
}

async fn apply(settings: &Settings, store: &Store, action: Action, change: Change) -> Result<(), CliError> {
    let Change { key, account, player, events, from, until, reason, preview } = change;
    let selection = Selection::new(ModerationSelect { key, account, player, events, from, until })?;
    if preview {
        return print_preview(&moderation::preview(store, action, selection).await?);
    }
    let entry = moderation::enter(store, None, action, selection, &reason.unwrap_or_default(), |_| {}).await?;
    wait(settings, store, entry).await
}

fn print_preview(preview: &ModerationPreview) -> Result<(), CliError> {
    let ModerationPreview { events, reports, players, effect } = preview;
    outln!("events\t{events}\nreports\t{reports}\nplayers\t{players}")?;
    effect.iter().try_for_each(|score| outln!("{}\t{} -> {}", score.handle, score.before, score.after))
}

/// Waits until the server has applied the entry.
async fn wait(settings: &Settings, store: &Store, entry: ModerationEntry) -> Result<(), CliError> {
    if data_lock::holder(settings).is_none() {
        return outln!("entry {}: the server applies it when it starts", entry.id);
    }
    let bar = ProgressBar::new();
    loop {
        let current = moderation::find(store, entry.id).await?;
        match current.filter(|entry| entry.state == EntryState::Running) {
            Some(entry) => bar.update(Progress {
                phase: "events",
                done: entry.done.unsigned_abs(),
                total: entry.total.unsigned_abs(),
            }),
            None => break,
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    bar.clear();
    outln!("entry {}: done", entry.id)
}

async fn list(store: &Store, json: bool) -> Result<(), CliError> {
    let mut before = None;
    loop {
        let page = moderation::list(store, before, 100).await?;
        for entry in &page.data {
            if json {
                outln!("{}", serde_json::to_string(entry).map_err(std::io::Error::other)?)?;
                continue;
            }
            let name = entry.name.as_deref().unwrap_or("-");
            let state = match (entry.state, entry.undone_by) {
                (EntryState::Running, _) => format!("{} of {}", entry.done, entry.total),
                (EntryState::Done, Some(by)) => format!("undone by {by}"),
                (EntryState::Done, None) => "done".to_owned(),
            };
            outln!(
                "{}\t{}\t{}\t{name}\t{state}\t{}",
                entry.id,
                entry.action.as_str(),
                entry.target.as_str(),
                entry.reason
            )?;
        }
        before = page.next;
        if before.is_none() {
            return Ok(());
        }
    }
}

//! The command line. Each command parses its arguments, calls one feature and shows progress.
//! Called by `main`.
//! Never here: application logic.

mod backup;
mod bot;
mod check;
mod completions;
mod demo;
mod export;
mod import;
mod key;
mod man;
mod moderate;
pub mod output;
mod patch;
mod progress;
mod reindex;
mod restore;
mod serve;
mod sticker;
mod watch;

use std::io::Write;
use std::sync::Arc;

use apogee_reader::error::ReaderError;
use apogee_reader::login::LoginError;
use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use crate::app::App;
use crate::config::{ConfigError, Flags, Settings};
use crate::error::AppError;
use crate::features::backup::BackupError;
use crate::features::bootstrap::{self, OpenError};
use crate::features::data_lock::{DataLock, LockError};
use crate::features::transfer::{self, TransferError};
use crate::server::ServeError;
use crate::store::{Store, StoreError};

/// Statistics, rankings and profiles for Star Citizen players and guilds.
#[derive(Debug, Parser)]
#[command(name = "apogee", version, about, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the site: pages, API and live streams
    #[command(after_help = "Example:\n  apogee serve --data-dir /var/lib/apogee --listen 0.0.0.0:8080")]
    Serve(serve::Args),
    /// Fill a database with a generated universe
    #[command(after_help = "Example:\n  apogee demo --players 10000 --guilds 500 --events 200000 --seed 7")]
    Demo(demo::Args),
    /// Manage the Discord bot
    #[command(
        subcommand,
        after_help = "Example:\n  APOGEE_DISCORD_CLIENT_ID=… APOGEE_DISCORD_BOT_TOKEN=… apogee bot register"
    )]
    Bot(bot::Command),
    /// Manage ingest keys: create, list, confirm, revoke
    #[command(subcommand, after_help = "Example:\n  apogee key create --name \"my reader\"")]
    Key(key::Command),
    /// Moderate: block, remove, pin, rename, merge, undo
    #[command(
        subcommand,
        after_help = "Examples:\n  apogee moderate block --key 7 --reason \"invented kills\"\n  apogee moderate list\n\nThe server may keep running."
    )]
    Moderate(moderate::Command),
    /// List the patches of all events
    #[command(subcommand, after_help = "Example:\n  apogee patch list\n\nThe server may keep running.")]
    Patch(patch::Command),
    /// Manage stickers: grant, revoke, list
    #[command(
        subcommand,
        after_help = "Examples:\n  apogee sticker grant Sputnik Some-Player\n  apogee sticker list\n\nThe server may keep running."
    )]
    Sticker(sticker::Command),
    /// Follow the game's log, print a readable feed and upload events
    #[command(
        after_help = "Examples:\n  apogee watch login --server https://stats.example.org\n  apogee watch --open\n  apogee watch --once --json Game.log"
    )]
    Watch(watch::Args),
    /// Rebuild the search index, ranks and counters from the database
    #[command(after_help = "Example:\n  apogee reindex --data-dir /var/lib/apogee")]
    Reindex,
    /// Import players, guilds, events or commits from a file
    #[command(after_help = "Examples:\n  apogee import players players.csv\n  apogee import commits ~/src/my-site\n  \
        apogee import all export.ndjson.gz\n\nExisting entries are updated; fields that the file leaves out are unchanged.")]
    Import(import::Args),
    /// Export players, guilds, events or everything to a file
    #[command(after_help = "Examples:\n  apogee export players players.csv\n  apogee export all everything.ndjson.gz")]
    Export(export::Args),
    /// Write database and uploads to one file; the server may keep running
    #[command(after_help = "Example:\n  apogee backup /backups/apogee-$(date +%F).tar.zst")]
    Backup(backup::Args),
    /// Restore a backup
    #[command(after_help = "Example:\n  apogee restore /backups/apogee-2026-01-31.tar.zst --data-dir /var/lib/apogee")]
    Restore(restore::Args),
    /// Check settings, database, directories and upstreams; print one line per finding, exit 1 on any error
    #[command(after_help = "Examples:\n  apogee check --data-dir /var/lib/apogee\n  apogee check --json\n  \
        apogee check --example > /var/lib/apogee/apogee.toml")]
    Check(check::Args),
    /// Print the completion script for a shell
    #[command(after_help = "Example:\n  apogee completions bash > /etc/bash_completion.d/apogee")]
    Completions(completions::Args),
    /// Print the manual page
    #[command(after_help = "Example:\n  apogee man > apogee.1\n  apogee man --dir /usr/local/share/man/man1")]
    Man(man::Args),
}

/// Why a command failed: one sentence with the remedy.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Projections(#[from] crate::projections::ProjectionError),
    #[error("{}", operator_message(.0))]
    App(#[from] AppError),
    #[error("{}", match .0 { TransferError::App(e) => operator_message(e), e => e.to_string() })]
    Transfer(#[from] TransferError),
    #[error("{}", match .0 { BackupError::App(e) => operator_message(e), e => e.to_string() })]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("{0} {noun} found", noun = if *.0 == 1 { "problem" } else { "problems" })]
    Findings(usize),
    #[error("{0} {lines} rejected; the others were imported", lines = if *.0 == 1 { "line was" } else { "lines were" })]
    Rejected(u64),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Watch(#[from] ReaderError),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("standard output cannot be written: {0}")]
    Output(std::io::Error),
    #[error(transparent)]
    Login(#[from] LoginError),
    #[error("{0}")]
    Failed(String),
    #[error("{0}")]
    Usage(String),
}

impl CliError {
    /// 1 for a failure, 2 for wrong usage.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Usage(_) | Self::Transfer(TransferError::Usage(_)) => 2,
            _ => 1,
        }
    }

    /// Whether the reader of standard output closed the pipe. The command then ends quietly.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Self::Output(why) | Self::Watch(ReaderError::Output(why)) | Self::Serve(ServeError::Output(why)) => {
                why.kind() == std::io::ErrorKind::BrokenPipe
            }
            _ => false,
        }
    }
}

/// The message for an operator, who may see internal errors.
fn operator_message(error: &AppError) -> String {
    match error {
        AppError::Internal(source) => source.to_string(),
        AppError::Overloaded => {
            "the database is busy or locked by another program: stop that program and run this command again; nothing is imported twice"
                .into()
        }
        other => other.to_string(),
    }
}

/// Opens the database, which has to exist.
fn open_existing(settings: &Settings) -> Result<Store, CliError> {
    if let Some(path) = settings.database_url.strip_prefix("sqlite:")
        && !std::path::Path::new(path.strip_prefix("//").unwrap_or(path)).exists()
    {
        return Err(CliError::Usage(format!("no database at {path}: set its directory with --data-dir")));
    }
    Ok(Store::open(&settings.database_url)?)
}

/// Parses the arguments and runs the command.
pub fn run() -> Result<(), CliError> {
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(wrong) if wrong.use_stderr() => wrong.exit(),
        // Help and version.
        Err(info) => return info.print().and_then(|()| std::io::stdout().flush()).map_err(CliError::Output),
    };
    run_parsed(cli, start_log)
}

/// Runs a command within another program, as if `variables` were its environment; returns what it wrote, too. The thread must not
/// be one of an async runtime.
pub fn run_within(arguments: &[&str], variables: &[(String, String)]) -> (output::Written, Result<(), CliError>) {
    output::captured(|| {
        let mut cli = Cli::try_parse_from(arguments).map_err(|wrong| CliError::Usage(wrong.to_string()))?;
        for (name, value) in variables {
            let unknown = || CliError::Usage(format!("no setting has the variable {name}"));
            cli.flags = std::mem::take(&mut cli.flags).with_variable(name, value).ok_or_else(unknown)?;
        }
        // The log is that of the program.
        run_parsed(cli, |_| {})
    })
}

fn run_parsed(cli: Cli, start_log: impl Fn(&Settings)) -> Result<(), CliError> {
    net::install_tls_provider();
    let settings = || {
        let settings = Settings::load(&cli.flags)?;
        start_log(&settings);
        Ok::<_, CliError>(settings)
    };
    match cli.command {
        // These commands run without valid settings.
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(args),
        Command::Check(args) => check::run(&cli.flags, &args),
        Command::Backup(args) => backup::run(settings()?, args),
        Command::Restore(args) => restore::run(settings()?, args),
        Command::Import(args) => import::run(settings()?, args),
        Command::Export(args) => export::run(settings()?, args),
        Command::Serve(args) => serve::run(settings()?, args),
        Command::Demo(args) => demo::run(settings()?, args),
        Command::Bot(command) => bot::run(settings()?, command),
        Command::Key(command) => key::run(settings()?, command),
        Command::Moderate(command) => moderate::run(settings()?, command),
        Command::Patch(command) => patch::run(settings()?, command),
        Command::Sticker(command) => sticker::run(settings()?, command),
        Command::Watch(args) => watch::run(&settings()?, cli.flags.get("data-dir").is_some(), args),
        Command::Reindex => reindex::run(settings()?),
    }
}

/// The arguments. A double click on Windows, which passes none, opens the log reader's page.
fn arguments() -> Vec<std::ffi::OsString> {
    let mut given: Vec<_> = std::env::args_os().collect();
    if cfg!(windows) && given.len() <= 1 {
        given.extend(["watch".into(), "--open".into()]);
    }
    given
}

/// Filter in front of the configured one. Warnings about missing system fonts are noise: share cards embed theirs.
const BASE_LOG_FILTER: &str = "fontdb=error";

/// Starts logging to standard error; standard output is for the output of commands.
fn start_log(settings: &Settings) {
    let filter = EnvFilter::try_new(format!("{BASE_LOG_FILTER},{}", settings.log));
    let filter = filter.unwrap_or_else(|_| EnvFilter::new(format!("{BASE_LOG_FILTER},info")));
    // Errors of the log would be reported on standard error, which is the log.
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).log_internal_errors(false);
    if settings.log_json {
        log.json().init();
    } else {
        log.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).init();
    }
}

/// Opens the app for a command that writes in bulk. On SQLite the data directory must not be in use; on PostgreSQL the site may
/// keep running.
async fn open_exclusive(settings: Settings, what: &str) -> Result<(DataLock, Arc<App>), CliError> {
    let lock = DataLock::take_or_beside(&settings, what)?;
    let index_dir = lock.index_dir(&settings);
    let opened = tokio::task::spawn_blocking(move || bootstrap::open_for_load(settings, &index_dir));
    Ok((lock, Arc::new(opened.await.map_err(std::io::Error::other)??)))
}

/// Exits on a termination signal after removing partially written files. Signals are handled once this returns.
fn remove_partial_files_on_stop(file: &std::path::Path) {
    let file = file.to_owned();
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            let stop = crate::server::stop_signal();
            drop(ready);
            stop.await;
        });
        output::errln!("apogee: stopped; nothing was written");
        transfer::remove_partial_files(&file);
        std::process::exit(1);
    });
    // Nothing is sent: the channel closes once the handler is installed, or could not be.
    let _: Result<(), _> = is_ready.recv();
}

/// Runs a future to completion.
fn block_on<T>(work: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_and_texts_may_begin_with_a_dash() {
        for line in [
            "apogee moderate remove --player -Ghost- --reason -x",
            "apogee moderate restore --reason - --player --",
            "apogee moderate block --key 7 --reason -x",
            "apogee moderate rename -Ghost- --New --reason -x",
            "apogee moderate merge --reason -x -- -Ghost- -h",
            "apogee sticker grant -Comet -Ghost-",
            "apogee sticker revoke 538261 --Ghost",
            "apogee key create --name -x",
            "apogee key confirm -x",
            "apogee key revoke -x",
        ] {
            Cli::try_parse_from(line.split(' ')).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
        for line in ["apogee key revoke -h", "apogee moderate rename --help", "apogee sticker grant Comet -h"] {
            let help = Cli::try_parse_from(line.split(' ')).unwrap_err();
            assert_eq!(help.kind(), clap::error::ErrorKind::DisplayHelp, "{line}");
        }
    }
}

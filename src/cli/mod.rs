//! The command line: one file per command; flags in, a feature called, progress shown.
//! Called by `main` alone.
//! Never here: what a command does beyond asking for it and showing how far it is.

mod backup;
mod bot;
mod check;
mod completions;
mod demo;
mod export;
mod import;
mod key;
mod man;
pub mod output;
mod progress;
mod reindex;
mod restore;
mod serve;
mod sticker;
mod watch;

use std::io::Write;
use std::sync::Arc;

use clap::{CommandFactory, Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use crate::app::App;
use crate::config::{ConfigError, Flags, Settings};
use crate::error::AppError;
use crate::features::backup::BackupError;
use crate::features::bootstrap::{self, OpenError};
use crate::features::data_lock::{DataLock, LockError};
use crate::features::transfer::{self, TransferError};
use crate::reader::ReaderError;
use crate::reader::login::LoginError;
use crate::server::ServeError;
use crate::store::StoreError;

/// Statistics, rankings and profiles of Star Citizen's players and guilds.
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
    /// Run the site: pages, API, live stream
    #[command(after_help = "Example:\n  apogee serve --data-dir /var/lib/apogee --listen 0.0.0.0:8080")]
    Serve(serve::Args),
    /// Fill a database with a generated universe
    #[command(after_help = "Example:\n  apogee demo --players 10000 --guilds 500 --events 200000 --seed 7")]
    Demo(demo::Args),
    /// The Discord bot
    #[command(after_help = "Example:\n  APOGEE_DISCORD_CLIENT_ID=… APOGEE_DISCORD_BOT_TOKEN=… apogee bot register")]
    Bot(bot::Args),
    /// Ingest keys: make, list, revoke
    #[command(after_help = "Example:\n  apogee key create --name \"my reader\"")]
    Key(key::Args),
    /// Stickers: grant, revoke, list
    #[command(
        after_help = "Examples:\n  apogee sticker grant Sputnik Some-Player\n  apogee sticker list\n\nThe server may keep running."
    )]
    Sticker(sticker::Args),
    /// Read the game's logs, show what happened and send it to a site
    #[command(
        after_help = "Examples:\n  apogee watch login --server https://stats.example.org\n  apogee watch --open\n  apogee watch --once --json Game.log"
    )]
    Watch(watch::Args),
    /// Rebuild search index, ranks and counters from the database
    #[command(after_help = "Example:\n  apogee reindex --data-dir /var/lib/apogee")]
    Reindex,
    /// Load players, guilds, events or commits from a file
    #[command(after_help = "Examples:\n  apogee import players players.csv\n  apogee import commits ~/src/my-site\n  \
        apogee import all export.ndjson.gz\n\nWhat is known already is updated; fields that a file leaves out stay as they are.")]
    Import(import::Args),
    /// Write players, guilds, events or everything to a file
    #[command(after_help = "Examples:\n  apogee export players players.csv\n  apogee export all everything.ndjson.gz")]
    Export(export::Args),
    /// Write database and uploads to one file, also while the site runs
    #[command(after_help = "Example:\n  apogee backup /backups/apogee-$(date +%F).tar.zst")]
    Backup(backup::Args),
    /// Put a backup back
    #[command(after_help = "Example:\n  apogee restore /backups/apogee-2026-01-31.tar.zst --data-dir /var/lib/apogee")]
    Restore(restore::Args),
    /// Look at settings, database, folders and upstreams; one line per finding, exit 1 on any error
    #[command(after_help = "Examples:\n  apogee check --data-dir /var/lib/apogee\n  apogee check --json\n  \
        apogee check --example > /var/lib/apogee/apogee.toml")]
    Check(check::Args),
    /// Print the completions of a shell
    #[command(after_help = "Example:\n  apogee completions bash > /etc/bash_completion.d/apogee")]
    Completions(completions::Args),
    /// Print the manual page
    #[command(after_help = "Example:\n  apogee man > apogee.1\n  apogee man --dir /usr/local/share/man/man1")]
    Man(man::Args),
}

/// Why a command failed; one sentence with the remedy.
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
    #[error("{0} of these have to be put right")]
    Findings(usize),
    #[error("{0} lines were not taken; the others are in")]
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
    /// 1 failed, 2 wrong usage.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Usage(_) | Self::Transfer(TransferError::Usage(_)) => 2,
            _ => 1,
        }
    }

    /// The reader of standard output has gone away. It has what it wanted: the command ends without a word.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Self::Output(why) | Self::Watch(ReaderError::Output(why)) | Self::Serve(ServeError::Output(why)) => {
                why.kind() == std::io::ErrorKind::BrokenPipe
            }
            _ => false,
        }
    }
}

/// The operator may read what a visitor may not.
fn operator_message(error: &AppError) -> String {
    match error {
        AppError::Internal(source) => source.to_string(),
        AppError::Overloaded => {
            "the database is busy or locked by another program: stop that one, then run this again; nothing is taken twice"
                .into()
        }
        other => other.to_string(),
    }
}

/// The whole command line, as help, completions and manual describe it.
fn command() -> clap::Command {
    Cli::command()
}

/// For commands that read: a database that is not there is not made for them.
fn require_database(settings: &Settings) -> Result<(), CliError> {
    match settings.database_url.strip_prefix("sqlite:") {
        Some(path) if !std::path::Path::new(path.strip_prefix("//").unwrap_or(path)).exists() => {
            Err(CliError::Usage(format!("there is no database at {path}: name its folder with --data-dir")))
        }
        _ => Ok(()),
    }
}

/// Reads the arguments and runs what they ask for.
pub fn run() -> Result<(), CliError> {
    // rustls has no provider of its own here; a second call (in tests) finds it set.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(wrong) if wrong.use_stderr() => wrong.exit(),
        // Help and version, which are asked for.
        Err(asked) => return asked.print().and_then(|()| std::io::stdout().flush()).map_err(CliError::Output),
    };
    // These two describe the program and need no settings.
    match cli.command {
        Command::Completions(args) => return completions::run(&args),
        Command::Man(args) => return man::run(args),
        // Settings that cannot be used are what it is asked about.
        Command::Check(args) => return check::run(&cli.flags, &args),
        _ => {}
    }
    let settings = Settings::load(&cli.flags)?;
    start_log(&settings);
    match cli.command {
        Command::Completions(_) | Command::Man(_) | Command::Check(_) => Ok(()),
        Command::Backup(args) => backup::run(settings, args),
        Command::Restore(args) => restore::run(settings, args),
        Command::Import(args) => import::run(settings, args),
        Command::Export(args) => export::run(settings, args),
        Command::Serve(args) => serve::run(settings, args),
        Command::Demo(args) => demo::run(settings, args),
        Command::Bot(args) => bot::run(settings, args),
        Command::Key(args) => key::run(settings, args),
        Command::Sticker(args) => sticker::run(settings, args),
        Command::Watch(args) => watch::run(&settings, cli.flags.data_dir.is_some(), args),
        Command::Reindex => reindex::run(settings),
    }
}

/// The arguments. Whoever starts the program on Windows by a double click wants the reader with its page.
fn arguments() -> Vec<std::ffi::OsString> {
    let mut given: Vec<_> = std::env::args_os().collect();
    if cfg!(windows) && given.len() <= 1 {
        given.extend(["watch".into(), "--open".into()]);
    }
    given
}

/// What is said before the settings' own word on the log: a machine without fonts is no reason to worry, the cards bring theirs.
const BASE_LOG_FILTER: &str = "fontdb=error";

/// The log goes to standard error: standard output belongs to what a command prints.
fn start_log(settings: &Settings) {
    let filter = EnvFilter::try_new(format!("{BASE_LOG_FILTER},{}", settings.log));
    let filter = filter.unwrap_or_else(|_| EnvFilter::new(format!("{BASE_LOG_FILTER},info")));
    // A log that cannot be written would be reported on standard error, which is the log.
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).log_internal_errors(false);
    if settings.log_json {
        log.json().init();
    } else {
        log.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).init();
    }
}

/// Opens everything for a command that writes much: alone, or beside a site on Postgres.
async fn open_exclusive(settings: Settings, what: &str) -> Result<(DataLock, Arc<App>), CliError> {
    let lock = DataLock::take_or_beside(&settings, what)?;
    let index_dir = lock.index_dir(&settings);
    let opened = tokio::task::spawn_blocking(move || bootstrap::open_for_load(settings, &index_dir));
    Ok((lock, Arc::new(opened.await.map_err(std::io::Error::other)??)))
}

/// Removes what a command has begun to write when it is asked to end, and ends. Whoever asks is heard from the return on.
fn remove_partial_files_on_stop(file: &std::path::Path) {
    let file = file.to_owned();
    let (listens, listening) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            let stop = crate::server::stop_signal();
            drop(listens);
            stop.await;
        });
        output::errln!("apogee: stopped; nothing was written");
        transfer::remove_partial_files(&file);
        std::process::exit(1);
    });
    // Nothing is ever sent: it ends when the thread listens, or could not.
    let _: Result<(), _> = listening.recv();
}

/// Runs one asynchronous piece of work to its end.
fn block_on<T>(work: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(work)
}

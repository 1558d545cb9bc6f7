//! The command line: one file per command; flags in, a feature called, progress shown.
//! Called by `main` alone.
//! Never here: what a command does beyond asking for it and showing how far it is.

mod bot;
mod demo;
mod key;
mod reindex;
mod serve;
mod watch;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use crate::config::{ConfigError, Flags, Settings};
use crate::error::AppError;
use crate::features::index::OpenError;
use crate::server::ServeError;
use crate::store::StoreError;
use crate::watch::WatchError;

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
    /// Read the game's logs, show what happened and send it to a site
    #[command(
        after_help = "Examples:\n  apogee watch --server https://stats.example.org --key apogee_…\n  apogee watch --once --json Game.log"
    )]
    Watch(watch::Args),
    /// Rebuild search index, ranks and counters from the database
    #[command(after_help = "Example:\n  apogee reindex --data-dir /var/lib/apogee")]
    Reindex,
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
    App(#[from] AppError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Watch(#[from] WatchError),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Usage(String),
}

impl CliError {
    /// 1 failed, 2 wrong usage.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Usage(_) => 2,
            _ => 1,
        }
    }
}

/// Reads the arguments and runs what they ask for.
pub fn run() -> Result<(), CliError> {
    // rustls has no provider of its own here; a second call (in tests) finds it set.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cli = Cli::parse();
    let settings = Settings::load(&cli.flags)?;
    start_log(&settings);
    match cli.command {
        Command::Serve(args) => serve::run(settings, args),
        Command::Demo(args) => demo::run(settings, args),
        Command::Bot(args) => bot::run(settings, args),
        Command::Key(args) => key::run(settings, args),
        Command::Watch(args) => watch::run(settings, args),
        Command::Reindex => reindex::run(settings),
    }
}

/// The log goes to standard error: standard output belongs to what a command prints.
fn start_log(settings: &Settings) {
    let filter = EnvFilter::try_new(&settings.log).unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if settings.log_json {
        log.json().init();
    } else {
        log.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).init();
    }
}

/// Runs one asynchronous piece of work to its end.
fn block_on<T>(work: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(work)
}

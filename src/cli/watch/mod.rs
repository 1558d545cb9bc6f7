//! `apogee watch`

mod import;

use std::collections::BTreeSet;
use std::io::{IsTerminal, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apogee_reader::error::ReaderError;
use apogee_reader::feed::{Feed, JsonLines, note_text};
use apogee_reader::filter::{Filter, Selector, Share};
use apogee_reader::installs::{expand_path, live_logs, pasted_path};
use apogee_reader::login::{Login, machine_name};
use apogee_reader::note::{Note, Sink};
use apogee_reader::once::{OnceOptions, Summary, read_once};
use apogee_reader::settings::{PageClaim, PageLock, ReaderSettings, claim_page, home_dir, parse_origin, queue_folder};
use apogee_reader::status::{self, Status};
use apogee_reader::upload::Server;
use apogee_reader::{browser, privacy};
use i18n::{Language, Texts};

use crate::config::Settings;
use crate::domain::events::OptIn;
use crate::reader_page::{self, service::ReaderService};
use crate::server::stop_signal;

use super::output::{errln, outln};
use super::{CliError, block_on};

/// Attempts per upload with `--once`.
const MAX_UPLOAD_ATTEMPTS: u32 = 5;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    subcommand: Option<Subcommand>,
    #[command(flatten)]
    follow: Follow,
}

#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    /// Connect this reader to a site: shows a short code that you confirm there
    #[command(after_help = "Example:\n  apogee watch login --server https://stats.example.org")]
    Login {
        /// The site that receives your events
        #[arg(long, value_name = "URL", env = "APOGEE_SERVER")]
        server: String,
        /// Language of the output: en, de, es, fr, pl, ru, uk, zh [default: the system's]
        #[arg(long, value_name = "XX")]
        language: Option<Language>,
    },
    /// Import a folder of old logs: reads them, shows what they hold, and uploads those of the players that you choose
    #[command(
        after_help = "Example:\n  apogee watch import \"D:\\StarCitizen\\LIVE\\logbackups\"\n\nCtrl-C pauses; the same command continues."
    )]
    Import(import::Args),
    /// Show reader status: site, queue, and last upload
    #[command(after_help = "Example:\n  apogee watch status")]
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Language of the output: en, de, es, fr, pl, ru, uk, zh [default: the system's]
        #[arg(long, value_name = "XX")]
        language: Option<Language>,
    },
}

/// Where events go, which of the private ones, and the language of the output.
#[derive(Debug, clap::Args)]
struct SiteFlags {
    /// The site that receives the events; without one, nothing leaves this machine
    #[arg(long, value_name = "URL", env = "APOGEE_SERVER")]
    server: Option<String>,
    /// Your ingest key for that site; `apogee watch login` obtains one
    #[arg(long, env = "APOGEE_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Language of the output: en, de, es, fr, pl, ru, uk, zh [default: the system's]
    #[arg(long, value_name = "XX")]
    language: Option<Language>,
    /// Also send what contracts pay, the places visited, or both; --json prints them without it
    #[arg(long, value_name = "KIND")]
    share: Vec<Share>,
}

impl SiteFlags {
    fn shared(&self) -> BTreeSet<OptIn> {
        self.share.iter().flat_map(|share| share.kinds()).copied().collect()
    }

    /// Overrides the saved site and language for this run.
    fn apply(&self, settings: &mut ReaderSettings) -> Result<(), CliError> {
        if let Some(language) = self.language {
            settings.language = Some(language.code().to_owned());
        }
        match (self.server.as_deref().map(parse_server).transpose()?, &self.key) {
            (None, None) => {}
            (Some(origin), Some(key)) => {
                (settings.server, settings.key) = (Some(origin), Some(key.trim().to_owned()));
            }
            // The saved key is valid for the saved site only.
            (Some(origin), None) if settings.server.as_ref() == Some(&origin) && settings.key.is_some() => {}
            (Some(origin), None) => {
                return Err(CliError::Usage(format!(
                    "--server requires --key or a login: run apogee watch login --server {origin}"
                )));
            }
            (None, Some(_)) => return Err(CliError::Usage("--key requires --server".into())),
        }
        Ok(())
    }
}

/// The origin of a site as typed for `--server`.
fn parse_server(typed: &str) -> Result<String, CliError> {
    let invalid =
        || CliError::Usage(format!("invalid --server '{typed}': expected an address such as https://example.org"));
    parse_origin(typed).ok_or_else(invalid)
}

#[derive(Debug, clap::Args)]
struct Follow {
    /// Logs, or folders of the game [default: the usual folders]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    site: SiteFlags,
    /// Read to the end and exit
    #[arg(long)]
    once: bool,
    /// Upload nothing
    #[arg(long)]
    dry_run: bool,
    /// Print events as NDJSON, one JSON object per line
    #[arg(long)]
    json: bool,
    /// Open the reader's own page, served on this machine only
    #[arg(long)]
    open: bool,
    /// Show and send only these types of events
    #[arg(long, value_name = "TYPE")]
    only: Vec<Selector>,
    /// Do not show or send these types of events
    #[arg(long, value_name = "TYPE")]
    hide: Vec<Selector>,
    /// Send redacted lines of unknown shape, which help to update the grammar
    #[arg(long)]
    send_samples: bool,
}

/// `is_dir_named` is true if the user passed a data directory. Otherwise the reader uses the user's own data folder.
pub fn run(settings: &Settings, is_dir_named: bool, args: Args) -> Result<(), CliError> {
    let home = home_dir(is_dir_named.then_some(settings.data_dir.as_path()));
    match args.subcommand {
        Some(Subcommand::Import(args)) => import::run(&home, &args),
        Some(Subcommand::Login { server, language }) => log_in(&home, &server, language),
        Some(Subcommand::Status { json, language }) => print_status(&home, json, language),
        None => follow(home, &args.follow),
    }
}

fn follow(home: PathBuf, args: &Follow) -> Result<(), CliError> {
    if !args.once {
        disable_huge_pages();
    }
    let mut settings = ReaderSettings::load(&home)?;
    let page_lock = match args.open && !args.once {
        false => None,
        true => match claim_page(&home)? {
            PageClaim::Acquired(page_lock) => Some(page_lock),
            PageClaim::Running(url) => {
                // A second start opens the page of the running reader.
                errln!("{}", settings.language().reader().format("page_at", &[("url", &url)]));
                browser::open(&url);
                return Ok(());
            }
        },
    };
    let saved = settings.clone();
    apply_flags(&mut settings, args)?;
    let texts = settings.language().reader();
    let site = settings.site().filter(|_| !args.dry_run);
    let unconsented = unconsented(&home, site.as_ref());
    // Consent is given on the page; without it, the terminal shows the notice before the first upload.
    if let (Some(site), None) = (unconsented, &page_lock) {
        show_privacy_notice(&home, texts, site)?;
    }
    let uploads_wait = unconsented.map(|site| texts.format("held", &[("server", &site.url)]));
    if site.is_none() && !args.dry_run && !args.open && !args.once {
        errln!("{}", texts.text("no_site"));
    }
    let output = output(args.json, texts);
    let filter = filter_of(&settings, args);
    if args.once {
        return read_once_to_end(&settings, filter, site, output);
    }
    if !args.open && settings.log_paths().is_empty() {
        return Err(ReaderError::NoLogs.into());
    }
    let service = Arc::new(ReaderService::new(home, saved, settings, filter, args.dry_run));
    block_on(run_service(service, page_lock, output, uploads_wait))
}

/// The site, if the user has not seen its privacy notice.
fn unconsented<'a>(home: &Path, site: Option<&'a Server>) -> Option<&'a Server> {
    site.filter(|site| !privacy::is_shown(&queue_folder(home, Some(site))))
}

fn show_privacy_notice(home: &Path, texts: &Texts, site: &Server) -> Result<(), CliError> {
    for line in privacy::notice(texts, &site.url) {
        errln!("{line}");
    }
    Ok(privacy::mark_shown(&queue_folder(home, Some(site)))?)
}

/// Runs the reader until a signal stops it. With the lock of the page, serves the page, and says why uploads wait.
async fn run_service(
    service: Arc<ReaderService>,
    page_lock: Option<PageLock>,
    output: Box<dyn Sink>,
    uploads_wait: Option<String>,
) -> Result<(), CliError> {
    // Registered before the address is printed, so that a signal after that always stops the reader.
    let stopper = Arc::clone(&service);
    on_stop_signal(move || stopper.stop());
    let page = page_lock.is_some().then(|| reader_page::serve(service.clone())).transpose()?;
    if let (Some(page), Some(page_lock)) = (&page, &page_lock) {
        page_lock.set(&page.url)?;
        errln!("{}", service.texts().format("page_at", &[("url", &page.url)]));
        if let Some(sentence) = uploads_wait {
            errln!("{sentence}");
        }
        browser::open(&page.url);
    }
    let result = service.run(output).await;
    if let Some(page) = page {
        page.stop().await;
    }
    drop(page_lock);
    Ok(result?)
}

fn read_once_to_end(
    settings: &ReaderSettings,
    filter: Filter,
    server: Option<Server>,
    mut output: Box<dyn Sink>,
) -> Result<(), CliError> {
    let logs: Vec<PathBuf> = settings.log_paths().iter().flat_map(|path| expand_path(path)).collect();
    let with_backups = !settings.skips_backups;
    let once =
        OnceOptions { filter, server, with_backups, max_attempts: MAX_UPLOAD_ATTEMPTS, ..OnceOptions::default() };
    let control = once.control.clone();
    block_on(async {
        on_stop_signal(move || control.stop());
        result_of(&read_once(&logs, &once, &mut *output).await?)
    })
}

fn result_of(summary: &Summary) -> Result<(), CliError> {
    match *summary {
        Summary { rejected: 0, unclaimed: 0, .. } => Ok(()),
        // Several people may play on one computer: their logs wait for their own claims.
        Summary { rejected: 0, accepted, duplicates, .. } if accepted + duplicates > 0 => Ok(()),
        Summary { rejected, unclaimed, .. } => Err(ReaderError::Refused(rejected + unclaimed).into()),
    }
}

/// Stops a reader with the first signal. A second one exits immediately, for example if a blocked pipe prevents a clean stop.
fn on_stop_signal(stop: impl FnOnce() + Send + 'static) {
    let signal = stop_signal();
    tokio::spawn(async move {
        signal.await;
        stop();
        stop_signal().await;
        std::process::exit(1);
    });
}

/// Disables huge pages, which make the server faster but a reader four times as large. The allocator reads its
/// variable only at start, so the process executes itself again. If that fails, the reader continues with huge pages.
#[cfg(target_os = "linux")]
fn disable_huge_pages() {
    use std::os::unix::process::CommandExt;
    const THP_VARIABLE: &str = "MIMALLOC_ALLOW_THP";
    if std::env::var_os(THP_VARIABLE).is_some() {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let error = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(THP_VARIABLE, "0").exec();
        tracing::debug!(%error, "the reader continues with huge pages");
    }
}

#[cfg(not(target_os = "linux"))]
fn disable_huge_pages() {}

/// Flags override the saved settings for this run.
fn apply_flags(settings: &mut ReaderSettings, args: &Follow) -> Result<(), CliError> {
    if !args.logs.is_empty() {
        let absolute =
            args.logs.iter().map(|path| std::path::absolute(pasted_path(path))).collect::<Result<Vec<_>, _>>()?;
        settings.logs = absolute;
    }
    settings.sends_samples |= args.send_samples;
    let saved = (settings.server.clone(), settings.key.clone());
    let applied = args.site.apply(settings);
    if args.dry_run {
        // Nothing is sent.
        (settings.server, settings.key) = saved;
        return Ok(());
    }
    applied
}

fn filter_of(settings: &ReaderSettings, args: &Follow) -> Filter {
    let mut filter = settings.filter();
    if !args.only.is_empty() || !args.hide.is_empty() {
        filter.only = args.only.iter().copied().collect();
        filter.hide = args.hide.iter().copied().collect();
    }
    filter.shared = args.site.shared();
    // The page shows what contracts pay, on this machine.
    filter.shows_private = args.json || args.open;
    filter
}

fn log_in(home: &Path, typed: &str, language: Option<Language>) -> Result<(), CliError> {
    let origin = parse_server(typed)?;
    let mut settings = ReaderSettings::load(home)?;
    let texts = language.unwrap_or_else(|| settings.language()).reader();
    block_on(async {
        let login = Login::start(&origin, &machine_name()).await?;
        errln!("{}", texts.format("login_code", &[("code", &login.code)]));
        errln!("{}", texts.format("login_open", &[("url", &login.confirm_url)]));
        browser::open(&login.confirm_url);
        let key = login.wait(&origin).await.map_err(|error| CliError::Failed(error.text(texts)))?;
        (settings.server, settings.key) = (Some(origin.clone()), Some(key));
        settings.save(home)?;
        if let Some(site) = settings.site() {
            show_privacy_notice(home, texts, &site)?;
        }
        outln!("{}", texts.format("login_done", &[("server", &origin)]))
    })
}

/// A reader as shown by `watch status`.
#[derive(serde::Serialize)]
struct ReaderStatus {
    server: Option<String>,
    logs: Vec<String>,
    status: Status,
}

fn print_status(home: &Path, is_json: bool, language: Option<Language>) -> Result<(), CliError> {
    let settings = ReaderSettings::load(home)?;
    let mut shown = list_readers(home, &settings)?;
    if is_json {
        // The first reader is the top-level object, for compatibility with single-reader output.
        let mut json = serde_json::to_value(shown.remove(0)).map_err(std::io::Error::other)?;
        json["others"] = serde_json::to_value(shown).map_err(std::io::Error::other)?;
        return outln!("{json}");
    }
    let texts = language.unwrap_or_else(|| settings.language()).reader();
    for reader in &shown {
        print_reader(reader, texts)?;
    }
    if settings.is_paused {
        outln!("{}", texts.text("paused"))?;
    }
    Ok(())
}

/// The running readers, the saved one first. If none runs, the saved one. Never empty.
fn list_readers(home: &Path, settings: &ReaderSettings) -> Result<Vec<ReaderStatus>, CliError> {
    let paths = |logs: &[PathBuf]| logs.iter().map(|log| log.display().to_string()).collect();
    let site = settings.site();
    let saved = queue_folder(home, site.as_ref());
    let mut shown = Vec::new();
    for (folder, running) in status::running(home) {
        let reader =
            ReaderStatus { server: running.server, logs: paths(&running.logs), status: status::read_status(&folder)? };
        let place = if folder == saved { 0 } else { shown.len() };
        shown.insert(place, reader);
    }
    if shown.is_empty() {
        let (server, logs) = (site.map(|site| site.url), paths(&live_logs(&settings.log_paths())));
        shown.push(ReaderStatus { server, logs, status: status::read_status(&saved)? });
    }
    Ok(shown)
}

fn print_reader(reader: &ReaderStatus, texts: &Texts) -> Result<(), CliError> {
    let print = |key: &str, values: &[(&str, &str)]| outln!("{}", texts.format(key, values));
    let ReaderStatus { server, logs, status } = reader;
    match server {
        Some(url) => print("status_site", &[("server", url)])?,
        None => print("status_no_site", &[])?,
    }
    print(if status.is_running { "status_running" } else { "status_stopped" }, &[])?;
    for log in logs {
        print("status_log", &[("path", log)])?;
    }
    let counts = [status.queue.waiting, status.queue.sent, status.queue.logs].map(|count| count.to_string());
    print("status_counts", &[("waiting", &counts[0]), ("sent", &counts[1]), ("logs", &counts[2])])?;
    for events in &status.unclaimed {
        let (player, count) = (&events.player, events.waiting.to_string());
        print("status_unclaimed", &[("handle", &player.handle), ("count", &count), ("url", &player.url)])?;
    }
    for log in &status.queue.foreign_logs {
        outln!("{}", note_text(texts, &Note::ForeignLog(log.clone())))?;
    }
    let Some(last) = &status.last_upload else { return print("status_never", &[]) };
    let time = jiff::Timestamp::from_millisecond(last.at.0).map(|at| at.to_string()).unwrap_or_default();
    match &last.error {
        None => print("status_last_ok", &[("time", &time)]),
        Some(error) => print("status_last_error", &[("time", &time), ("error", error)]),
    }
}

/// Colors require a terminal that supports them and no `NO_COLOR`.
fn supports_colors(is_terminal: bool) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // The legacy Windows console prints escape sequences.
    let understands = !cfg!(windows) || is_set("WT_SESSION") || is_set("TERM");
    is_terminal && understands && !is_set("NO_COLOR")
}

/// The destination of events and notes: JSON lines or a readable feed.
fn output(is_json: bool, texts: &'static Texts) -> Box<dyn Sink> {
    if is_json {
        let notes = Feed::new(stderr(), texts, supports_colors(stderr().is_terminal()));
        return Box::new(JsonLines::new(stdout(), notes));
    }
    Box::new(Feed::new(stdout(), texts, supports_colors(stdout().is_terminal())))
}

//! `apogee watch`

use std::collections::BTreeSet;
use std::io::{IsTerminal, Stderr, Stdout, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::config::Settings;
use crate::domain::events::Event;
use crate::watch::desk::Desk;
use crate::watch::feed::{Feed, JsonLines};
use crate::watch::filter::{Filter, Selector};
use crate::watch::installs::{Roots, find, live_logs, named};
use crate::watch::login::{Login, LoginError, machine_name};
use crate::watch::once::{Once, read_once};
use crate::watch::settings::{ReaderSettings, folder_of, home, note_page, origin_of, running_page};
use crate::watch::status::status;
use crate::watch::upload::Pace;
use crate::watch::words::{Language, Words};
use crate::watch::{Note, Server, Sink, WatchError, browser, page, privacy};

use super::{CliError, block_on};

/// How often an upload of `--once` is tried before giving up.
const TRIES: u32 = 5;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    act: Option<Act>,
    #[command(flatten)]
    follow: Follow,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Connect this reader to a site: shows a short code that you confirm there
    #[command(after_help = "Example:\n  apogee watch login --server https://stats.example.org")]
    Login {
        /// The site that will get your events
        #[arg(long, value_name = "URL", env = "APOGEE_SERVER")]
        server: String,
        /// Language of what is shown: en, de, es, fr, pl, ru, uk, zh [default: the system's]
        #[arg(long, value_name = "XX")]
        language: Option<Language>,
    },
    /// How the reader stands: its site, what waits, how the last upload went
    #[command(after_help = "Example:\n  apogee watch status")]
    Status {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
        /// Language of what is shown: en, de, es, fr, pl, ru, uk, zh [default: the system's]
        #[arg(long, value_name = "XX")]
        language: Option<Language>,
    },
}

#[derive(Debug, clap::Args)]
struct Follow {
    /// Logs, or folders of the game; without any, the usual places are looked at
    logs: Vec<PathBuf>,
    /// The site that gets the events; without one nothing leaves this machine
    #[arg(long, value_name = "URL", env = "APOGEE_SERVER")]
    server: Option<String>,
    /// Your ingest key for that site; `apogee watch login` fetches one
    #[arg(long, env = "APOGEE_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Read to the end and stop
    #[arg(long)]
    once: bool,
    /// Send nothing
    #[arg(long)]
    dry_run: bool,
    /// Print events as one JSON object a line
    #[arg(long)]
    json: bool,
    /// Open the reader's own page, on this machine alone
    #[arg(long)]
    open: bool,
    /// Language of what is shown: en, de, es, fr, pl, ru, uk, zh [default: the system's]
    #[arg(long, value_name = "XX")]
    language: Option<Language>,
    /// Only these types of events
    #[arg(long, value_name = "TYPE")]
    only: Vec<Selector>,
    /// Not these types of events
    #[arg(long, value_name = "TYPE")]
    hide: Vec<Selector>,
    /// Send lines that the reader does not understand, without names and numbers
    #[arg(long)]
    send_samples: bool,
}

/// `named` is the data directory when one was named; without one the reader keeps its things with the user's own.
pub fn run(settings: &Settings, is_dir_named: bool, args: Args) -> Result<(), CliError> {
    let home = home(is_dir_named.then_some(settings.data_dir.as_path()));
    match args.act {
        Some(Act::Login { server, language }) => log_in(&home, &server, language),
        Some(Act::Status { json, language }) => tell_status(&home, json, language),
        None => follow(home, &args.follow),
    }
}

fn follow(home: PathBuf, args: &Follow) -> Result<(), CliError> {
    if !args.once {
        ask_for_small_pages();
    }
    let mut settings = ReaderSettings::load(&home)?;
    if let Some(url) = running_page(&home).filter(|_| args.open) {
        // A second double click wants to see the page, not a second reader.
        eprintln!("{}", Words::of(settings.language()).say("page_at", &[("url", &url)]));
        browser::open(&url);
        return Ok(());
    }
    let remembered = settings.clone();
    take_flags(&mut settings, args)?;
    let words = Words::of(settings.language());
    let site = settings.site().filter(|_| !args.dry_run);
    let is_new = site.as_ref().is_some_and(|site| !privacy::is_shown(&folder_of(&home, Some(site))));
    // On the page its user agrees; a terminal is told before anything is sent.
    if let (true, false, Some(site)) = (is_new, args.open, &site) {
        for line in privacy::notice(&words, &site.url) {
            eprintln!("{line}");
        }
        privacy::set_shown(&folder_of(&home, Some(site)))?;
    }
    if site.is_none() && !args.dry_run && !args.open && !args.once {
        eprintln!("{}", words.say("no_site", &[]));
    }
    let output = Output::of(args.json, words.clone());
    let filter = filter_of(&settings, args);
    if args.once {
        let logs = match &settings.logs[..] {
            [] => find(&Roots::of_this_machine()),
            paths => paths.iter().flat_map(|path| named(path)).collect(),
        };
        let once = Once { filter, server: site, tries: TRIES, pace: Pace::default() };
        return block_on(async {
            let mut output = output;
            read_once(&logs, &once, &mut output).await?;
            Ok(())
        });
    }
    if settings.logs.is_empty() && !args.open && find(&Roots::of_this_machine()).is_empty() {
        return Err(WatchError::NoLogs.into());
    }
    let desk = Arc::new(Desk::new(home.clone(), remembered, settings, filter.into(), args.dry_run));
    block_on(async {
        let stopper = Arc::clone(&desk);
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                stopper.stop();
            }
        });
        let page = args.open.then(|| page::serve(desk.clone())).transpose()?;
        if let Some(page) = &page {
            eprintln!("{}", words.say("page_at", &[("url", &page.url)]));
            note_page(&home, Some(&page.url))?;
            browser::open(&page.url);
        }
        let result = desk.run(Arc::new(Mutex::new(output))).await;
        if let Some(page) = page {
            page.stop().await;
            note_page(&home, None)?;
        }
        Ok(result?)
    })
}

/// What the allocator reads at its very start, and nowhere later.
#[cfg(target_os = "linux")]
const SMALL_PAGES: &str = "MIMALLOC_ALLOW_THP";

/// Huge pages make a site quicker, and a reader four times as large for nothing. The allocator asks its variable only
/// when the program begins, so the program begins anew, in the same process; where that fails it goes on as it is.
#[cfg(target_os = "linux")]
fn ask_for_small_pages() {
    use std::os::unix::process::CommandExt;
    if std::env::var_os(SMALL_PAGES).is_some() {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let error = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(SMALL_PAGES, "0").exec();
        tracing::debug!(%error, "the reader goes on with large pages");
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_small_pages() {}

/// Flags win over what is remembered, for this run.
fn take_flags(settings: &mut ReaderSettings, args: &Follow) -> Result<(), CliError> {
    if !args.logs.is_empty() {
        let absolute = args.logs.iter().map(std::path::absolute).collect::<Result<Vec<_>, _>>()?;
        settings.logs = absolute;
    }
    if let Some(language) = args.language {
        settings.language = Some(language.code_and_name().0.to_owned());
    }
    settings.sends_samples |= args.send_samples;
    let origin = args.server.as_deref().map(|typed| {
        origin_of(typed).ok_or_else(|| {
            CliError::Usage(format!("--server takes an address such as https://example.org, not '{typed}'"))
        })
    });
    let origin = origin.transpose()?;
    match (origin, &args.key) {
        _ if args.dry_run => {}
        (None, None) => {}
        (Some(origin), Some(key)) => {
            (settings.server, settings.key) = (Some(origin), Some(key.trim().to_owned()));
        }
        // The remembered key is for the remembered site alone.
        (Some(origin), None) if settings.server.as_ref() == Some(&origin) && settings.key.is_some() => {}
        (Some(origin), None) => {
            return Err(CliError::Usage(format!(
                "--server wants --key, or a login: run apogee watch login --server {origin}"
            )));
        }
        (None, Some(_)) => return Err(CliError::Usage("--key wants --server".into())),
    }
    Ok(())
}

fn filter_of(settings: &ReaderSettings, args: &Follow) -> Filter {
    let mut filter = settings.filter();
    if !args.only.is_empty() || !args.hide.is_empty() {
        filter = Filter {
            only: args.only.iter().copied().collect::<BTreeSet<_>>(),
            hide: args.hide.iter().copied().collect(),
        };
    }
    filter
}

fn log_in(home: &Path, typed: &str, language: Option<Language>) -> Result<(), CliError> {
    let origin = origin_of(typed).ok_or_else(|| {
        CliError::Usage(format!("--server takes an address such as https://example.org, not '{typed}'"))
    })?;
    let mut settings = ReaderSettings::load(home)?;
    let words = Words::of(language.unwrap_or_else(|| settings.language()));
    block_on(async {
        let login = Login::start(&origin, &machine_name()).await?;
        eprintln!("{}", words.say("login_code", &[("code", &login.code)]));
        eprintln!("{}", words.say("login_open", &[("url", &login.confirm_url)]));
        browser::open(&login.confirm_url);
        let key = login.wait(&origin).await.map_err(|error| match error {
            LoginError::Refused => CliError::Failed(words.say("login_refused", &[])),
            LoginError::Expired => CliError::Failed(words.say("login_expired", &[])),
            other => other.into(),
        })?;
        (settings.server, settings.key) = (Some(origin.clone()), Some(key));
        settings.save(home)?;
        for line in privacy::notice(&words, &origin) {
            eprintln!("{line}");
        }
        privacy::set_shown(&folder_of(home, settings.site().as_ref()))?;
        println!("{}", words.say("login_done", &[("server", &origin)]));
        Ok(())
    })
}

fn tell_status(home: &Path, is_json: bool, language: Option<Language>) -> Result<(), CliError> {
    let settings = ReaderSettings::load(home)?;
    let site = settings.site();
    let status = status(&folder_of(home, site.as_ref()))?;
    let found = if settings.logs.is_empty() { find(&Roots::of_this_machine()) } else { settings.logs.clone() };
    let logs: Vec<String> = live_logs(&found).iter().map(|log| log.display().to_string()).collect();
    if is_json {
        let told = serde_json::json!({ "server": site.map(|site| site.url), "logs": logs, "status": status });
        println!("{told}");
        return Ok(());
    }
    let words = Words::of(language.unwrap_or_else(|| settings.language()));
    let tell = |key: &str, values: &[(&str, &str)]| println!("{}", words.say(key, values));
    match &site {
        Some(Server { url, .. }) => tell("status_site", &[("server", url)]),
        None => tell("status_no_site", &[]),
    }
    tell(if status.is_running { "status_running" } else { "status_stopped" }, &[]);
    for log in &logs {
        tell("status_log", &[("path", log)]);
    }
    let counts = [status.queue.waiting, status.queue.sent, status.queue.logs].map(|count| count.to_string());
    tell("status_counts", &[("waiting", &counts[0]), ("sent", &counts[1]), ("logs", &counts[2])]);
    if settings.is_paused {
        tell("paused", &[]);
    }
    match status.last_upload {
        None => tell("status_never", &[]),
        Some(last) => {
            let time = jiff::Timestamp::from_millisecond(last.at.0).map(|at| at.to_string()).unwrap_or_default();
            match last.error {
                None => tell("status_last_ok", &[("time", &time)]),
                Some(error) => tell("status_last_error", &[("time", &time), ("error", &error)]),
            }
        }
    }
    Ok(())
}

/// Where events and notes go: one JSON object a line, or a feed for people.
enum Output {
    Lines(JsonLines<Stdout, Stderr>),
    Feed(Feed<Stdout>),
}

/// Colours are for terminals that understand them and for people who want them.
fn takes_colours(is_terminal: bool) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // The old console of Windows shows the marks themselves.
    let understands = !cfg!(windows) || is_set("WT_SESSION") || is_set("TERM");
    is_terminal && understands && !is_set("NO_COLOR")
}

impl Output {
    fn of(is_json: bool, words: Words) -> Self {
        if is_json {
            let notes = Feed::new(stderr(), words, takes_colours(stderr().is_terminal()));
            return Self::Lines(JsonLines::new(stdout(), notes));
        }
        Self::Feed(Feed::new(stdout(), words, takes_colours(stdout().is_terminal())))
    }
}

impl Sink for Output {
    fn event(&mut self, event: &Event) {
        match self {
            Self::Lines(lines) => lines.event(event),
            Self::Feed(feed) => feed.event(event),
        }
    }

    fn note(&mut self, note: &Note) {
        match self {
            Self::Lines(lines) => lines.note(note),
            Self::Feed(feed) => feed.note(note),
        }
    }
}

//! `apogee watch`

use std::collections::BTreeSet;
use std::io::{IsTerminal, Stderr, Stdout, stderr, stdout};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::config::Settings;
use crate::domain::events::Event;
use crate::watch::feed::{Feed, JsonLines};
use crate::watch::filter::{Filter, Selector};
use crate::watch::installs::{Roots, find};
use crate::watch::once::{Once, read_once};
use crate::watch::run::{Control, QUEUE_LIMIT, Watch, run as follow};
use crate::watch::upload::Pace;
use crate::watch::words::{Language, Words};
use crate::watch::{Note, Server, Sink, privacy};

use super::{CliError, block_on};

/// How often an upload of `--once` is tried before giving up.
const TRIES: u32 = 5;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Logs, or folders of the game; without any, the usual places are looked at
    logs: Vec<PathBuf>,
    /// The site that gets the events; without one nothing leaves this machine
    #[arg(long, value_name = "URL", env = "APOGEE_SERVER")]
    server: Option<String>,
    /// Your ingest key for that site
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
    /// Language of what is shown: en, de, es, fr, pl, ru, uk, zh
    #[arg(long, value_name = "XX", default_value = "en")]
    language: Language,
    /// Only these types of events
    #[arg(long, value_name = "TYPE")]
    only: Vec<Selector>,
    /// Not these types of events
    #[arg(long, value_name = "TYPE")]
    hide: Vec<Selector>,
}

pub fn run(settings: Settings, args: Args) -> Result<(), CliError> {
    let server = server(&args)?;
    let logs = if args.logs.is_empty() { find(&Roots::of_this_machine()) } else { args.logs.clone() };
    let filter =
        Filter { only: args.only.iter().copied().collect::<BTreeSet<_>>(), hide: args.hide.iter().copied().collect() };
    if let Some(server) = &server {
        tell_once(&settings, &args, server)?;
    }
    if args.once {
        let once = Once { filter, server, tries: TRIES, pace: Pace::default() };
        return block_on(async {
            read_once(&logs, &once, &mut Output::of(&args)).await?;
            Ok(())
        });
    }
    let folder = settings.data_dir.join("reader").join(folder_name(server.as_ref()));
    let watch =
        Watch { logs, filter, server, folder, with_backups: true, queue_limit: QUEUE_LIMIT, pace: Pace::default() };
    block_on(async {
        let control = Arc::new(Control::default());
        let stopper = Arc::clone(&control);
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                stopper.stop();
            }
        });
        follow(watch, Arc::new(Mutex::new(Output::of(&args))), control).await?;
        Ok(())
    })
}

fn server(args: &Args) -> Result<Option<Server>, CliError> {
    match (&args.server, &args.key) {
        _ if args.dry_run => Ok(None),
        (None, None) => Ok(None),
        (Some(url), Some(key)) => {
            Ok(Some(Server { url: url.trim_end_matches('/').to_owned(), key: key.trim().to_owned() }))
        }
        (Some(_), None) => Err(CliError::Usage(
            "--server wants --key: make one on the site's Connect App page, or with apogee key create".into(),
        )),
        (None, Some(_)) => Err(CliError::Usage("--key wants --server".into())),
    }
}

/// Says what is sent and what never is, before the first upload to a site.
fn tell_once(settings: &Settings, args: &Args, server: &Server) -> Result<(), CliError> {
    let folder = settings.data_dir.join("reader").join(folder_name(Some(server)));
    if privacy::is_shown(&folder) {
        return Ok(());
    }
    for line in privacy::notice(&Words::of(args.language), &server.url) {
        eprintln!("{line}");
    }
    privacy::set_shown(&folder)?;
    Ok(())
}

/// One folder a site, named so that any file system takes it.
fn folder_name(server: Option<&Server>) -> String {
    let url = server.map_or("local", |server| server.url.as_str());
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    host.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' }).collect()
}

/// Where events and notes go: one JSON object a line, or a feed for people.
enum Output {
    Lines(JsonLines<Stdout, Stderr>),
    Feed(Feed<Stdout>),
}

impl Output {
    fn of(args: &Args) -> Self {
        let words = Words::of(args.language);
        if args.json {
            let notes = Feed::new(stderr(), words, stderr().is_terminal());
            return Self::Lines(JsonLines::new(stdout(), notes));
        }
        Self::Feed(Feed::new(stdout(), words, stdout().is_terminal()))
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

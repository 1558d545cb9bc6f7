//! The log reader that people leave running: finds the game's logs, follows them, shows and uploads their events.
//! The command line calls it, and the reader's own page.
//! Never here: what a line means (that is `gamelog`), statistics, and anything that leaves the machine unasked.

pub mod browser;
pub mod dashboard;
pub mod feed;
pub mod filter;
pub mod follow;
pub mod grammar_store;
pub mod installs;
pub mod log_file;
pub mod login;
pub mod once;
pub mod page;
pub mod privacy;
pub mod queue;
pub mod read_ahead;
pub mod run;
pub mod service;
pub mod settings;
pub mod status;
pub mod summary;
pub mod unknown_lines;
pub mod upload;
pub mod words;

mod append_log;
mod open_log;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use crate::domain::events::{Event, EventKind};

/// Where events go and how the site knows whose reader it is.
#[derive(Debug, Clone)]
pub struct Server {
    /// The site's origin, without a path.
    pub url: String,
    /// The ingest key; never shown.
    pub key: String,
}

/// What a reader has to say besides events.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// A log is read from here on.
    Reading(PathBuf),
    /// There is no log yet; the reader waits for the game.
    Waiting(PathBuf),
    Uploaded {
        accepted: u64,
        duplicates: u64,
    },
    /// The site did not take an event, and why.
    Rejected {
        event_id: Option<String>,
        error: String,
    },
    /// So many events are ahead of the site's clock; they are kept and sent later.
    AheadOfClock(u64),
    /// The site is not reached; the next try is in so many seconds.
    Retry {
        error: String,
        secs: u64,
    },
    /// The site does not know the key (any more); what was read is kept.
    KeyRejected {
        error: String,
    },
    /// So many lines begin like known ones and go on unknown: the game has changed.
    UnknownShapes(u64),
    /// Events of a log that never says whose it is; no site can take them.
    Nameless(u64),
    /// The queue is full: reading waits until something is uploaded.
    QueueFull,
    /// So many events wait to be uploaded.
    Queued(u64),
    /// A file cannot be read.
    Unreadable {
        path: PathBuf,
        error: String,
    },
}

/// Who is told what the reader finds: a terminal, a page, a test.
pub trait Sink: Send {
    fn event(&mut self, event: &Event);
    fn note(&mut self, note: &Note);

    /// The first failure to write events, once; a reader whose output is gone stops.
    fn failure(&mut self) -> Option<std::io::Error> {
        None
    }
}

/// Stops a reader whose output cannot be written.
fn check_output(sink: &mut dyn Sink) -> Result<(), ReaderError> {
    sink.failure().map_or(Ok(()), |error| Err(ReaderError::Output(error)))
}

/// A site can take the event: whose it is is known where it has to be.
pub fn is_uploadable(event: &Event) -> bool {
    match event.identifier.kind() {
        EventKind::Kill => event.victim.is_some(),
        EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction => true,
        _ => event.player_name.is_some(),
    }
}

/// Why a reader stops.
#[derive(Debug, thiserror::Error)]
pub enum ReaderError {
    #[error("{path} cannot be {what}: {source}")]
    File { path: PathBuf, what: &'static str, source: std::io::Error },
    #[error("another reader already uses {0}: stop it first, or name another folder")]
    InUse(PathBuf),
    #[error("no Game.log was found: name the file, or the folder of the game (…/StarCitizen/LIVE)")]
    NoLogs,
    #[error("the grammar of this program is broken: {0}")]
    Grammar(#[from] crate::gamelog::GrammarError),
    #[error("the events could not be uploaded: {0}")]
    Upload(#[from] upload::UploadError),
    #[error("the site did not take {0} events; the next run sends them again")]
    Refused(u64),
    #[error("the feed cannot be written: {0}")]
    Output(std::io::Error),
    #[error("the reader's page cannot be served: {0}")]
    Page(std::io::Error),
    #[error("the thread that follows the logs failed: {0}")]
    Thread(String),
}

impl ReaderError {
    /// Names the file a failed act was about.
    pub(crate) fn file(path: impl Into<PathBuf>, what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, what, source }
    }
}

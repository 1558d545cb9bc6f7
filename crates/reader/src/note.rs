//! Notes of a reader, and the sink that receives its events and notes.

use std::path::PathBuf;

use gamelog::LogFacts;
use gamelog::events::Event;
use serde::{Deserialize, Serialize};

use super::error::ReaderError;
use super::queue_state::{ForeignLog, QueueState};

/// A player whom nobody has claimed. The events of the player's logs wait for the claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnclaimedPlayer {
    pub handle: String,
    /// The page of the site on which a user claims the player.
    pub url: String,
}

/// Messages of a reader besides events.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// The reader has opened this log.
    Reading(PathBuf),
    /// The log does not exist yet. The reader waits for the game.
    Waiting(PathBuf),
    Uploaded {
        accepted: u64,
        duplicates: u64,
    },
    /// Nobody has claimed the player of a log. Its events wait in the queue for the claim.
    Unclaimed(UnclaimedPlayer),
    /// The handle of a player whose events no longer wait for a claim.
    Claimed(String),
    /// Another account has claimed the player of a log, which is not sent.
    ForeignLog(ForeignLog),
    /// The site rejected an event.
    Rejected {
        event_id: Option<String>,
        error: String,
    },
    /// Number of events ahead of the site's clock. They remain in the queue and are sent later.
    AheadOfClock(u64),
    /// The site is unreachable. The next attempt is in `secs` seconds.
    Retry {
        error: String,
        secs: u64,
    },
    /// The site does not accept the key. Events remain in the queue.
    KeyRejected {
        error: String,
    },
    /// Number of lines with a known tag and an unknown shape: the game may have been patched.
    UnknownShapes(u64),
    /// The timestamps of a log, or of most of its lines, cannot be read. `lines` is the number of such lines.
    Untimed {
        path: PathBuf,
        lines: u64,
    },
    /// Number of logs of a player that were read once and not sent, because this account has not claimed the player.
    LogsWithheld {
        handle: String,
        logs: u64,
    },
    /// Number of events in a log that never names its player. Sites do not accept them.
    Nameless(u64),
    /// The queue is full. Reading pauses until events are uploaded.
    QueueFull,
    /// The queue has changed.
    Queued(QueueState),
    /// A file cannot be read.
    Unreadable {
        path: PathBuf,
        error: String,
    },
}

/// A log that was read to its end once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEnd {
    pub facts: LogFacts,
    /// Its timestamps cannot be read.
    pub is_unreadable: bool,
    /// The site has all of its events that may be sent.
    pub is_sent: bool,
}

/// Receives events and notes: a terminal, a page, or a test.
pub trait Sink: Send {
    fn event(&mut self, event: &Event);

    /// Receives an event of the current log that was shown before the reader was restarted.
    fn seen(&mut self, _event: &Event) {}

    fn note(&mut self, note: &Note);

    /// `bytes` more of the current log were read to its end once.
    fn progress(&mut self, _bytes: u64) {}

    /// A log was read once.
    fn log_end(&mut self, _log: &LogEnd) -> Result<(), ReaderError> {
        Ok(())
    }

    /// Returns the first write error once. The reader then stops.
    fn failure(&mut self) -> Option<std::io::Error> {
        None
    }
}

/// Fails if the sink has had a write error.
pub(super) fn check_output(sink: &mut dyn Sink) -> Result<(), ReaderError> {
    sink.failure().map_or(Ok(()), |error| Err(ReaderError::Output(error)))
}

/// Names the events that a site rejected, with its reasons, and the number of those that are ahead of its clock.
pub(super) fn report_rejected(sink: &mut dyn Sink, early: usize, refused: Vec<(&Event, String)>) {
    for (event, error) in refused {
        sink.note(&Note::Rejected { event_id: event.event_id.clone(), error });
    }
    if early > 0 {
        sink.note(&Note::AheadOfClock(early as u64));
    }
}

//! Imports a folder of old logs: finds them, reads them for a summary, and uploads those of chosen players.
//! What is done is kept per log, so that the same command continues an import that was stopped.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use gamelog::catalogue;
use gamelog::evening::Evening;
use gamelog::events::{Event, EventKind, Identifier};
use gamelog::log_header::LogId;
use gamelog::times::{EpochMillis, HOUR_MS};
use serde::{Deserialize, Serialize};

use super::append_log::AppendLog;
use super::error::ReaderError;
use super::filter::Filter;
use super::grammar_store::GrammarStore;
use super::log_file::{LIVE_LOG, Log, first_line, logs_in};
use super::note::{LogEnd, Note, Sink};
use super::once::{OnceOptions, Summary, read_logs};
use super::queue;

const FOLDER: &str = "import";
const STATE_FILE: &str = "logs.ndjson";
/// Folders within folders are searched to this depth.
const MAX_DEPTH: u32 = 8;

/// A log of the folder, and what was done with it.
pub struct ImportLog {
    log: Log,
    id: LogId,
    pub bytes: u64,
    pub begun: Option<EpochMillis>,
    read: Option<ReadLog>,
    sent: Option<BTreeSet<Identifier>>,
}

impl ImportLog {
    fn apply(&mut self, done: Done) {
        match done {
            Done::Read(read) => self.read = Some(read),
            Done::Sent(shared) => self.sent = Some(shared),
        }
    }
}

/// What logs hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    pub universe_ms: i64,
    pub contracts: u64,
    pub kills: u64,
    pub deaths: u64,
    pub ships: BTreeSet<String>,
    pub builds: BTreeSet<String>,
}

impl Figures {
    fn add(&mut self, other: &Self) {
        self.universe_ms += other.universe_ms;
        self.contracts += other.contracts;
        self.kills += other.kills;
        self.deaths += other.deaths;
        self.ships.extend(other.ships.iter().cloned());
        self.builds.extend(other.builds.iter().cloned());
    }

    /// Adds what has ended.
    fn add_evening(&mut self, evening: &Evening) {
        self.universe_ms += evening.universe.ended_ms;
        self.contracts += evening.contracts_completed;
        self.kills += evening.player_kills + evening.npc_kills;
        self.deaths += evening.deaths;
    }

    pub fn hours(&self) -> i64 {
        self.universe_ms / HOUR_MS
    }
}

/// A log that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ReadLog {
    /// The local player that it names.
    handle: Option<String>,
    is_unreadable: bool,
    figures: Figures,
}

/// What was done with a log of this length and with this grammar.
#[derive(Serialize, Deserialize)]
struct Record {
    log: LogId,
    bytes: u64,
    grammar: u32,
    done: Done,
}

#[derive(Serialize, Deserialize)]
enum Done {
    Read(ReadLog),
    /// Sent with these kinds of events that are only sent if the player says so.
    Sent(BTreeSet<Identifier>),
}

/// The logs of one player.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayerLogs {
    pub handle: String,
    pub logs: u64,
    pub universe_ms: i64,
}

/// What all logs hold together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overview {
    pub figures: Figures,
    /// Logs that cannot be read.
    pub unreadable: u64,
    /// By number of logs.
    pub players: Vec<PlayerLogs>,
}

/// How far a pass over logs is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    pub total: u64,
    /// When the current log was begun.
    pub begun: Option<EpochMillis>,
    pub figures: Figures,
    /// Events of this pass.
    pub events: u64,
}

/// Shows the progress of a pass, and its notes.
pub trait Monitor: Send {
    fn progress(&mut self, progress: &Progress);
    fn note(&mut self, note: &Note);
}

/// An import of a folder for a site.
pub struct Import {
    pub logs: Vec<ImportLog>,
    /// Number of logs that cannot be opened.
    unopened: u64,
    state: AppendLog,
    grammars: Arc<GrammarStore>,
    /// Held as long as the import runs.
    _lock: File,
}

impl Import {
    /// Finds the logs in `folder` and what was done with them. `home` is the reader's folder for a site.
    pub fn open(folder: &Path, home: &Path, grammars: Arc<GrammarStore>) -> Result<Self, ReaderError> {
        let (mut logs, unopened) = find(folder)?;
        let home = home.join(FOLDER);
        let lock = queue::lock(&home)?;
        let mut known: BTreeMap<LogId, &mut ImportLog> = logs.iter_mut().map(|log| (log.id.clone(), log)).collect();
        let state = AppendLog::open(&home.join(STATE_FILE), |_, record: Record| {
            // A log that has grown, or that a newer grammar reads, is read and sent again. The site ignores what it has.
            if let Some(log) = known.get_mut(&record.log)
                && log.bytes == record.bytes
                && record.grammar == grammars.current().version()
            {
                log.apply(record.done);
            }
        })?;
        Ok(Self { logs, unopened, state, grammars, _lock: lock })
    }

    /// Reads the logs that were not read before. Returns early if the control is stopped.
    pub async fn read(&mut self, options: &OnceOptions, monitor: &mut dyn Monitor) -> Result<(), ReaderError> {
        let filter = Filter { shows_private: true, ..options.filter.clone() };
        let options = OnceOptions { server: None, filter, ..options.clone() };
        self.pass(&options, monitor, |log| log.read.is_none(), None).await.map(|_| ())
    }

    /// Sends the logs of these players, named by lower-case handles, that were not sent before. Returns early if the control is stopped.
    pub async fn send(
        &mut self,
        options: &OnceOptions,
        players: &BTreeSet<String>,
        monitor: &mut dyn Monitor,
    ) -> Result<Summary, ReaderError> {
        let shared: BTreeSet<Identifier> = options.filter.shared.iter().map(|kind| kind.identifier()).collect();
        let is_wanted = |log: &ImportLog| {
            let handle = log.read.as_ref().and_then(|read| read.handle.as_deref());
            let is_sent = log.sent.as_ref().is_some_and(|sent| sent.is_superset(&shared));
            !is_sent && handle.is_some_and(|handle| players.contains(&handle.to_ascii_lowercase()))
        };
        self.pass(options, monitor, is_wanted, Some(&shared)).await
    }

    /// Reads the logs that `is_wanted`, after those that are done. `shared` if they are sent.
    async fn pass(
        &mut self,
        options: &OnceOptions,
        monitor: &mut dyn Monitor,
        is_wanted: impl Fn(&ImportLog) -> bool,
        shared: Option<&BTreeSet<Identifier>>,
    ) -> Result<Summary, ReaderError> {
        let mut progress = Progress::default();
        let mut wanted = Vec::new();
        for log in &self.logs {
            progress.total += log.bytes;
            if is_wanted(log) {
                wanted.push(log.log.clone());
                continue;
            }
            progress.done += log.bytes;
            if let Some(read) = &log.read {
                progress.figures.add(&read.figures);
            }
        }
        let options = OnceOptions { grammars: Some(self.grammars.clone()), ..options.clone() };
        let mut pass = Pass {
            import: self,
            shared,
            current: None,
            evening: Evening::default(),
            figures: Figures::default(),
            progress,
            monitor,
        };
        read_logs(&wanted, &options, &mut pass).await
    }

    /// What the logs hold that are read.
    pub fn overview(&self) -> Overview {
        let mut overview = Overview { unreadable: self.unopened, ..Overview::default() };
        let mut players: BTreeMap<String, PlayerLogs> = BTreeMap::new();
        for log in &self.logs {
            overview.unreadable += u64::from(log.read.as_ref().is_none_or(|read| read.is_unreadable));
            let Some(read) = &log.read else { continue };
            overview.figures.add(&read.figures);
            if let Some(handle) = &read.handle {
                let player = players.entry(handle.to_ascii_lowercase()).or_default();
                player.handle.clone_from(handle);
                player.logs += 1;
                player.universe_ms += read.figures.universe_ms;
            }
        }
        overview.players = players.into_values().collect();
        overview.players.sort_by_key(|player| Reverse(player.logs));
        overview
    }
}

/// A pass over logs, which records what is done with each.
struct Pass<'a> {
    import: &'a mut Import,
    /// The kinds of events that are sent because the player says so, if the logs are sent.
    shared: Option<&'a BTreeSet<Identifier>>,
    /// The index of the current log.
    current: Option<usize>,
    /// Of the current log: its last run of the game, and what it holds so far.
    evening: Evening,
    figures: Figures,
    progress: Progress,
    monitor: &'a mut dyn Monitor,
}

impl Sink for Pass<'_> {
    fn event(&mut self, event: &Event) {
        self.progress.events += 1;
        match event.identifier.kind() {
            // Another run of the game in the same log.
            EventKind::Login => self.figures.add_evening(&std::mem::take(&mut self.evening)),
            EventKind::SeatEntered => {
                let ship = event.vehicle_name.as_deref().map(|class| catalogue::vehicle_name(class).into_owned());
                self.figures.ships.extend(ship);
            }
            _ => {}
        }
        self.evening.take(event);
    }

    fn note(&mut self, note: &Note) {
        match note {
            Note::Reading(path) => {
                self.current = self.import.logs.iter().position(|log| log.log.path == *path);
                self.progress.begun = self.current.and_then(|at| self.import.logs[at].begun);
                (self.evening, self.figures) = Default::default();
            }
            // Counted in the overview.
            Note::Untimed { .. } | Note::UnknownShapes(_) | Note::Nameless(_) => {}
            _ => self.monitor.note(note),
        }
    }

    fn progress(&mut self, bytes: u64) {
        self.progress.done += bytes;
        self.monitor.progress(&self.progress);
    }

    fn log_end(&mut self, end: &LogEnd) -> Result<(), ReaderError> {
        let Some(log) = self.current.and_then(|at| self.import.logs.get_mut(at)) else { return Ok(()) };
        let mut figures = std::mem::take(&mut self.figures);
        figures.add_evening(&std::mem::take(&mut self.evening));
        figures.builds.extend(end.facts.build.clone());
        self.progress.figures.add(&figures);
        let handle = end.facts.player().map(|handle| handle.to_string());
        let done = match self.shared {
            None => Some(Done::Read(ReadLog { handle, is_unreadable: end.is_unreadable, figures })),
            Some(shared) => end.is_sent.then(|| Done::Sent(shared.clone())),
        };
        if let Some(done) = done {
            let record = Record {
                log: log.id.clone(),
                bytes: log.bytes,
                grammar: self.import.grammars.current().version(),
                done,
            };
            self.import.state.append(&record, true)?;
            log.apply(record.done);
        }
        Ok(())
    }
}

/// The logs in a folder and the folders in it, oldest first, and the number of those that cannot be opened. Of several
/// copies of a log, the longest.
fn find(folder: &Path) -> Result<(Vec<ImportLog>, u64), ReaderError> {
    let (mut found, mut unopened) = (Vec::new(), 0);
    for path in logs_in(folder, MAX_DEPTH)? {
        let opened = File::open(&path).and_then(|mut file| Ok((first_line(&mut file)?, file.metadata()?.len())));
        let Ok((first, bytes)) = opened else {
            unopened += 1;
            continue;
        };
        // An empty file is no log.
        let Some(first) = first else { continue };
        let stamp = String::from_utf8_lossy(&first.stamp()).into_owned();
        let begun = stamp.strip_prefix('<').and_then(EpochMillis::parse_rfc3339);
        let log =
            ImportLog { log: Log { path, is_closed: true }, id: first.id(), bytes, begun, read: None, sent: None };
        found.push((stamp, log));
    }
    found.sort_by(|(a, one), (b, other)| (a, Reverse(one.bytes)).cmp(&(b, Reverse(other.bytes))));
    let mut ids = BTreeSet::new();
    let mut logs: Vec<ImportLog> =
        found.into_iter().map(|(_, log)| log).filter(|log| ids.insert(log.id.clone())).collect();
    let newest = logs.last_mut().ok_or(ReaderError::NoLogs)?;
    // The game may be writing it.
    newest.log.is_closed = !newest.log.path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(LIVE_LOG));
    Ok((logs, unopened))
}

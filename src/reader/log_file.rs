//! Finding log files, ordering them by time, and identifying them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub use crate::domain::log_header::LogId;
use crate::domain::log_header::{LogHeader, LogText};
use crate::domain::names::Handle;
use gamelog::LogFacts;

use super::error::ReaderError;

/// The name of the log that the game writes.
pub const LIVE_LOG: &str = "Game.log";
/// The folder with the logs of earlier runs, beside the log.
pub const BACKUPS: &str = "logbackups";
/// Maximum length of a first line.
const FIRST_LINE_MAX: usize = 4096;

/// A log to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub path: PathBuf,
    /// The log is complete.
    pub is_closed: bool,
}

/// Name and version of this reader in uploads.
const READER: &str = concat!("Apogee/", env!("CARGO_PKG_VERSION"));

/// The log that events come from, with what it said about itself when they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventSource {
    pub log: LogId,
    pub facts: LogFacts,
}

/// The local player that a log names, if the name is a valid handle.
pub(super) fn player_of(facts: &LogFacts) -> Option<Handle> {
    Handle::parse(facts.handle.as_deref()?).ok()
}

/// What a log says about itself, with the player that it named earlier: a new run of the game in the same log names none
/// before its login.
pub(super) fn merge_facts(earlier: LogFacts, later: LogFacts) -> LogFacts {
    LogFacts { handle: later.handle.or(earlier.handle), ..later }
}

impl EventSource {
    /// The header of an upload; `None` if the facts contain no time.
    pub fn header(&self) -> Option<LogHeader> {
        let facts = &self.facts;
        let text = |text: &Option<String>| text.as_deref().and_then(LogText::parse);
        Some(LogHeader {
            id: self.log.clone(),
            handle: player_of(facts),
            build: text(&facts.build),
            branch: text(&facts.branch),
            channel: text(&facts.channel),
            reader: LogText::parse(READER),
            first: facts.first?,
            last: facts.last.max(facts.first)?,
        })
    }
}

/// The complete first line of a log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FirstLine(Vec<u8>);

impl FirstLine {
    /// Reads the first line. Returns `None` if it is incomplete.
    pub fn of(file: &mut impl Read) -> std::io::Result<Option<Self>> {
        let mut head = Vec::new();
        file.take(FIRST_LINE_MAX as u64).read_to_end(&mut head)?;
        let end = memchr::memchr(b'\n', &head);
        Ok(match end {
            Some(end) => Some(Self(head[..end].to_vec())),
            None if head.len() == FIRST_LINE_MAX => Some(Self(head)),
            None => None,
        })
    }

    /// The id of the log: a hash of the line, which contains build and start time but no path, account or player.
    pub fn id(&self) -> LogId {
        LogId::of_hash(Sha256::digest(&self.0).into())
    }

    /// The timestamp of the line, as text. Timestamps sort as text in order of time.
    pub fn stamp(&self) -> Vec<u8> {
        let stamp = memchr::memchr(b'<', &self.0).map_or(&self.0[..0], |at| &self.0[at..]);
        stamp.iter().copied().filter(|&byte| byte != 0).take(25).collect()
    }
}

/// Expands paths to logs, oldest first. A folder or a `Game.log` expands to that log and, `with_backups`, to the
/// `logbackups` beside it; `logbackups` expands to its logs. Any other file is used alone.
pub fn logs_in_order(paths: &[PathBuf], with_backups: bool) -> Result<Vec<Log>, ReaderError> {
    let mut found = Vec::new();
    for path in paths {
        let is_live = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(LIVE_LOG)) && !path.is_dir();
        let folder = if is_live { path.parent() } else { Some(path.as_path()).filter(|path| path.is_dir()) };
        let Some(folder) = folder else {
            found.push(path.clone());
            continue;
        };
        if folder.file_name().is_some_and(|name| name == BACKUPS) {
            found.extend(logs_in(folder)?);
            continue;
        }
        let before = found.len();
        if with_backups {
            found.extend(backups_of(folder)?);
        }
        let live = if is_live { path.clone() } else { path.join(LIVE_LOG) };
        // A missing live log is an error, unless the game has moved it to the backups.
        if live.is_file() || (is_live && found.len() == before) {
            found.push(live);
        }
    }
    if found.is_empty() {
        return Err(ReaderError::NoLogs);
    }
    let mut dated = Vec::new();
    for path in found {
        let mut file = File::open(&path).map_err(ReaderError::file(&path, "read"))?;
        let first = FirstLine::of(&mut file).map_err(ReaderError::file(&path, "read"))?;
        dated.push((first.map(|line| line.stamp()).unwrap_or_default(), path));
    }
    dated.sort();
    dated.dedup();
    Ok(dated.into_iter().map(|(_, path)| Log { is_closed: is_backup(&path), path }).collect())
}

/// The files in the `logbackups` beside a live log.
pub fn backups_of(folder: &Path) -> Result<Vec<PathBuf>, ReaderError> {
    logs_in(&folder.join(BACKUPS))
}

/// The logs in a folder; none if it does not exist.
fn logs_in(folder: &Path) -> Result<Vec<PathBuf>, ReaderError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ReaderError::file(folder, "read")(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(ReaderError::file(folder, "read"))?.path();
        let is_log = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("log"));
        if is_log && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns true for a log that the game has moved, judged by its folder or name.
fn is_backup(path: &Path) -> bool {
    let in_backups = path.parent().and_then(Path::file_name).is_some_and(|name| name == BACKUPS);
    let is_named_so =
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("Game Build("));
    in_backups || is_named_so
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::times::EpochMillis;

    #[test]
    fn logs_are_read_oldest_first_by_their_timestamps() {
        let folder = tempfile::tempdir().unwrap();
        let backups = folder.path().join(BACKUPS);
        std::fs::create_dir(&backups).unwrap();
        let write =
            |path: &Path, stamp: &str| std::fs::write(path, format!("<{stamp}> BackupNameAttachment=\n")).unwrap();
        write(&backups.join("a.log"), "2026-05-02T21:01:51.390Z");
        write(&backups.join("b.log"), "2025-05-02T21:01:51.390Z");
        write(&backups.join("c.txt"), "2024-05-02T21:01:51.390Z");
        write(&folder.path().join(LIVE_LOG), "2026-06-02T21:01:51.390Z");
        let names = |path: PathBuf, with_backups: bool| -> Vec<(String, bool)> {
            let logs = logs_in_order(&[path], with_backups).unwrap();
            let name = |log: &Log| log.path.file_name().unwrap().to_str().unwrap().to_owned();
            logs.iter().map(|log| (name(log), log.is_closed)).collect()
        };
        let all = [("b.log".to_owned(), true), ("a.log".to_owned(), true), ("Game.log".to_owned(), false)];
        assert_eq!(names(folder.path().to_owned(), true), all);
        assert_eq!(names(folder.path().to_owned(), false), all[2..]);
        // A live log includes its backups; any other file is used alone.
        assert_eq!(names(folder.path().join(LIVE_LOG), true), all);
        assert_eq!(names(folder.path().join(LIVE_LOG), false), all[2..]);
        assert_eq!(names(backups.join("a.log"), true), all[1..2]);
        assert_eq!(names(backups.clone(), true), all[..2]);
        // Between two runs of the game there are only backups.
        std::fs::remove_file(folder.path().join(LIVE_LOG)).unwrap();
        assert_eq!(names(folder.path().join(LIVE_LOG), true), all[..2]);
        let missing = logs_in_order(&[folder.path().join(LIVE_LOG)], false).unwrap_err();
        assert!(missing.to_string().contains("Game.log"), "{missing}");
    }

    #[test]
    fn a_log_is_identified_by_its_first_line() {
        let id = |text: &str| FirstLine::of(&mut text.as_bytes()).unwrap().map(|line| line.id());
        assert_eq!(id("one\ntwo\n"), id("one\nthree"));
        assert_ne!(id("one\n"), id("two\n"));
        assert_eq!(id("half"), None);
    }

    #[test]
    fn the_header_contains_only_what_a_site_accepts() {
        let log = LogId::parse("a").unwrap();
        let source = |facts: LogFacts| EventSource { log: log.clone(), facts };
        assert_eq!(source(LogFacts::default()).header(), None);
        let facts = LogFacts {
            handle: Some("no handle".into()),
            build: Some("9687209".into()),
            branch: Some("x".repeat(65)),
            first: Some(EpochMillis(5)),
            ..LogFacts::default()
        };
        let header = source(facts).header().unwrap().to_string();
        assert_eq!(
            header,
            format!("id=a, build=9687209, reader=Apogee%2F{}, first=5, last=5", env!("CARGO_PKG_VERSION"))
        );
    }

    #[test]
    fn an_error_without_logs_names_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let error = logs_in_order(&[folder.path().to_owned()], true).unwrap_err();
        assert!(error.to_string().contains("LIVE"), "{error}");
    }
}

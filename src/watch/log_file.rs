//! Which files are logs, in which order they were written, and how one is known again.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::WatchError;

/// The log the game writes.
pub const LIVE_LOG: &str = "Game.log";
/// The folder beside it with the logs of earlier starts.
pub const BACKUPS: &str = "logbackups";
/// A first line is never longer than this.
const FIRST_LINE_MAX: usize = 4096;

/// A file that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub path: PathBuf,
    /// Nobody writes it any more.
    pub is_closed: bool,
}

/// What a log is known by wherever it lies: its first line, which names build and time of the start.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LogId(pub String);

/// The first line of a log, whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FirstLine(Vec<u8>);

impl FirstLine {
    /// `None` while the first line is not wholly written.
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

    /// What the log is known by.
    pub fn id(&self) -> LogId {
        LogId(Sha256::digest(&self.0)[..12].iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The stamp of the line, by which logs sort: its text sorts as its time does.
    pub fn stamp(&self) -> Vec<u8> {
        let stamp = memchr::memchr(b'<', &self.0).map_or(&self.0[..0], |at| &self.0[at..]);
        stamp.iter().copied().filter(|&byte| byte != 0).take(25).collect()
    }
}

/// The logs that paths stand for, oldest first. A folder stands for its `Game.log` and `logbackups`.
pub fn logs_in_order(paths: &[PathBuf]) -> Result<Vec<Log>, WatchError> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(backups_of(path)?);
            found.extend(Some(path.join(LIVE_LOG)).filter(|live| live.is_file()));
        } else {
            found.push(path.clone());
        }
    }
    if found.is_empty() {
        return Err(WatchError::NoLogs);
    }
    let mut dated = Vec::new();
    for path in found {
        let mut file = File::open(&path).map_err(WatchError::file(&path, "read"))?;
        let first = FirstLine::of(&mut file).map_err(WatchError::file(&path, "read"))?;
        dated.push((first.map(|line| line.stamp()).unwrap_or_default(), path));
    }
    dated.sort();
    dated.dedup();
    Ok(dated.into_iter().map(|(_, path)| Log { is_closed: is_backup(&path), path }).collect())
}

/// The files of the `logbackups` beside a live log.
pub fn backups_of(folder: &Path) -> Result<Vec<PathBuf>, WatchError> {
    let folder = folder.join(BACKUPS);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(WatchError::file(&folder, "read")(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(WatchError::file(&folder, "read"))?.path();
        let is_log = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("log"));
        if is_log && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A log that the game has put aside, by where it lies or by the name it was given.
fn is_backup(path: &Path) -> bool {
    let in_backups = path.parent().and_then(Path::file_name).is_some_and(|name| name == BACKUPS);
    let is_named_so =
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("Game Build("));
    in_backups || is_named_so
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_read_oldest_first_by_their_own_time() {
        let folder = tempfile::tempdir().unwrap();
        let backups = folder.path().join(BACKUPS);
        std::fs::create_dir(&backups).unwrap();
        let write =
            |path: &Path, stamp: &str| std::fs::write(path, format!("<{stamp}> BackupNameAttachment=\n")).unwrap();
        write(&backups.join("a.log"), "2026-05-02T21:01:51.390Z");
        write(&backups.join("b.log"), "2025-05-02T21:01:51.390Z");
        write(&backups.join("c.txt"), "2024-05-02T21:01:51.390Z");
        write(&folder.path().join(LIVE_LOG), "2026-06-02T21:01:51.390Z");
        let logs = logs_in_order(&[folder.path().to_owned()]).unwrap();
        let names: Vec<_> =
            logs.iter().map(|log| (log.path.file_name().unwrap().to_str().unwrap(), log.is_closed)).collect();
        assert_eq!(names, [("b.log", true), ("a.log", true), ("Game.log", false)]);
    }

    #[test]
    fn a_log_is_known_by_its_whole_first_line() {
        let id = |text: &str| FirstLine::of(&mut text.as_bytes()).unwrap().map(|line| line.id());
        assert_eq!(id("one\ntwo\n"), id("one\nthree"));
        assert_ne!(id("one\n"), id("two\n"));
        assert_eq!(id("half"), None);
    }

    #[test]
    fn without_any_log_the_remedy_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = logs_in_order(&[folder.path().to_owned()]).unwrap_err();
        assert!(error.to_string().contains("LIVE"), "{error}");
    }
}

//! Which files are logs, in which order they were written, and how one is known again.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::ReaderError;

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

/// The logs that paths stand for, oldest first. A folder and a `Game.log` stand for that log and, `with_backups`, for
/// the `logbackups` beside it; any other file stands for itself.
pub fn logs_in_order(paths: &[PathBuf], with_backups: bool) -> Result<Vec<Log>, ReaderError> {
    let mut found = Vec::new();
    for path in paths {
        let is_live = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(LIVE_LOG)) && !path.is_dir();
        let folder = if is_live { path.parent() } else { Some(path.as_path()).filter(|path| path.is_dir()) };
        let Some(folder) = folder else {
            found.push(path.clone());
            continue;
        };
        let before = found.len();
        if with_backups {
            found.extend(backups_of(folder)?);
        }
        let live = if is_live { path.clone() } else { path.join(LIVE_LOG) };
        // A named log that is not there is an error, unless the game has put it aside.
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

/// The files of the `logbackups` beside a live log.
pub fn backups_of(folder: &Path) -> Result<Vec<PathBuf>, ReaderError> {
    let folder = folder.join(BACKUPS);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ReaderError::file(&folder, "read")(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(ReaderError::file(&folder, "read"))?.path();
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
        let names = |path: PathBuf, with_backups: bool| -> Vec<(String, bool)> {
            let logs = logs_in_order(&[path], with_backups).unwrap();
            let name = |log: &Log| log.path.file_name().unwrap().to_str().unwrap().to_owned();
            logs.iter().map(|log| (name(log), log.is_closed)).collect()
        };
        let all = [("b.log".to_owned(), true), ("a.log".to_owned(), true), ("Game.log".to_owned(), false)];
        assert_eq!(names(folder.path().to_owned(), true), all);
        assert_eq!(names(folder.path().to_owned(), false), all[2..]);
        // A named live log stands for its backups too, any other file for itself.
        assert_eq!(names(folder.path().join(LIVE_LOG), true), all);
        assert_eq!(names(folder.path().join(LIVE_LOG), false), all[2..]);
        assert_eq!(names(backups.join("a.log"), true), all[1..2]);
        // Between two starts of the game there are only backups.
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
    fn an_error_without_logs_names_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let error = logs_in_order(&[folder.path().to_owned()], true).unwrap_err();
        assert!(error.to_string().contains("LIVE"), "{error}");
    }
}

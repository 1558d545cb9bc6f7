//! Finding log files, ordering them by time, and identifying them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use gamelog::upload::{FIRST_LINE_MAX, FirstLine};

use super::error::ReaderError;

/// The name of the log that the game writes.
pub const LIVE_LOG: &str = "Game.log";
/// The folder with the logs of earlier runs, beside the log.
pub const BACKUPS: &str = "logbackups";

/// A log to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub path: PathBuf,
    /// The log is complete.
    pub is_closed: bool,
}

/// Name and version of this reader in uploads.
pub(super) const READER: &str = concat!("Apogee/", env!("CARGO_PKG_VERSION"));

/// Reads the first line. Returns `None` if it is incomplete.
pub(super) fn first_line(file: &mut impl Read) -> std::io::Result<Option<FirstLine>> {
    let mut head = Vec::new();
    file.take(FIRST_LINE_MAX as u64).read_to_end(&mut head)?;
    Ok(FirstLine::of(&head))
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
            found.extend(logs_in(folder, 0)?);
            continue;
        }
        let before = found.len();
        let backups = folder.join(BACKUPS);
        if with_backups && backups.is_dir() {
            found.extend(logs_in(&backups, 0)?);
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
        let first = first_line(&mut file).map_err(ReaderError::file(&path, "read"))?;
        dated.push((first.map(|line| line.stamp()).unwrap_or_default(), path));
    }
    dated.sort();
    dated.dedup();
    Ok(dated.into_iter().map(|(_, path)| Log { is_closed: is_backup(&path), path }).collect())
}

/// The logs in a folder and, down to a depth, in the folders in it. Links to folders are not followed.
pub(super) fn logs_in(folder: &Path, depth: u32) -> Result<Vec<PathBuf>, ReaderError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(ReaderError::file(folder, "read"))? {
        let entry = entry.map_err(ReaderError::file(folder, "read"))?;
        let path = entry.path();
        if entry.file_type().map_err(ReaderError::file(folder, "read"))?.is_dir() {
            if depth > 0 {
                found.extend(logs_in(&path, depth - 1)?);
            }
        } else if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("log")) && path.is_file() {
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
    fn an_error_without_logs_names_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let error = logs_in_order(&[folder.path().to_owned()], true).unwrap_err();
        assert!(error.to_string().contains("LIVE"), "{error}");
    }
}

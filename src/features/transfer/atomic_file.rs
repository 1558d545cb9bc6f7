//! Files in the making: for their owner's eyes, under a name of their own until they are whole, gone when nobody writes them.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::store::snapshot;

/// How the name of every unfinished file ends.
const PARTIAL_SUFFIX: &str = ".partial";
/// What the copy of a database beside a backup is called.
pub const DATABASE_COPY_SUFFIX: &str = ".database";
/// What SQLite keeps beside a database while it writes to it.
const SQLITE_SIDE_SUFFIXES: [&str; 3] = ["-journal", "-wal", "-shm"];
/// A file that is younger may be about to be locked by whoever just made it.
const MIN_STALE_AGE: Duration = Duration::from_secs(60);

/// Whether the process is about to end: no unfinished file is made after [`remove_partial_files`] has removed those that exist.
static IS_STOPPING: Mutex<bool> = Mutex::new(false);

/// A file that is gone when this is dropped, or, after a kill, when the next one is made in its folder.
pub struct PartialFile {
    file: File,
    path: PathBuf,
}

impl PartialFile {
    /// Makes `.{name}{what}.partial` beside the file that it is for.
    pub fn beside(target: &Path, what: &str) -> io::Result<Self> {
        let path = partial_path(target, what).ok_or_else(|| io::Error::other("this names no file"))?;
        remove_stale_files(parent_dir(target));
        let is_stopping = IS_STOPPING.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_stopping {
            return Err(io::Error::other("the command is being stopped"));
        }
        let file = snapshot::open_private(&path)?;
        drop(is_stopping);
        match file.try_lock() {
            Ok(()) => file.set_len(0)?,
            Err(TryLockError::WouldBlock) => return Err(io::Error::other("another process is writing it right now")),
            Err(TryLockError::Error(why)) => return Err(why),
        }
        Ok(Self { file, path })
    }

    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // After `AtomicFile::finish` there is nothing under that name; after a failure nobody wants what there is.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A file that appears under its name once it is whole and on disk; only its owner may read it.
pub struct AtomicFile {
    partial: PartialFile,
    path: PathBuf,
}

impl AtomicFile {
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { partial: PartialFile::beside(path, "")?, path: path.to_owned() })
    }

    pub fn file(&mut self) -> &mut File {
        self.partial.file()
    }

    pub fn finish(self) -> io::Result<()> {
        self.partial.file.sync_all()?;
        std::fs::rename(&self.partial.path, &self.path)?;
        snapshot::sync_parent_dir(&self.path)
    }
}

/// Removes what a process that is about to end has begun to write in the place of a file; it can begin nothing more.
pub fn remove_partial_files(target: &Path) {
    *IS_STOPPING.lock().unwrap_or_else(PoisonError::into_inner) = true;
    for path in ["", DATABASE_COPY_SUFFIX].into_iter().filter_map(|what| partial_path(target, what)) {
        // It may not have been made yet. SQLite makes its files beside the copy at any moment, so they come last.
        let _ = std::fs::remove_file(&path);
        for beside in SQLITE_SIDE_SUFFIXES.iter().map(|ending| with_suffix(&path, ending)) {
            let _ = std::fs::remove_file(beside);
        }
    }
}

fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// `.{name}{what}.partial` beside a file.
fn partial_path(target: &Path, what: &str) -> Option<PathBuf> {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name()?);
    name.push(what);
    name.push(PARTIAL_SUFFIX);
    Some(target.with_file_name(name))
}

/// The folder of a file.
fn parent_dir(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes what processes that were killed left unfinished; whoever still writes holds a lock.
fn remove_stale_files(parent_dir: &Path) {
    let Ok(items) = std::fs::read_dir(parent_dir) else { return };
    for item in items.flatten() {
        let name = item.file_name();
        let is_unfinished = name.to_str().is_some_and(|n| n.starts_with('.') && n.ends_with(PARTIAL_SUFFIX));
        let age =
            item.metadata().and_then(|m| m.modified()).ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        if !is_unfinished || age.is_none_or(|age| age < MIN_STALE_AGE) {
            continue;
        }
        if let Ok(file) = File::options().write(true).open(item.path())
            && file.try_lock().is_ok()
        {
            for beside in SQLITE_SIDE_SUFFIXES.iter().map(|ending| with_suffix(&item.path(), ending)) {
                // Mostly there is none.
                let _ = std::fs::remove_file(beside);
            }
            // One that cannot be removed is in nobody's way: it has no final name.
            let _ = std::fs::remove_file(item.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_goes_with_the_next_file_and_what_is_being_written_stays() {
        let dir = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - 2 * MIN_STALE_AGE;
        let left = |name: &str| {
            let path = dir.path().join(name);
            let file = File::create(&path).unwrap();
            file.set_modified(old).unwrap();
            (path, file)
        };
        let (killed, _) = left(".a.tar.zst.partial");
        let (writing, held) = left(".b.tar.zst.partial");
        held.try_lock().unwrap();
        let (journal, _) = left(".a.tar.zst.partial-journal");
        let (foreign, _) = left("c.partial");
        let file = AtomicFile::create(&dir.path().join("d.tar.zst")).unwrap();
        assert!(!killed.exists() && !journal.exists() && writing.exists() && foreign.exists());
        file.finish().unwrap();
        assert!(dir.path().join("d.tar.zst").exists() && !dir.path().join(".d.tar.zst.partial").exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_what_is_written() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("all.ndjson");
        AtomicFile::create(&path).unwrap().finish().unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn two_processes_do_not_write_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let _first = AtomicFile::create(&path).unwrap();
        assert!(AtomicFile::create(&path).is_err());
    }
}

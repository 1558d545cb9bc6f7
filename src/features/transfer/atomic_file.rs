//! Atomic files: written under a temporary name, readable only by their owner, and renamed when complete.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::store::snapshot;

/// Suffix of partial files.
const PARTIAL_SUFFIX: &str = ".partial";
/// Suffix of the database copy beside a backup.
pub const DATABASE_COPY_SUFFIX: &str = ".database";
/// A younger partial file may not be locked by its writer yet.
const MIN_STALE_AGE: Duration = Duration::from_secs(60);
/// Time within which SQLite creates a file that it has decided to create.
const CREATION_TIME: Duration = Duration::from_millis(100);

/// Set by [`remove_partial_files`] before the process exits: no partial file is created after that.
static IS_STOPPING: Mutex<bool> = Mutex::new(false);

/// A file that appears under its final name once it is complete and synced. Only its owner can read it. Until then it has a temporary
/// name, and is removed on drop, or, after a kill, when the next one is created in the same directory.
pub struct AtomicFile {
    file: File,
    partial: PathBuf,
    path: PathBuf,
}

impl AtomicFile {
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::beside(path, "")
    }

    /// Creates `.{name}{infix}.partial` beside `target`. Without an infix it becomes `target`, otherwise it is temporary.
    pub fn beside(target: &Path, infix: &str) -> io::Result<Self> {
        let partial = partial_path(target, infix).ok_or_else(|| io::Error::other("the path has no file name"))?;
        remove_stale_files(snapshot::parent_dir(target));
        let is_stopping = IS_STOPPING.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_stopping {
            return Err(io::Error::other("the command is stopping"));
        }
        let file = snapshot::open_private(&partial)?;
        drop(is_stopping);
        match file.try_lock() {
            Ok(()) => file.set_len(0)?,
            Err(TryLockError::WouldBlock) => return Err(io::Error::other("another process is writing this file")),
            Err(TryLockError::Error(why)) => return Err(why),
        }
        Ok(Self { file, partial, path: target.to_owned() })
    }

    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// The path of the file until it is complete.
    pub fn partial_path(&self) -> &Path {
        &self.partial
    }

    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.partial, &self.path)?;
        snapshot::sync_parent_dir(&self.path)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After `AtomicFile::finish` the name no longer exists.
        let _ = std::fs::remove_file(&self.partial);
    }
}

/// Removes the partial files of `target` and prevents new ones. Called before the process exits.
pub fn remove_partial_files(target: &Path) {
    *IS_STOPPING.lock().unwrap_or_else(PoisonError::into_inner) = true;
    remove_existing(target);
    // SQLite creates its files without this lock: one that it was about to create exists after this time.
    std::thread::sleep(CREATION_TIME);
    remove_existing(target);
}

fn remove_existing(target: &Path) {
    for path in ["", DATABASE_COPY_SUFFIX].into_iter().filter_map(|infix| partial_path(target, infix)) {
        remove_with_side_files(&path);
    }
}

/// Removes a file that may not exist. SQLite recreates files beside its database, so they are removed last.
fn remove_with_side_files(path: &Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = std::fs::remove_file(name);
    }
}

/// `.{name}{infix}.partial` beside a file.
fn partial_path(target: &Path, infix: &str) -> Option<PathBuf> {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name()?);
    name.push(infix);
    name.push(PARTIAL_SUFFIX);
    Some(target.with_file_name(name))
}

/// Removes partial files of killed processes. A process that is still writing holds a lock.
fn remove_stale_files(dir: &Path) {
    let Ok(items) = std::fs::read_dir(dir) else { return };
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
            // A partial file that cannot be removed does no harm.
            remove_with_side_files(&item.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_partial_files_are_removed_and_locked_ones_remain() {
        let dir = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - 2 * MIN_STALE_AGE;
        let partial = |name: &str| {
            let path = dir.path().join(name);
            let file = File::create(&path).unwrap();
            file.set_modified(old).unwrap();
            (path, file)
        };
        let (killed, _) = partial(".a.tar.zst.partial");
        let (writing, held) = partial(".b.tar.zst.partial");
        held.try_lock().unwrap();
        let (journal, _) = partial(".a.tar.zst.partial-journal");
        let (foreign, _) = partial("c.partial");
        let file = AtomicFile::create(&dir.path().join("d.tar.zst")).unwrap();
        assert!(!killed.exists() && !journal.exists() && writing.exists() && foreign.exists());
        file.finish().unwrap();
        assert!(dir.path().join("d.tar.zst").exists() && !dir.path().join(".d.tar.zst.partial").exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("all.ndjson");
        AtomicFile::create(&path).unwrap().finish().unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_has_one_writer() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let _first = AtomicFile::create(&path).unwrap();
        assert!(AtomicFile::create(&path).is_err());
    }
}

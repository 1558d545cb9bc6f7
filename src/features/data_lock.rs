//! The lock of a data directory: one server or writing command at a time. On PostgreSQL, which has several writers, one command may
//! run beside the server, with a temporary search index.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::config::Settings;

/// The file in the data directory that is locked.
pub const NAME: &str = "apogee.lock";
/// The lock of the one command beside a server; its temporary search index follows.
pub const BESIDE: &str = "beside.lock";
const BESIDE_INDEX: &str = "search.beside";

/// Why the data directory could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("the data directory {dir} is in use by {holder}: stop it first, or name another with --data-dir")]
    Held { dir: String, holder: String },
    #[error("the data directory {dir} cannot be locked: {why}")]
    Io { dir: String, why: std::io::Error },
}

/// The lock is released when this is dropped or the process ends.
#[derive(Debug)]
pub struct DataLock {
    file: File,
    /// The temporary search index of a command beside a server.
    beside: Option<PathBuf>,
}

impl DataLock {
    /// Locks the data directory; `what` names the holder in the errors of others.
    pub fn take(settings: &Settings, what: &str) -> Result<Self, LockError> {
        let file = lock(&settings.data_dir, NAME, what)?;
        Ok(Self { file, beside: None })
    }

    /// The same for a command that may run beside a server on the same PostgreSQL database.
    pub fn take_or_beside(settings: &Settings, what: &str) -> Result<Self, LockError> {
        match Self::take(settings, what) {
            Err(LockError::Held { .. }) if !settings.database_url.starts_with("sqlite:") => {}
            outcome => return outcome,
        }
        let file = lock(&settings.data_dir, BESIDE, what)?;
        let index = settings.data_dir.join(BESIDE_INDEX);
        // Of a command that was killed.
        remove_dir(&index).map_err(|why| LockError::Io { dir: settings.data_dir.display().to_string(), why })?;
        Ok(Self { file, beside: Some(index) })
    }

    /// The directory of the holder's search index.
    pub fn index_dir(&self, settings: &Settings) -> PathBuf {
        self.beside.clone().unwrap_or_else(|| settings.index_dir())
    }
}

impl Drop for DataLock {
    fn drop(&mut self) {
        // Closing the file is not enough while a child process that is about to start has inherited it.
        let _ = self.file.unlock();
        if let Some(index) = &self.beside {
            // The next command removes what is left.
            let _ = remove_dir(index);
        }
    }
}

fn lock(dir: &Path, name: &str, what: &str) -> Result<File, LockError> {
    let io = |why| LockError::Io { dir: dir.display().to_string(), why };
    std::fs::create_dir_all(dir).map_err(io)?;
    let path = dir.join(name);
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = file.map_err(io)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = holder_of(&path).unwrap_or_else(|| "another process that just ended".into());
            return Err(LockError::Held { dir: dir.display().to_string(), holder });
        }
        Err(TryLockError::Error(why)) => return Err(io(why)),
    }
    file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
    writeln!(file, "{what} (process {})", std::process::id()).map_err(io)?;
    Ok(file)
}

/// Removes a directory, which may be missing.
pub fn remove_dir(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The current holder of the data directory.
pub fn holder(settings: &Settings) -> Option<String> {
    holder_of(&settings.data_dir.join(NAME))
}

fn holder_of(path: &Path) -> Option<String> {
    let mut file = File::options().read(true).write(true).open(path).ok()?;
    if file.try_lock().is_ok() {
        return None;
    }
    let mut holder = String::new();
    // The holder may be about to write its name.
    let _ = file.read_to_string(&mut holder);
    Some(if holder.trim().is_empty() { "another process".into() } else { holder.trim().to_owned() })
}

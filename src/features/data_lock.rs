//! One process at a time works with the data directory of a SQLite database. Processes on Postgres share theirs with none
//! and need no lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::config::Settings;

/// The file in the data directory that is locked.
pub const NAME: &str = "apogee.lock";

/// Why the data directory is not ours to use.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("the data directory {dir} is in use by {holder}: stop it first, or name another with --data-dir")]
    Held { dir: String, holder: String },
    #[error("the data directory {dir} cannot be locked: {why}")]
    Io { dir: String, why: std::io::Error },
}

/// Held until it is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct DataLock {
    _file: Option<File>,
}

impl DataLock {
    /// Takes the lock of the data directory; `what` tells others who holds it.
    pub fn take(settings: &Settings, what: &str) -> Result<Self, LockError> {
        if !settings.database_url.starts_with("sqlite:") {
            return Ok(Self { _file: None });
        }
        let dir = &settings.data_dir;
        let io = |why| LockError::Io { dir: dir.display().to_string(), why };
        std::fs::create_dir_all(dir).map_err(io)?;
        let mut file = open(&dir.join(NAME)).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = holder(settings).unwrap_or_else(|| "another process that just ended".into());
                return Err(LockError::Held { dir: dir.display().to_string(), holder });
            }
            Err(TryLockError::Error(why)) => return Err(io(why)),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
        writeln!(file, "{what} (process {})", std::process::id()).map_err(io)?;
        Ok(Self { _file: Some(file) })
    }
}

/// Who works with the data directory right now.
pub fn holder(settings: &Settings) -> Option<String> {
    let mut file = File::options().read(true).write(true).open(settings.data_dir.join(NAME)).ok()?;
    if file.try_lock().is_ok() {
        return None;
    }
    let mut holder = String::new();
    // Whoever holds it may be about to write its name.
    let _ = file.read_to_string(&mut holder);
    Some(if holder.trim().is_empty() { "another process".into() } else { holder.trim().to_owned() })
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

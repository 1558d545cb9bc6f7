//! Automatic backups of the running site.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{BackupError, backup};
use crate::app::App;
use crate::domain::times::HOUR_MS;
use crate::error::AppError;
use crate::features::leases::Lease;
use crate::features::secret;
use crate::store::snapshot;

const LEASE: &str = "backup";
const HOUR: Duration = Duration::from_secs(3_600);
/// Delay of the first backup after a start.
const FIRST_BACKUP_DELAY_MS: i64 = HOUR_MS;
const PREFIX: &str = "apogee-";
const SUFFIX: &str = ".tar.zst";

/// Writes a backup if one is due and removes excess ones. Returns the new backup.
pub async fn run_if_due(app: &Arc<App>) -> Result<Option<PathBuf>, BackupError> {
    let Ok(every @ 1..) = i64::try_from(app.settings.backups.every_hours) else { return Ok(None) };
    let dir = app.settings.backups.dir.clone();
    let now = app.store.now().0;
    if !is_due(now, newest_backup_ms(&dir), app.process.started_at.0, every * HOUR_MS) {
        return Ok(None);
    }
    // The lease outlasts the backup, so that no other process writes one until the next is due.
    let ttl = Duration::from_millis((every * HOUR_MS).unsigned_abs()) - HOUR / 2;
    let lease = Lease::with_holder(LEASE, ttl, secret::hex::<8>().map_err(AppError::internal)?);
    if lease.acquire(app).await?.is_none() {
        return Ok(None);
    }
    let made = create(app, dir).await;
    if !matches!(made, Ok(Some(_))) {
        lease.release(app).await?;
    }
    made
}

async fn create(app: &Arc<App>, dir: PathBuf) -> Result<Option<PathBuf>, BackupError> {
    let failed = |why| BackupError::File { path: dir.display().to_string(), why };
    std::fs::create_dir_all(&dir).map_err(failed)?;
    let path = dir.join(format!("{PREFIX}{}{SUFFIX}", jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ")));
    let (app, to, keep) = (Arc::clone(app), path.clone(), app.settings.backups.keep);
    let runtime = tokio::runtime::Handle::current();
    // Copying and compressing take minutes, so they run on a blocking thread.
    tokio::task::spawn_blocking(move || {
        if !snapshot::inspect(&app.settings.database_url)?.is_some_and(|state| state.has_data()) {
            return Ok(None);
        }
        let done = runtime.block_on(backup(&app.settings, &to, |_| {}))?;
        tracing::info!(file = %to.display(), players = done.players, events = done.events, "backup written");
        for old in excess_backups(&dir, keep) {
            match std::fs::remove_file(&old) {
                Ok(()) => tracing::info!(file = %old.display(), "old backup removed"),
                Err(why) => tracing::warn!(file = %old.display(), %why, "old backup could not be removed"),
            }
        }
        Ok(Some(to))
    })
    .await
    .map_err(AppError::internal)?
}

fn is_due(now: i64, newest: Option<i64>, started: i64, every: i64) -> bool {
    match newest {
        Some(at) => now - at >= every,
        None => now - started >= FIRST_BACKUP_DELAY_MS.min(every),
    }
}

/// Lists the automatic backups in a directory, oldest first, by their name pattern.
fn list_backups(dir: &Path) -> Vec<PathBuf> {
    let Ok(items) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut own: Vec<PathBuf> = items
        .flatten()
        .filter(|item| {
            let name = item.file_name();
            let date = name.to_str().and_then(|n| n.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
            date.is_some_and(|d| d.len() == 16 && d.bytes().all(|b| b.is_ascii_digit() || b == b'T' || b == b'Z'))
        })
        .map(|item| item.path())
        .collect();
    // Names contain the time.
    own.sort();
    own
}

fn excess_backups(dir: &Path, keep: usize) -> Vec<PathBuf> {
    let mut own = list_backups(dir);
    own.truncate(own.len().saturating_sub(keep));
    own
}

/// Time of the newest backup in a directory, in epoch milliseconds.
pub fn newest_backup_ms(dir: &Path) -> Option<i64> {
    let modified = std::fs::metadata(list_backups(dir).last()?).and_then(|meta| meta.modified()).ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Process;
    use crate::config::{Flags, Settings};
    use crate::domain::clock;
    use crate::domain::times::EpochMillis;
    use crate::features::bootstrap;
    use crate::store::players::{self, NewPlayer};

    #[test]
    fn backups_are_due_by_the_age_of_the_newest() {
        let day = 24 * HOUR_MS;
        assert!(!is_due(day, Some(HOUR_MS), 0, day), "23 hours old");
        assert!(is_due(day, Some(0), day, day), "also right after a start");
        assert!(!is_due(HOUR_MS / 2, None, 0, day), "none yet, just started");
        assert!(is_due(HOUR_MS, None, 0, day), "none yet");
    }

    #[tokio::test]
    async fn a_due_backup_is_written_once_and_excess_ones_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let flags = Flags::default().with("data-dir", dir.path().display().to_string());
        let mut settings = Settings::load(&flags).unwrap();
        settings.backups.keep = 2;
        let folder = settings.backups.dir.clone();
        let opened = tokio::task::spawn_blocking(move || bootstrap::open(settings, String::new())).await.unwrap();
        let mut app = opened.unwrap();
        app.process = Process::new("test".into(), EpochMillis(clock::now().0 - 2 * HOUR_MS));
        let app = Arc::new(app);
        assert_eq!(run_if_due(&app).await.unwrap(), None, "an empty site is not backed up");
        let new = NewPlayer {
            handle_folded: "ann-1".into(),
            handle: "Ann-1".into(),
            player_name: "Ann".into(),
            player_geid: None,
            guild_id: None,
            created_at: 1,
            is_listed: true,
        };
        app.store
            .write(move |tx| players::upsert(tx, std::slice::from_ref(&new)).map_err(AppError::from))
            .await
            .unwrap();
        for old in ["apogee-20250101T000000Z.tar.zst", "apogee-20250102T000000Z.tar.zst", "apogee-mine.tar.zst"] {
            let file = std::fs::File::create(folder.join(old)).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
        let made = run_if_due(&app).await.unwrap().unwrap();
        assert!(made.exists());
        let mut left: Vec<String> =
            std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        let newest = made.file_name().unwrap().to_str().unwrap();
        assert_eq!(left, ["apogee-20250102T000000Z.tar.zst", newest, "apogee-mine.tar.zst"]);
        assert_eq!(run_if_due(&app).await.unwrap(), None, "not due again");
        std::fs::remove_file(&made).unwrap();
        assert_eq!(run_if_due(&app).await.unwrap(), None, "the lease is still held");
    }
}

//! Restores a backup. The archive is unpacked and verified beside the data before anything is replaced.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::BackupError;
use super::archive::{
    ArchiveEntry, DATA_PREFIX, DATABASE_ENTRY, EXPORT_ENTRY, FORMAT_VERSION, HEADER_ENTRY, HashingReader, Header,
    MANIFEST_ENTRY, Manifest, UPLOADS_PREFIX,
};
use crate::app::App;
use crate::config::Settings;
use crate::domain::clock;
use crate::features::bootstrap;
use crate::features::data_lock::{DataLock, remove_dir};
use crate::features::transfer::{self, Dataset, FileFormat, LineReader, Progress};
use crate::files::{FileName, Files};
use crate::store::conn;
use crate::store::newest_migration;
use crate::store::snapshot::{self, StagingSchema};

/// Result of a restore.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RestoreSummary {
    pub players: i64,
    pub guilds: i64,
    pub events: i64,
    pub users: i64,
    pub uploads: usize,
    /// Ended sessions: all users sign in again.
    pub sessions_ended: usize,
    /// Ingest keys that cannot upload until they are confirmed.
    pub keys_for_review: usize,
    /// The previous database: a file or a schema.
    pub replaced: Option<String>,
}

/// Restores a backup. Without `force`, existing data is an error.
///
/// The archive is unpacked, verified and migrated beside the data. Replacing the data is one rename (SQLite) or one transaction
/// (PostgreSQL); the previous database is moved aside.
pub async fn restore(
    settings: Settings,
    path: &Path,
    force: bool,
    mut progress: impl FnMut(Progress) + Send + 'static,
) -> Result<RestoreSummary, BackupError> {
    let lock = DataLock::take(&settings, "apogee restore").map_err(|e| BackupError::Refused(e.to_string()))?;
    refuse_overwriting(&settings, force).await?;
    let failed = |why| BackupError::File { path: settings.data_dir.display().to_string(), why };
    std::fs::create_dir_all(&settings.data_dir).map_err(failed)?;
    let unpack_dir = UnpackDir::new(&settings.data_dir).map_err(failed)?;
    let manifest = unpack(path, &unpack_dir.0, &mut progress)?;
    let new = prepare(&settings, &unpack_dir.0, progress).await?;
    let (sessions_ended, keys_for_review) = snapshot::revoke_access(&new.url(), clock::now().0)?;
    let mut done = RestoreSummary {
        players: manifest.players,
        guilds: manifest.guilds,
        events: manifest.events,
        users: manifest.users,
        sessions_ended,
        keys_for_review,
        uploads: restore_files(&settings, &manifest, &unpack_dir.0).await?,
        replaced: None,
    };
    match new {
        PreparedDatabase::File { from, to } => {
            done.replaced = move_aside(&to).map_err(failed)?.map(|previous| previous.display().to_string());
            std::fs::rename(&from, &to).map_err(failed)?;
            snapshot::sync_parent_dir(&to).map_err(failed)?;
        }
        PreparedDatabase::Schema(schema) => {
            let previous = format!("before_restore_{}", clock::now().0);
            done.replaced = schema.swap(&previous)?.then(|| format!("the schema {previous}"));
        }
    }
    // The index of the previous database; the next start rebuilds it.
    remove_dir(&settings.index_dir()).map_err(failed)?;
    drop(lock);
    Ok(done)
}

/// A complete database that is ready to replace the current one.
enum PreparedDatabase {
    File { from: PathBuf, to: PathBuf },
    Schema(StagingSchema),
}

impl PreparedDatabase {
    fn url(&self) -> String {
        match self {
            Self::File { from, .. } => format!("sqlite:{}", from.display()),
            Self::Schema(schema) => schema.url(),
        }
    }
}

/// Converts the database of an unpacked archive to the configured database, beside the current one.
async fn prepare(
    settings: &Settings,
    unpack_dir: &Path,
    progress: impl FnMut(Progress) + Send + 'static,
) -> Result<PreparedDatabase, BackupError> {
    let database = unpack_dir.join(DATABASE_ENTRY);
    let lines = unpack_dir.join(EXPORT_ENTRY);
    // The index and markers of the import are written beside the data as well.
    let beside =
        |database_url: String| Settings { data_dir: unpack_dir.join("work"), database_url, ..settings.clone() };
    match conn::sqlite_path(&settings.database_url) {
        Some(to) if database.exists() => Ok(PreparedDatabase::File { from: database, to }),
        Some(to) => {
            let loaded = unpack_dir.join("loaded.db");
            load_lines(beside(format!("sqlite:{}", loaded.display())), &lines, progress).await?;
            snapshot::copy_sqlite(&loaded, &database)?;
            Ok(PreparedDatabase::File { from: database, to })
        }
        None if database.exists() => Err(BackupError::Refused(
            "the archive contains a SQLite database, but PostgreSQL is configured: restore it into an empty directory \
             with --database-url sqlite:PATH, then use `apogee export all` and `apogee import all`. Nothing was changed."
                .into(),
        )),
        None => {
            let schema = StagingSchema::create(&settings.database_url, "apogee_restore")?;
            load_lines(beside(schema.url()), &lines, progress).await?;
            Ok(PreparedDatabase::Schema(schema))
        }
    }
}

/// Restores uploads and small files. Returns the number of uploads.
async fn restore_files(settings: &Settings, manifest: &Manifest, unpack_dir: &Path) -> Result<usize, BackupError> {
    let failed = |why| BackupError::File { path: settings.data_dir.display().to_string(), why };
    let files = Files::open(&settings.uploads_url)?;
    let mut uploads = 0;
    for entry in &manifest.files {
        let from = unpack_dir.join(&entry.path);
        if let Some(name) = entry.path.strip_prefix(UPLOADS_PREFIX).and_then(FileName::parse) {
            let bytes = std::fs::read(&from).map_err(failed)?;
            files.put_named(&name, bytes.into()).await?;
            uploads += 1;
        } else if let Some(name) = entry.path.strip_prefix(DATA_PREFIX) {
            let to = settings.data_dir.join(name);
            // Existing settings of this machine are not replaced.
            if name != "apogee.toml" || !to.exists() {
                std::fs::create_dir_all(to.parent().unwrap_or(&settings.data_dir)).map_err(failed)?;
                std::fs::rename(&from, &to).map_err(failed)?;
            }
        }
    }
    Ok(uploads)
}

async fn refuse_overwriting(settings: &Settings, force: bool) -> Result<(), BackupError> {
    match snapshot::inspect(&settings.database_url)? {
        Some(state) if state.has_data() && !force => Err(BackupError::Refused(
            "the database contains data: choose an empty directory with --data-dir, or replace the data with --force"
                .into(),
        )),
        Some(_) if is_in_use(settings).await? => Err(BackupError::Refused(
            "another apogee process uses this database: stop it first. Nothing was changed.".into(),
        )),
        _ => Ok(()),
    }
}

/// Whether another process is connected to a PostgreSQL database. Connections of a process that just ended may take a moment to
/// disappear.
async fn is_in_use(settings: &Settings) -> Result<bool, BackupError> {
    for _ in 0..10 {
        if snapshot::other_connections(&settings.database_url)? == 0 {
            return Ok(false);
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    Ok(true)
}

/// Directory of the unpacked archive, on the same disk as the data. Removed on drop.
struct UnpackDir(PathBuf);

impl UnpackDir {
    fn new(data_dir: &Path) -> std::io::Result<Self> {
        let path = data_dir.join("restore.partial");
        remove_dir(&path)?;
        std::fs::create_dir_all(&path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))?;
        }
        Ok(Self(path))
    }
}

impl Drop for UnpackDir {
    fn drop(&mut self) {
        // The next restore removes leftovers.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Unpacks and verifies an archive.
fn unpack(path: &Path, to: &Path, progress: &mut impl FnMut(Progress)) -> Result<Manifest, BackupError> {
    let refused = |why: String| BackupError::Archive { path: path.display().to_string(), why };
    let damaged = |e: std::io::Error| refused(format!("the archive is damaged or truncated ({e})"));
    let mut file = File::open(path).map_err(|why| BackupError::File { path: path.display().to_string(), why })?;
    let total = file.seek(std::io::SeekFrom::End(0)).and_then(|n| file.rewind().map(|()| n)).map_err(damaged)?;
    if total == 0 {
        return Err(refused("the archive is empty".into()));
    }
    let position = file.try_clone().map_err(damaged)?;
    let decoder = zstd::Decoder::new(file).map_err(damaged)?;
    let mut tar = tar::Archive::new(decoder);
    let mut found: HashMap<String, ArchiveEntry> = HashMap::new();
    let mut manifest: Option<Manifest> = None;
    let mut is_first = true;
    for entry in tar.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let name = entry.path().map_err(damaged)?.to_string_lossy().into_owned();
        if std::mem::take(&mut is_first) {
            let mut text = String::new();
            entry.by_ref().take(1 << 20).read_to_string(&mut text).map_err(damaged)?;
            check_header(&name, &text).map_err(refused)?;
            continue;
        }
        if manifest.is_some() {
            return Err(refused("data follows the manifest".into()));
        }
        if name == MANIFEST_ENTRY {
            let mut text = String::new();
            entry.read_to_string(&mut text).map_err(damaged)?;
            manifest =
                Some(serde_json::from_str(&text).map_err(|e| refused(format!("the manifest is invalid ({e})")))?);
            continue;
        }
        let is_plain = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || !entry.header().entry_type().is_file() {
            return Err(refused(format!("'{name}' is not a regular file")));
        }
        let target = to.join(&name);
        let failed = |why| BackupError::File { path: target.display().to_string(), why };
        std::fs::create_dir_all(target.parent().unwrap_or(to)).map_err(failed)?;
        // The database, signing secret and settings must be readable only by their owner.
        let mut out = snapshot::open_private(&target).map_err(failed)?;
        let mut hashing = HashingReader::new(&mut entry);
        std::io::copy(&mut hashing, &mut out).map_err(damaged)?;
        out.sync_all().map_err(failed)?;
        found.insert(name.clone(), hashing.entry(name));
        let done = (&position).stream_position().unwrap_or_default();
        progress(Progress { phase: "unpacking", done, total });
    }
    let manifest = manifest.ok_or_else(|| refused("the archive is truncated: the manifest is missing".into()))?;
    // Reading to the end verifies the checksum of the zstd frame.
    std::io::copy(&mut tar.into_inner(), &mut std::io::sink()).map_err(damaged)?;
    verify_contents(&manifest, found, to).map_err(refused)?;
    Ok(manifest)
}

fn check_header(name: &str, text: &str) -> Result<(), String> {
    let head: Header = match (name, serde_json::from_str(text)) {
        (HEADER_ENTRY, Ok(head)) => head,
        _ => return Err("it was not written by `apogee backup`".into()),
    };
    if head.format != FORMAT_VERSION || head.schema > newest_migration() {
        return Err(format!(
            "it was written by version {} (schema {}), this is version {} (schema {}): use that version",
            head.version,
            head.schema,
            env!("CARGO_PKG_VERSION"),
            newest_migration()
        ));
    }
    Ok(())
}

fn verify_contents(manifest: &Manifest, mut found: HashMap<String, ArchiveEntry>, folder: &Path) -> Result<(), String> {
    for entry in &manifest.files {
        match found.remove(&entry.path) {
            Some(there) if there == *entry => {}
            Some(_) => return Err(format!("{} does not match its checksum", entry.path)),
            None => return Err(format!("{} is missing", entry.path)),
        }
    }
    if let Some(name) = found.keys().next() {
        return Err(format!("{name} is not in the manifest"));
    }
    let database = folder.join(DATABASE_ENTRY);
    if !database.exists() {
        return if folder.join(EXPORT_ENTRY).exists() {
            Ok(())
        } else {
            Err("the archive contains no database".into())
        };
    }
    snapshot::check_integrity(&database).map_err(|e| e.to_string())?;
    let state = snapshot::inspect(&format!("sqlite:{}", database.display())).map_err(|e| e.to_string())?;
    let expected = [manifest.players, manifest.guilds, manifest.events, manifest.users];
    if state.is_none_or(|state| state.counts != expected) {
        return Err("the database does not match the manifest".into());
    }
    Ok(())
}

/// Moves the current database to backups/; nothing is deleted.
fn move_aside(file: &Path) -> std::io::Result<Option<PathBuf>> {
    if !file.exists() {
        return Ok(None);
    }
    let folder = file.parent().unwrap_or(Path::new(".")).join("backups");
    std::fs::create_dir_all(&folder)?;
    let previous = folder.join(format!("before-restore-{}.db", clock::now().0));
    for ending in ["-wal", "-shm", ""] {
        let with = |path: &Path| PathBuf::from(format!("{}{ending}", path.display()));
        match std::fs::rename(with(file), with(&previous)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    Ok(Some(previous))
}

/// Imports the lines of an archive into an empty database.
async fn load_lines(
    settings: Settings,
    lines: &Path,
    progress: impl FnMut(Progress) + Send + 'static,
) -> Result<(), BackupError> {
    let index_dir = settings.index_dir();
    let opened = tokio::task::spawn_blocking(move || bootstrap::open_for_load(settings, &index_dir));
    let app: Arc<App> = Arc::new(opened.await.map_err(crate::error::AppError::internal)??);
    let lines = LineReader::open(lines, FileFormat::NDJSON)?;
    let done = transfer::import_lines(&app, Dataset::All, lines, progress).await?;
    match done.errors.first() {
        None => Ok(()),
        Some(bad) => Err(BackupError::Refused(format!(
            "{} lines of the archive were rejected, the first because: {}. Nothing was changed.",
            done.rejected, bad.error
        ))),
    }
}

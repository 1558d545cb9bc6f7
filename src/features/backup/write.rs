//! Writes a backup; the server may keep running.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::BackupError;
use super::archive::{
    ArchiveEntry, DATA_PREFIX, DATABASE_ENTRY, EXPORT_ENTRY, FORMAT_VERSION, HEADER_ENTRY, HashingReader, Header,
    MANIFEST_ENTRY, Manifest, UPLOADS_PREFIX,
};
use crate::config::Settings;
use crate::domain::clock;
use crate::features::data_lock;
use crate::features::transfer::{self, AtomicFile, DATABASE_COPY_SUFFIX, Dataset, LineFormat, Progress};
use crate::files::{FileName, Files};
use crate::store::conn;
use crate::store::snapshot::{self, DatabaseState};
use crate::store::{Store, newest_migration};

/// Larger files of the data directory are not included.
const MAX_DATA_FILE_BYTES: u64 = 1 << 20;
const COMPRESSION_LEVEL: i32 = 3;

type Tar<'a> = tar::Builder<zstd::Encoder<'a, &'a mut File>>;

/// Writes a backup. The file appears once it is complete and synced.
pub async fn backup(
    settings: &Settings,
    path: &Path,
    mut progress: impl FnMut(Progress),
) -> Result<Manifest, BackupError> {
    let failed = |why| BackupError::File { path: path.display().to_string(), why };
    refuse_overwrite(path)?;
    let state = snapshot::inspect(&settings.database_url)?
        .ok_or_else(|| BackupError::Refused("no database yet: nothing to back up".into()))?;
    require_space(fs4::available_space(snapshot::parent_dir(path)).map_err(failed)?, state.size_bytes)?;
    let mut file = AtomicFile::create(path).map_err(failed)?;
    let manifest = {
        let mut encoder = zstd::Encoder::new(file.file(), COMPRESSION_LEVEL).map_err(failed)?;
        encoder.include_checksum(true).map_err(failed)?;
        let mut tar = tar::Builder::new(encoder);
        let manifest = fill(settings, &state, path, &mut tar, &mut progress).await?;
        tar.into_inner().and_then(zstd::Encoder::finish).map_err(failed)?;
        manifest
    };
    file.finish().map_err(failed)?;
    Ok(manifest)
}

/// Requires space for the archive and the copy of the database beside it.
fn require_space(free: u64, database: u64) -> Result<(), BackupError> {
    if free >= database.saturating_mul(2) {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    Err(BackupError::Refused(format!(
        "a backup needs twice the size of the database, {} MiB, but only {} MiB are free: free some space or choose another disk",
        mib(database.saturating_mul(2)),
        mib(free)
    )))
}

/// Refuses to overwrite a file that is not a backup, such as a database.
fn refuse_overwrite(path: &Path) -> Result<(), BackupError> {
    let mut magic = [0; 4];
    match File::open(path).and_then(|mut file| file.read_exact(&mut magic)) {
        Ok(()) if magic == [0x28, 0xb5, 0x2f, 0xfd] => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(BackupError::Refused(format!("{} exists and is not a backup: choose another file", path.display()))),
    }
}

async fn fill(
    settings: &Settings,
    state: &DatabaseState,
    path: &Path,
    tar: &mut Tar<'_>,
    progress: &mut impl FnMut(Progress),
) -> Result<Manifest, BackupError> {
    let failed = |why| BackupError::File { path: path.display().to_string(), why };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    // The copy has the schema of the database, not of this program.
    let schema = state.schema.clone().unwrap_or_else(newest_migration);
    let head = Header { format: FORMAT_VERSION, version: version.clone(), schema: schema.clone() };
    let head = serde_json::to_vec(&head).map_err(|e| failed(e.into()))?;
    append(tar, HEADER_ENTRY, head.len() as u64, &head[..]).map_err(failed)?;

    let files = Files::open(&settings.uploads_url)?;
    let mut entries = Vec::new();
    let mut taken = HashSet::new();
    // Before and after the database: every upload that the copy references existed at one of the two times.
    uploads(&files, tar, &mut taken, &mut entries, progress).await?;
    progress(Progress { phase: "database", done: 0, total: 1 });
    let counts = database(settings, state, path, tar, &mut entries)?;
    uploads(&files, tar, &mut taken, &mut entries, progress).await?;
    data_files(settings, path, tar, &mut entries).map_err(failed)?;

    let [players, guilds, events, users] = counts;
    let created_at = clock::now().secs();
    let manifest = Manifest { version, schema, created_at, players, guilds, events, users, files: entries };
    let text = serde_json::to_vec(&manifest).map_err(|e| failed(e.into()))?;
    append(tar, MANIFEST_ENTRY, text.len() as u64, &text[..]).map_err(failed)?;
    Ok(manifest)
}

fn append(tar: &mut Tar<'_>, path: &str, bytes: u64, from: impl Read) -> std::io::Result<ArchiveEntry> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_mtime(clock::now().secs().unsigned_abs());
    let mut hashing = HashingReader::new(from);
    tar.append_data(&mut header, path, &mut hashing)?;
    Ok(hashing.entry(path.to_owned()))
}

fn append_file(tar: &mut Tar<'_>, path: &str, from: &Path) -> std::io::Result<ArchiveEntry> {
    let file = File::open(from)?;
    let bytes = file.metadata()?.len();
    append(tar, path, bytes, file.take(bytes))
}

async fn uploads(
    files: &Files,
    tar: &mut Tar<'_>,
    taken: &mut HashSet<FileName>,
    entries: &mut Vec<ArchiveEntry>,
    progress: &mut impl FnMut(Progress),
) -> Result<(), BackupError> {
    let list = files.list().await?;
    let total = list.len() as u64;
    for (done, file) in (1..).zip(list) {
        if taken.contains(&file.name) {
            continue;
        }
        // An upload that was deleted meanwhile is no longer referenced.
        if let Some(bytes) = files.get(&file.name).await? {
            let path = format!("{UPLOADS_PREFIX}{}", file.name);
            let entry = append(tar, &path, bytes.len() as u64, &bytes[..]);
            entries.push(entry.map_err(|why| BackupError::File { path, why })?);
            taken.insert(file.name);
        }
        progress(Progress { phase: "uploads", done, total });
    }
    Ok(())
}

fn database(
    settings: &Settings,
    state: &DatabaseState,
    path: &Path,
    tar: &mut Tar<'_>,
    entries: &mut Vec<ArchiveEntry>,
) -> Result<[i64; 4], BackupError> {
    let failed = |why| BackupError::File { path: path.display().to_string(), why };
    let mut copy = AtomicFile::beside(path, DATABASE_COPY_SUFFIX).map_err(failed)?;
    let (entry, counts) = match conn::sqlite_path(&settings.database_url) {
        Some(file) => {
            snapshot::copy_sqlite(&file, copy.partial_path())?;
            let copied = snapshot::inspect(&format!("sqlite:{}", copy.partial_path().display()))?;
            (DATABASE_ENTRY, copied.map_or(state.counts, |state| state.counts))
        }
        None => {
            let store = Store::open(&settings.database_url)?;
            let done = transfer::write_all(&store, Dataset::All, LineFormat::Ndjson, copy.file(), |_| {})?;
            (EXPORT_ENTRY, done.counts)
        }
    };
    entries.push(append_file(tar, entry, copy.partial_path()).map_err(failed)?);
    Ok(counts)
}

/// Adds settings, the signing secret, and customized pages.
fn data_files(
    settings: &Settings,
    path: &Path,
    tar: &mut Tar<'_>,
    entries: &mut Vec<ArchiveEntry>,
) -> std::io::Result<()> {
    let database = conn::sqlite_path(&settings.database_url);
    let database = database.and_then(|p| p.file_name().map(|n| n.to_string_lossy().into_owned())).unwrap_or_default();
    let own = [data_lock::NAME, data_lock::BESIDE, crate::projections::INCOMPLETE_MARKER];
    for item in std::fs::read_dir(&settings.data_dir)? {
        let item = item?;
        let name = item.file_name().to_string_lossy().into_owned();
        let is_database = !database.is_empty() && name.starts_with(&database);
        let is_target = path.file_name().is_some_and(|target| name.contains(&*target.to_string_lossy()));
        let meta = item.metadata()?;
        let is_ours = own.contains(&name.as_str()) || name.ends_with(".partial");
        if meta.is_file() && meta.len() <= MAX_DATA_FILE_BYTES && !is_database && !is_target && !is_ours {
            entries.push(append_file(tar, &format!("{DATA_PREFIX}{name}"), &item.path())?);
        }
    }
    append_dir(&settings.static_dir(), &format!("{DATA_PREFIX}static"), tar, entries)
}

fn append_dir(from: &Path, to: &str, tar: &mut Tar<'_>, entries: &mut Vec<ArchiveEntry>) -> std::io::Result<()> {
    let items = match std::fs::read_dir(from) {
        Ok(items) => items,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(e),
    };
    for item in items {
        let item = item?;
        let to = format!("{to}/{}", item.file_name().to_string_lossy());
        let kind = item.file_type()?;
        if kind.is_dir() {
            append_dir(&item.path(), &to, tar, entries)?;
        } else if kind.is_file() {
            entries.push(append_file(tar, &to, &item.path())?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_needs_twice_the_size_of_the_database() {
        assert!(require_space(200, 100).is_ok());
        let refused = require_space(199 << 20, 100 << 20).unwrap_err().to_string();
        assert!(refused.contains("200 MiB") && refused.contains("199 MiB"), "{refused}");
    }
}

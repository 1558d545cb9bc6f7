//! The files of public exports. Those of one night have a manifest beside them, which is written last.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::domain::hex;
use crate::domain::times::{Day, EpochMillis};
use crate::error::AppError;
use crate::features::transfer::AtomicFile;
use crate::store::transfer::snapshot;
use crate::store::{Store, StoreError, players};
use crate::views::public_export::{ExportFile, PublicExport};

use super::ExportError;
use super::write::{Written, write};

const PREFIX: &str = "apogee-";
const NDJSON: &str = ".ndjson.gz";
const CSV: &str = ".csv.gz";
const MANIFEST: &str = ".json";

/// The formats of a night with the endings of their files.
const FORMATS: [(&str, &str); 2] = [("ndjson", NDJSON), ("csv", CSV)];

/// What is known of the export of one night.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    #[serde(flatten)]
    pub export: PublicExport,
    /// The ids of the players who were hidden. They are not published.
    hidden: Vec<i64>,
}

impl Manifest {
    /// Whether the export names a player who is hidden now; `hidden` is in ascending order.
    fn names_any_of(&self, hidden: &[i64]) -> bool {
        let known: HashSet<&i64> = self.hidden.iter().collect();
        hidden.iter().any(|id| !known.contains(id))
    }
}

fn path_of(dir: &Path, day: &str, ending: &str) -> PathBuf {
    dir.join(format!("{PREFIX}{day}{ending}"))
}

/// Writes the export of a day and removes old ones. Blocking.
pub(super) fn create(
    store: &Store,
    dir: &Path,
    site: &str,
    now: EpochMillis,
    keep: usize,
) -> Result<Written, ExportError> {
    std::fs::create_dir_all(dir)?;
    let day = now.day().iso();
    let (mut ndjson, mut csv) =
        (AtomicFile::create(&path_of(dir, &day, NDJSON))?, AtomicFile::create(&path_of(dir, &day, CSV))?);
    let written = {
        let compress = |file| GzEncoder::new(BufWriter::with_capacity(1 << 16, file), Compression::default());
        let (mut lines, mut table) = (compress(ndjson.file()), compress(csv.file()));
        let outcome = store
            .read_blocking(|conn| Ok(snapshot(conn, |conn| write(conn, site, now, &mut lines, &mut table))))
            .map_err(ExportError::from)?;
        let written = outcome?;
        for gzip in [lines, table] {
            gzip.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        }
        written
    };
    // A player may have hidden while the files were written.
    let hidden = store.read_blocking(players::hidden_ids)?;
    remove(dir, &day)?;
    ndjson.finish()?;
    csv.finish()?;
    let export = PublicExport {
        day: day.clone(),
        created_at: written.head.created_at,
        rules: written.head.rules,
        events: written.events,
        players: written.players,
        checkpoint: written.head.checkpoint.clone(),
        files: FORMATS.iter().map(|(format, ending)| describe(dir, &day, format, ending)).collect::<io::Result<_>>()?,
    };
    let manifest = Manifest { export, hidden: written.hidden.clone() };
    if manifest.names_any_of(&hidden) {
        remove(dir, &day)?;
        return Err(ExportError::Store(StoreError::Busy));
    }
    let mut file = AtomicFile::create(&path_of(dir, &day, MANIFEST))?;
    serde_json::to_writer(file.file(), &manifest).map_err(io::Error::from)?;
    file.finish()?;
    for old in days(dir)?.into_iter().rev().skip(keep) {
        remove(dir, &old)?;
    }
    Ok(written)
}

fn describe(dir: &Path, day: &str, format: &str, ending: &str) -> io::Result<ExportFile> {
    let path = path_of(dir, day, ending);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (bytes, sha256) = digest(&mut File::open(&path)?)?;
    Ok(ExportFile { name, format: format.to_owned(), bytes, sha256 })
}

/// The number of bytes and their SHA-256, in hexadecimal.
pub(super) fn digest(from: &mut impl Read) -> io::Result<(u64, String)> {
    let mut hasher = Sha256::new();
    let bytes = io::copy(from, &mut hasher)?;
    Ok((bytes, hex::encode(hasher.finalize())))
}

/// The days that have a manifest, in ascending order.
fn days(dir: &Path) -> io::Result<Vec<String>> {
    let items = match std::fs::read_dir(dir) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        items => items?,
    };
    let day = |name: std::ffi::OsString| {
        let day = name.to_str()?.strip_prefix(PREFIX)?.strip_suffix(MANIFEST)?.to_owned();
        Day::parse_iso(&day).map(|_| day)
    };
    let mut days: Vec<String> = items.flatten().filter_map(|item| day(item.file_name())).collect();
    days.sort();
    Ok(days)
}

/// Reads a manifest; `None` if another process has removed it.
fn manifest(dir: &Path, day: &str) -> io::Result<Option<Manifest>> {
    match std::fs::read(path_of(dir, day, MANIFEST)) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) => Err(why),
    }
}

/// Removes the files of a day; the manifest first, so that no list names a file that is gone.
fn remove(dir: &Path, day: &str) -> io::Result<()> {
    for ending in [MANIFEST, NDJSON, CSV] {
        match std::fs::remove_file(path_of(dir, day, ending)) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
    }
    Ok(())
}

/// The exports that name none of these players, newest first. Blocking.
pub(super) fn list(dir: &Path, hidden: &[i64]) -> io::Result<Vec<Manifest>> {
    let mut found = Vec::new();
    for day in days(dir)?.into_iter().rev() {
        found.extend(manifest(dir, &day)?.filter(|manifest| !manifest.names_any_of(hidden)));
    }
    Ok(found)
}

/// Removes the exports that name one of these players; returns the newest day that is left. Blocking.
pub(super) fn withdraw(dir: &Path, hidden: &[i64]) -> io::Result<Option<String>> {
    let kept: Vec<String> = list(dir, hidden)?.into_iter().map(|manifest| manifest.export.day).collect();
    for day in days(dir)?.iter().filter(|day| !kept.contains(day)) {
        remove(dir, day)?;
    }
    Ok(kept.into_iter().next())
}

/// The path of a file of an export that can be downloaded.
pub async fn open(app: &App, name: &str) -> Result<PathBuf, AppError> {
    let found = super::list(app).await?;
    let is_listed = found.iter().flat_map(|export| &export.files).any(|file| file.name == name);
    if is_listed { Ok(app.settings.exports_dir().join(name)) } else { Err(unknown()) }
}

/// There is no such export.
pub fn unknown() -> AppError {
    AppError::NotFound("Export not found. `/api/export` lists the exports of this site.".into())
}

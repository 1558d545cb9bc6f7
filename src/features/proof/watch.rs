//! Watches the transparency log of a site: its checkpoints must fit the one that was kept, and its entries the events that it shows.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::entries;
use super::tiles::RemoteTiles;
use crate::domain::tlog::{Checkpoint, NoteError, VerifierKey, verify_consistency};
use crate::features::transfer::AtomicFile;
use crate::upstream::public_site::{PublicSite, PublicSiteError};

/// What shows that a site changed its past, or does not publish what it signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("the key of the log changed from {kept} to {served}")]
    OtherKey { kept: String, served: String },
    #[error("the checkpoint cannot be verified: {0}\n{1}")]
    Unverified(NoteError, String),
    #[error("the log was rolled back: it had {kept} entries and has {served}. Both checkpoints are signed:\n{notes}")]
    RolledBack { kept: u64, served: u64, notes: String },
    #[error("two checkpoints do not fit: the log was changed before entry {kept}. Both are signed:\n{notes}")]
    Forked { kept: u64, notes: String },
    #[error("tile {0} does not belong to the signed tree")]
    WrongTile(String),
    #[error("entry {index} ({subject}) does not match the log: it was changed without a new entry")]
    Changed { index: u64, subject: String },
    #[error("entry {index} ({subject}): it no longer exists")]
    Missing { index: u64, subject: String },
}

/// Why a log could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error(transparent)]
    Site(#[from] PublicSiteError),
    #[error("{0} cannot be used: {1}")]
    File(String, std::io::Error),
}

/// The newest checkpoint that fitted, and how far the entries are checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptCheckpoint {
    key: String,
    /// The signed note.
    checkpoint: String,
    /// The tile of entries with which the next check continues.
    next_tile: u64,
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchReport {
    pub origin: String,
    /// Number of entries of the log.
    pub size: u64,
    /// Root of the tree, in hexadecimal.
    pub root: String,
    pub checked: u64,
    /// Checked entries that name hidden players.
    pub hidden: u64,
    /// Checked entries that were erased.
    pub erased: u64,
    pub problems: Vec<Problem>,
}

/// Watches the log of one site.
#[derive(Debug)]
pub struct Watcher {
    site: PublicSite,
    /// The file of the checkpoint that was kept.
    file: PathBuf,
    max_entries: u64,
}

impl Watcher {
    /// `file` is by default one per site in `data_dir`. About `max_entries` entries are checked each time: new ones, and older ones
    /// in turn.
    pub fn new(url: &str, file: Option<PathBuf>, data_dir: &Path, max_entries: u64) -> Result<Self, WatchError> {
        let site = PublicSite::new(url)?;
        let host = site.host().replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-");
        let file = file.unwrap_or_else(|| data_dir.join(format!("log-of-{host}.json")));
        Ok(Self { site, file, max_entries })
    }

    /// Checks the log once against the checkpoint that was kept, and keeps the new one if it fits.
    pub async fn check(&self) -> Result<WatchReport, WatchError> {
        check(&self.site, &self.file, self.max_entries).await
    }
}

async fn check(site: &PublicSite, file: &Path, max_entries: u64) -> Result<WatchReport, WatchError> {
    let kept = read(file)?;
    let mut report = WatchReport::default();
    let (key, note) = (site.text("log/key").await?, site.text("log/checkpoint").await?);
    let opened = match open(kept.as_ref(), key.trim_end(), &note) {
        Ok(opened) => opened,
        Err(problem) => {
            report.problems.push(problem);
            return Ok(report);
        }
    };
    let Opened { served, before } = opened;
    (report.origin, report.size, report.root) = (served.origin.clone(), served.size, served.root.to_string());
    let mut tiles = RemoteTiles::new(site, served.size);
    if let (Some(before), Some(kept)) = (&before, &kept)
        && let Some(problem) = compare(before, &served, &mut tiles, &[kept.checkpoint.as_str(), note.as_str()]).await?
    {
        report.problems.push(problem);
        return Ok(report);
    }
    let next_tile = kept.as_ref().map_or(0, |kept| kept.next_tile);
    let new_from = before.map_or(0, |before| before.size);
    let plan = entries::plan(new_from, next_tile, served.size, max_entries);
    for tile in &plan.tiles {
        entries::check(site, &mut tiles, &served, *tile, &mut report).await?;
    }
    write(file, &KeptCheckpoint { key: key.trim_end().to_owned(), checkpoint: note, next_tile: plan.next_tile })?;
    Ok(report)
}

/// The served checkpoint, and the one that was kept.
struct Opened {
    served: Checkpoint,
    before: Option<Checkpoint>,
}

fn open(kept: Option<&KeptCheckpoint>, key: &str, note: &str) -> Result<Opened, Problem> {
    if let Some(kept) = kept.filter(|kept| kept.key != key) {
        return Err(Problem::OtherKey { kept: kept.key.clone(), served: key.to_owned() });
    }
    let unverified = |error, note: &str| Problem::Unverified(error, note.to_owned());
    let key = VerifierKey::parse(key).map_err(|error| unverified(error, key))?;
    let served = Checkpoint::open(note, &key).map_err(|error| unverified(error, note))?;
    let before = kept.map(|kept| Checkpoint::open(&kept.checkpoint, &key).map_err(|e| unverified(e, &kept.checkpoint)));
    Ok(Opened { served, before: before.transpose()? })
}

/// Whether the kept tree is the beginning of the served one. `notes` are the two signed checkpoints, which show a problem.
async fn compare(
    before: &Checkpoint,
    served: &Checkpoint,
    tiles: &mut RemoteTiles<'_>,
    notes: &[&str],
) -> Result<Option<Problem>, PublicSiteError> {
    let notes = || notes.join("\n");
    if served.size < before.size {
        return Ok(Some(Problem::RolledBack { kept: before.size, served: served.size, notes: notes() }));
    }
    let proof = tiles.consistency_proof(before.size).await?;
    let fits = verify_consistency(before.size, before.root, served.size, served.root, &proof);
    Ok((!fits).then(|| Problem::Forked { kept: before.size, notes: notes() }))
}

fn read(file: &Path) -> Result<Option<KeptCheckpoint>, WatchError> {
    let failed = |error| WatchError::File(file.display().to_string(), error);
    match std::fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| failed(error.into())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn write(file: &Path, kept: &KeptCheckpoint) -> Result<(), WatchError> {
    let failed = |error| WatchError::File(file.display().to_string(), error);
    let text = serde_json::to_vec_pretty(kept).map_err(|error| failed(error.into()))?;
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir).map_err(failed)?;
    }
    let mut written = AtomicFile::create(file).map_err(failed)?;
    written.file().write_all(&text).and_then(|()| written.finish()).map_err(failed)
}

//! Opens the index directory: creates, verifies or sets aside what is on disk, and configures the writers.

use std::error::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tantivy::directory::MmapDirectory;
use tantivy::directory::error::LockError;
use tantivy::index::Index;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, MergePolicy, NoMergePolicy};
use tantivy::{IndexReader, IndexWriter, ReloadPolicy, TantivyError};

use super::entry::{OpenOutcome, SearchError};
use super::schema;
use super::segments::Segments;

/// Memory of the writer during normal operation and during a rebuild.
const WRITER_MEMORY_BYTES: usize = 30 << 20;
const REBUILD_MEMORY_BYTES: usize = 160 << 20;
/// How long a writer that another holder is closing is waited for. A process that is being started holds copies of all locks, too, until
/// its program runs.
const LOCK_WAIT: Duration = Duration::from_secs(10);
/// A segment in which this share of the entries is deleted gets rewritten.
const MAX_DELETED_RATIO: f32 = 0.1;

/// Opens the index. A missing index is created; one that cannot be used is renamed and replaced by an empty one.
pub fn open(dir: &Path) -> Result<(Index, OpenOutcome), SearchError> {
    match open_existing(dir) {
        Ok(there) => Ok(there),
        Err(why) => {
            let outcome = OpenOutcome::SetAside { to: set_aside(dir)?, why: why.to_string() };
            Ok((create(dir)?, outcome))
        }
    }
}

pub fn reader(index: &Index) -> Result<IndexReader, TantivyError> {
    index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()
}

/// A writer for single changes; its segments are merged in the background.
pub fn incremental_writer(index: &Index) -> Result<IndexWriter, TantivyError> {
    let mut merges = LogMergePolicy::default();
    merges.set_del_docs_ratio_before_merge(MAX_DELETED_RATIO);
    writer(index, WRITER_MEMORY_BYTES, Box::new(merges))
}

/// A writer for a rebuild. Its segments remain separate until the caller merges them into one.
pub fn rebuild_writer(index: &Index) -> Result<IndexWriter, TantivyError> {
    writer(index, REBUILD_MEMORY_BYTES, Box::new(NoMergePolicy))
}

/// Opens a writer. One that is being closed, by a request that outlives its site or by a process that just ended, is waited for.
fn writer(index: &Index, bytes: usize, merges: Box<dyn MergePolicy>) -> Result<IndexWriter, TantivyError> {
    let options = || {
        let options = IndexWriterOptions::builder().memory_budget_per_thread(bytes);
        options.num_worker_threads(1).num_merge_threads(1).build()
    };
    let began = Instant::now();
    loop {
        match index.writer_with_options(options()) {
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) if began.elapsed() < LOCK_WAIT => {
                std::thread::sleep(Duration::from_millis(20));
            }
            opened => return opened.inspect(|writer| writer.set_merge_policy(merges)),
        }
    }
}

fn create(dir: &Path) -> Result<Index, SearchError> {
    std::fs::create_dir_all(dir)?;
    let (schema, _) = schema::schema();
    let builder = Index::builder().schema(schema).settings(schema::settings()).tokenizers(schema::tokenizers());
    Ok(builder.create_in_dir(dir)?)
}

/// Opens the index in `dir`, or creates it if `dir` is missing or empty. The error says in one sentence why the index cannot be
/// used.
fn open_existing(dir: &Path) -> Result<(Index, OpenOutcome), Box<dyn Error>> {
    let is_empty = match std::fs::read_dir(dir) {
        Ok(mut files) => files.next().is_none(),
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        Err(error) => return Err(error.into()),
    };
    if is_empty {
        return Ok((create(dir)?, OpenOutcome::Empty));
    }
    let mut index = Index::open(MmapDirectory::open(dir)?)?;
    index.set_tokenizers(schema::tokenizers());
    let (schema, fields) = schema::schema();
    if index.schema() != schema || *index.settings() != schema::settings() {
        return Err("its schema differs".into());
    }
    let outcome = match index.load_metas()?.payload.as_deref().map(schema::parse_watermark) {
        Some(Some(watermark)) => OpenOutcome::Ready { watermark },
        Some(None) => return Err("it was written by another version".into()),
        None => OpenOutcome::Empty,
    };
    let damaged = index.validate_checksum()?.len();
    if damaged > 0 {
        return Err(format!("{damaged} of its files are damaged").into());
    }
    Segments::open(&reader(&index)?.searcher(), &fields)?;
    Ok((index, outcome))
}

fn set_aside(dir: &Path) -> Result<PathBuf, SearchError> {
    let mut name = dir.file_name().unwrap_or_default().to_owned();
    name.push(".set-aside");
    let to = dir.with_file_name(name);
    match std::fs::remove_dir_all(&to) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    std::fs::rename(dir, &to)?;
    Ok(to)
}

//! The public handle of the index: opened from a directory, changed after each commit, queried at any time.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use arc_swap::ArcSwap;
use levenshtein_automata::LevenshteinAutomatonBuilder;
use tantivy::index::Index;
use tantivy::{IndexReader, IndexWriter, TantivyError};

use super::directory;
use super::entry::{Change, Entry, Hit, Kind, OpenOutcome, SearchError, Watermark};
use super::overlay::Batch;
use super::query::View;
use super::schema::{self, Fields};
use super::segments::Segments;

/// How long a change stays in memory only. Searches see it immediately; after a crash it is applied again.
const COMMIT_INTERVAL: Duration = Duration::from_secs(5);
/// With this many changed entries in memory, a commit starts without waiting for the interval.
const MAX_PENDING: usize = 20_000;
/// Delay after a commit that failed or panicked.
const RETRY_DELAY: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 10 });
/// Suggestions for players and guilds. Safe and cheap to query from many threads; a directory is open in one process only.
pub struct SearchIndex {
    inner: Arc<Inner>,
    committer: Option<JoinHandle<()>>,
}

struct Inner {
    fields: Fields,
    index: Index,
    reader: IndexReader,
    automata: LevenshteinAutomatonBuilder,
    view: ArcSwap<View>,
    /// Lock order: `writer`, then `state`.
    state: Mutex<State>,
    wake: Condvar,
    /// `None` after a rebuild, a failed rollback or a panic; the next commit opens a new writer.
    writer: Mutex<Option<IndexWriter>>,
    panics: AtomicU64,
    /// Makes the next commit panic.
    #[cfg(test)]
    panics_next: std::sync::atomic::AtomicBool,
}

#[derive(Default)]
struct State {
    /// Number of oldest batches that the current commit writes; newer batches are not merged into them.
    frozen: usize,
    /// The watermarks of the state in memory and of the state on disk.
    applied: Watermark,
    committed: Watermark,
    is_closing: bool,
}

impl SearchIndex {
    /// Opens the index in `dir`, which is created if it is missing, and verifies the checksum of every file.
    ///
    /// An index that is damaged or of another version is renamed to `{dir}.set-aside` (replacing an earlier one) and an empty index
    /// takes its place.
    ///
    /// # Errors
    /// The directory cannot be used, or another process has the index open.
    pub fn open(dir: &Path) -> Result<(Self, OpenOutcome), SearchError> {
        let (index, opened) = directory::open(dir)?;
        let (_, fields) = schema::schema();
        let reader = directory::reader(&index)?;
        let segments = Arc::new(Segments::open(&reader.searcher(), &fields)?);
        let writer = directory::incremental_writer(&index)?;
        let watermark = match opened {
            OpenOutcome::Ready { watermark } => watermark,
            OpenOutcome::Empty | OpenOutcome::SetAside { .. } => Watermark::default(),
        };
        let inner = Arc::new(Inner {
            fields,
            index,
            reader,
            automata: LevenshteinAutomatonBuilder::new(1, true),
            view: ArcSwap::from_pointee(View { segments, batches: Vec::new() }),
            state: Mutex::new(State { applied: watermark, committed: watermark, ..State::default() }),
            wake: Condvar::new(),
            writer: Mutex::new(Some(writer)),
            panics: AtomicU64::new(0),
            #[cfg(test)]
            panics_next: Default::default(),
        });
        let committing = Arc::clone(&inner);
        let committer =
            std::thread::Builder::new().name("search-commit".to_owned()).spawn(move || committing.run_committer())?;
        Ok((Self { inner, committer: Some(committer) }, opened))
    }

    /// Applies the changes of a database commit; calls follow the order of the commits. Searches that start after the call see
    /// them. They are written to disk some seconds later, and only then does [`SearchIndex::watermark`] reach `watermark`.
    ///
    /// A caller that catches up on many changes calls [`SearchIndex::flush`] from time to time, because unwritten changes are held
    /// in memory.
    ///
    /// # Errors
    /// The index could not be read for an entry of which only the score is given; none of the changes is applied.
    pub fn apply(&self, changes: Vec<Change>, watermark: impl Into<Watermark>) -> Result<(), SearchError> {
        let inner = &self.inner;
        let mut state = lock(&inner.state);
        let view = inner.view.load_full();
        let mut states = HashMap::new();
        let newest = |states: &HashMap<u64, Option<Arc<Entry>>>, ident| match states.get(&ident) {
            Some(known) => Ok(known.clone()),
            None => view.find(ident, &inner.fields),
        };
        for change in changes {
            match change {
                Change::Put(entry) => {
                    states.insert(entry.ident(), Some(Arc::new(entry)));
                }
                Change::PutKeepingScore(entry) => {
                    let ident = entry.ident();
                    let known = newest(&states, ident)?;
                    let score = known.map_or(entry.score, |known| known.score);
                    states.insert(ident, Some(Arc::new(Entry { score, ..entry })));
                }
                Change::Remove(kind, id) => {
                    states.insert(kind.ident(id), None);
                }
                Change::Score { kind, id, score } => {
                    let ident = kind.ident(id);
                    let known = newest(&states, ident)?;
                    if let Some(known) = known.filter(|known| known.score != score) {
                        states.insert(ident, Some(Arc::new(Entry { score, ..Arc::unwrap_or_clone(known) })));
                    }
                }
            }
        }
        if !states.is_empty() {
            let mut batches = view.batches.clone();
            batches.push(Arc::new(Batch::new(states)));
            merge_newest(&mut batches, state.frozen);
            inner.view.store(Arc::new(View { segments: Arc::clone(&view.segments), batches }));
        }
        state.applied = state.applied.max(watermark.into());
        inner.wake.notify_all();
        Ok(())
    }

    /// Writes all applied changes to disk, before a clean stop or between steps of catching up.
    ///
    /// # Errors
    /// The disk failed; all changes remain in memory, and the next commit tries again.
    pub fn flush(&self) -> Result<(), SearchError> {
        self.inner.commit()
    }

    /// Replaces the content by `entries` (fastest if sorted by score, highest first), as of `watermark`. Searches see the old
    /// content until the end; changes applied meanwhile override the new content. `progress` receives the number of entries so far.
    ///
    /// # Errors
    /// The first error of `entries`, or the disk; the old content remains.
    pub fn rebuild<E: From<SearchError>>(
        &self,
        entries: impl Iterator<Item = Result<Entry, E>>,
        watermark: impl Into<Watermark>,
        progress: impl FnMut(u64),
    ) -> Result<u64, E> {
        let (inner, watermark) = (&self.inner, watermark.into());
        let mut slot = lock(&inner.writer);
        // Batches that exist now are in the database and so in `entries`; later batches override the new content.
        let before = {
            let mut state = lock(&inner.state);
            state.frozen = inner.view.load().batches.len();
            state.frozen
        };
        drop(slot.take());
        let done = inner.write_all(entries, watermark, progress);
        let done = done.and_then(|count| {
            inner.reload(before).map_err(SearchError::from)?;
            Ok(count)
        });
        let mut state = lock(&inner.state);
        state.frozen = 0;
        if done.is_ok() {
            state.applied = state.applied.max(watermark);
            state.committed = watermark;
        }
        drop(state);
        *slot = Some(directory::incremental_writer(&inner.index).map_err(SearchError::from)?);
        done
    }

    /// Returns at most `limit` players or guilds that match `text`, best first. A text of fewer than 2 or more than 256 characters
    /// matches nothing. The text is compared, never parsed.
    ///
    /// # Errors
    /// The index could not be read.
    pub fn suggest(&self, kind: Kind, text: &str, limit: usize) -> Result<Vec<Hit>, SearchError> {
        Ok(self.inner.view.load().suggest(&self.inner.automata, kind, text, limit)?)
    }

    /// Like [`SearchIndex::suggest`], with `more` entries that are not in the index.
    ///
    /// # Errors
    /// The index could not be read.
    pub fn suggest_with(
        &self,
        more: Vec<Entry>,
        kind: Kind,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Hit>, SearchError> {
        let view = self.inner.view.load();
        let more = Batch::new(more.into_iter().map(|entry| (entry.ident(), Some(Arc::new(entry)))));
        let batches = view.batches.iter().cloned().chain([Arc::new(more)]).collect();
        let view = View { segments: Arc::clone(&view.segments), batches };
        Ok(view.suggest(&self.inner.automata, kind, text, limit)?)
    }

    /// The watermark of the index on disk.
    pub fn watermark(&self) -> Watermark {
        lock(&self.inner.state).committed
    }

    /// Number of committed entries.
    pub fn len(&self) -> usize {
        self.inner.view.load().segments.len()
    }

    /// Whether no entry is committed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of commits that panicked.
    pub fn panics(&self) -> u64 {
        self.inner.panics.load(Ordering::Relaxed)
    }

    /// Makes the next commit panic.
    #[cfg(test)]
    pub(super) fn panic_next(&self) {
        self.inner.panics_next.store(true, Ordering::Relaxed);
    }

    /// Number of changed entries that are not on disk yet.
    pub fn pending(&self) -> usize {
        pending(&self.inner.view.load())
    }
}

impl Drop for SearchIndex {
    /// Stops without writing; from the watermark on disk, the next start finds what is missing. A clean stop calls [`SearchIndex::flush`]
    /// first.
    fn drop(&mut self) {
        lock(&self.inner.state).is_closing = true;
        self.inner.wake.notify_all();
        if let Some(committer) = self.committer.take()
            && committer.join().is_err()
        {
            tracing::error!("the search commit thread has panicked");
        }
    }
}

impl Inner {
    /// Body of the commit thread. A panic in a commit leaves everything in memory, and the commit is repeated.
    fn run_committer(&self) {
        while catch_unwind(AssertUnwindSafe(|| self.commit_periodically())).is_err() {
            self.panics.fetch_add(1, Ordering::Relaxed);
            tracing::error!("writing the search index panicked; retrying");
            self.wait_before_retry();
        }
    }

    fn commit_periodically(&self) {
        loop {
            let mut state = lock(&self.state);
            while !state.is_closing && state.applied == state.committed && pending(&self.view.load()) == 0 {
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let is_early = |state: &mut State| !state.is_closing && pending(&self.view.load()) < MAX_PENDING;
            (state, _) =
                self.wake.wait_timeout_while(state, COMMIT_INTERVAL, is_early).unwrap_or_else(PoisonError::into_inner);
            if state.is_closing {
                return;
            }
            drop(state);
            if let Err(error) = self.commit() {
                tracing::warn!(%error, source = ?std::error::Error::source(&error), "the search index could not be written; retrying");
                self.wait_before_retry();
            }
        }
    }

    fn wait_before_retry(&self) {
        drop(self.wake.wait_timeout_while(lock(&self.state), RETRY_DELAY, |state| !state.is_closing));
    }

    /// Writes the entries and the watermark in one commit; the watermark is the payload of that commit.
    fn commit(&self) -> Result<(), SearchError> {
        let mut slot = lock(&self.writer);
        let (frozen, watermark) = {
            let mut state = lock(&self.state);
            let view = self.view.load_full();
            if view.batches.is_empty() && state.applied == state.committed {
                return Ok(());
            }
            state.frozen = view.batches.len();
            (FrozenBatches { state: &self.state, batches: view.batches.clone() }, state.applied)
        };
        // The writer is taken out while it works: after a panic or a failed rollback it may hold half of a commit.
        let mut writer = match slot.take() {
            Some(writer) => writer,
            None => directory::incremental_writer(&self.index)?,
        };
        let done = self.write(&mut writer, &frozen.batches, watermark).and_then(|()| self.reload(frozen.batches.len()));
        if done.is_err() {
            writer.rollback()?;
        } else {
            lock(&self.state).committed = watermark;
        }
        *slot = Some(writer);
        done.map_err(SearchError::from)
    }

    fn write(
        &self,
        writer: &mut IndexWriter,
        batches: &[Arc<Batch>],
        watermark: Watermark,
    ) -> Result<(), TantivyError> {
        #[cfg(test)]
        assert!(!self.panics_next.swap(false, Ordering::Relaxed), "on purpose");
        for (number, batch) in batches.iter().enumerate() {
            let later = &batches[number + 1..];
            for (ident, entry) in batch.states().filter(|(ident, _)| !later.iter().any(|batch| batch.contains(*ident)))
            {
                writer.delete_term(schema::ident_term(&self.fields, ident));
                if let Some(entry) = entry {
                    writer.add_document(schema::document(&self.fields, entry))?;
                }
            }
        }
        commit_with(writer, watermark)
    }

    /// Opens the segments of the last commit, which contains the oldest `written` batches.
    fn reload(&self, written: usize) -> Result<(), TantivyError> {
        self.reader.reload()?;
        let segments = Arc::new(Segments::open(&self.reader.searcher(), &self.fields)?);
        let _order = lock(&self.state);
        let batches = self.view.load().batches.iter().skip(written).cloned().collect();
        self.view.store(Arc::new(View { segments, batches }));
        Ok(())
    }

    fn write_all<E: From<SearchError>>(
        &self,
        entries: impl Iterator<Item = Result<Entry, E>>,
        watermark: Watermark,
        mut progress: impl FnMut(u64),
    ) -> Result<u64, E> {
        let mut writer = directory::rebuild_writer(&self.index).map_err(SearchError::from)?;
        let mut count = 0;
        let written = (|| {
            writer.delete_all_documents().map_err(SearchError::from)?;
            for entry in entries {
                writer.add_document(schema::document(&self.fields, &entry?)).map_err(SearchError::from)?;
                count += 1;
                progress(count);
            }
            Ok(commit_with(&mut writer, watermark).map_err(SearchError::from)?)
        })();
        if let Err(error) = written {
            writer.rollback().map_err(SearchError::from)?;
            return Err(error);
        }
        // One term dictionary instead of several: less to read, and a typo is looked up once.
        let segments = self.index.searchable_segment_ids().map_err(SearchError::from)?;
        if segments.len() > 1 {
            writer.merge(&segments).wait().map_err(SearchError::from)?;
        }
        writer.wait_merging_threads().map_err(SearchError::from)?;
        Ok(count)
    }
}

/// The batches of a commit. Nothing is merged into them until this guard is dropped, also after a panic.
struct FrozenBatches<'a> {
    state: &'a Mutex<State>,
    batches: Vec<Arc<Batch>>,
}

impl Drop for FrozenBatches<'_> {
    fn drop(&mut self) {
        lock(self.state).frozen = 0;
    }
}

fn commit_with(writer: &mut IndexWriter, watermark: Watermark) -> Result<(), TantivyError> {
    let mut prepared = writer.prepare_commit()?;
    prepared.set_payload(&schema::commit_payload(watermark));
    prepared.commit().map(drop)
}

fn pending(view: &View) -> usize {
    view.batches.iter().map(|batch| batch.len()).sum()
}

/// Limits the number of batches: the newest is merged with the next older one unless that one is over four times its size.
fn merge_newest(batches: &mut Vec<Arc<Batch>>, frozen: usize) {
    while let [.., older, newer] = batches.as_slice()
        && batches.len() >= frozen + 2
        && older.len() <= 4 * newer.len()
    {
        let merged = Arc::new(older.merge(newer));
        batches.truncate(batches.len() - 2);
        batches.push(merged);
    }
}

/// Locks a mutex; the code under these locks does not leave partial state behind when it panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The search as the wait_before_retry of the program holds it: opened from a folder, changed after each commit, asked at any time.

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

/// How long a change stays in memory alone; searches see it at once, a killed process applies it again.
const COMMIT_INTERVAL: Duration = Duration::from_secs(5);
/// With so many changed entries in memory, a commit does not wait.
const MAX_PENDING: usize = 20_000;
/// After a commit that failed or panicked.
const RETRY_DELAY: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 10 });
/// Suggestions for players and guilds. Cheap to ask from many threads; one per process and folder.
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
    /// Locked after `writer` where both are.
    state: Mutex<State>,
    wake: Condvar,
    /// `None` after a rebuild, a rollback or a commit that did not give it back in order; the next commit opens another.
    writer: Mutex<Option<IndexWriter>>,
    panics: AtomicU64,
    /// The next commit panics.
    #[cfg(test)]
    panics_next: std::sync::atomic::AtomicBool,
}

#[derive(Default)]
struct State {
    /// How many of the oldest batches are being committed; newer ones are not merged into them.
    frozen: usize,
    /// Watermarks: of what is in memory, of what is on disk.
    applied: Watermark,
    committed: Watermark,
    is_closing: bool,
}

impl SearchIndex {
    /// Opens the index in a folder of its own, which is made when missing.
    ///
    /// What is damaged or of another version is renamed to `{dir}.set-aside` (replacing what an earlier time left
    /// there) and an empty index takes its place. Every file's checksum is read.
    ///
    /// # Errors
    /// The folder cannot be used, or another process has the index open.
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

    /// Takes over changes of a database commit, in the order of the commits. Found at once by every search that
    /// begins after the call; written to disk some seconds later, and only then does `watermark` count as reached.
    ///
    /// Who catches up on very many calls [`SearchIndex::flush`] now and then: what is not written is in memory.
    ///
    /// # Errors
    /// The index could not be read for an entry of which only the score is given; nothing was taken over then.
    pub fn apply(&self, changes: Vec<Change>, watermark: impl Into<Watermark>) -> Result<(), SearchError> {
        self.inner.apply(changes, watermark.into())
    }

    /// Writes what was applied so far to disk. For a clean stop, and between the steps of catching up.
    ///
    /// # Errors
    /// The disk; everything stays in memory and is tried again.
    pub fn flush(&self) -> Result<(), SearchError> {
        self.inner.commit()
    }

    /// Replaces everything by these entries (best score first is fastest), as of `watermark`. Searches go on with the
    /// old content until the end, changes applied meanwhile count on top of the new. `progress` gets the number so far.
    ///
    /// # Errors
    /// The first error of the entries themselves, or the disk; the old content stays.
    pub fn rebuild<E: From<SearchError>>(
        &self,
        entries: impl Iterator<Item = Result<Entry, E>>,
        watermark: impl Into<Watermark>,
        progress: impl FnMut(u64),
    ) -> Result<u64, E> {
        self.inner.rebuild(entries, watermark.into(), progress)
    }

    /// At most `limit` players or guilds for what somebody typed, best first. Nothing for a text of fewer than
    /// 2 or more than 256 characters; any other text is only ever compared, never parsed.
    ///
    /// # Errors
    /// The index could not be read.
    pub fn suggest(&self, kind: Kind, text: &str, limit: usize) -> Result<Vec<Hit>, SearchError> {
        Ok(self.inner.view.load().suggest(&self.inner.automata, kind, text, limit)?)
    }

    /// The same, with entries that are not in the index.
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

    /// Up to where the database is in the index on disk.
    pub fn watermark(&self) -> Watermark {
        lock(&self.inner.state).committed
    }

    /// Committed entries, for metrics.
    pub fn len(&self) -> usize {
        self.inner.view.load().segments.len()
    }

    /// Whether nothing is committed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many commits have panicked, for metrics.
    pub fn panics(&self) -> u64 {
        self.inner.panics.load(Ordering::Relaxed)
    }

    /// Lets the next commit panic.
    #[cfg(test)]
    pub(super) fn panic_next(&self) {
        self.inner.panics_next.store(true, Ordering::Relaxed);
    }

    /// Changed entries that are not on disk yet, for metrics.
    pub fn pending(&self) -> usize {
        pending(&self.inner.view.load())
    }
}

impl Drop for SearchIndex {
    /// Stops without writing: the watermark on disk says what is missing. [`SearchIndex::flush`] comes first at a clean stop.
    fn drop(&mut self) {
        lock(&self.inner.state).is_closing = true;
        self.inner.wake.notify_all();
        if let Some(committer) = self.committer.take()
            && committer.join().is_err()
        {
            tracing::error!("the search's committing thread had panicked");
        }
    }
}

impl Inner {
    fn apply(&self, changes: Vec<Change>, watermark: Watermark) -> Result<(), SearchError> {
        let mut state = lock(&self.state);
        let view = self.view.load_full();
        let mut states: std::collections::HashMap<u64, Option<Arc<Entry>>> = Default::default();
        for change in changes {
            match change {
                Change::Put(entry) => {
                    states.insert(entry.ident(), Some(Arc::new(entry)));
                }
                Change::PutKeepingScore(entry) => {
                    let ident = entry.ident();
                    let known = match states.get(&ident) {
                        Some(known) => known.clone(),
                        None => view.find(ident, &self.fields)?,
                    };
                    let score = known.map_or(entry.score, |known| known.score);
                    states.insert(ident, Some(Arc::new(Entry { score, ..entry })));
                }
                Change::Remove(kind, id) => {
                    states.insert(kind.ident(id), None);
                }
                Change::Score { kind, id, score } => {
                    let ident = kind.ident(id);
                    let known = match states.get(&ident) {
                        Some(known) => known.clone(),
                        None => view.find(ident, &self.fields)?,
                    };
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
            self.view.store(Arc::new(View { segments: Arc::clone(&view.segments), batches }));
        }
        state.applied = state.applied.max(watermark);
        self.wake.notify_all();
        Ok(())
    }

    /// The committing thread. A panic in a commit leaves everything in memory, and the commit is tried again.
    fn run_committer(&self) {
        while catch_unwind(AssertUnwindSafe(|| self.commit_periodically())).is_err() {
            self.panics.fetch_add(1, Ordering::Relaxed);
            tracing::error!("writing the search index panicked, trying again");
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
                tracing::warn!(%error, source = ?std::error::Error::source(&error), "the search index could not be written, trying again");
                self.wait_before_retry();
            }
        }
    }

    fn wait_before_retry(&self) {
        drop(self.wake.wait_timeout_while(lock(&self.state), RETRY_DELAY, |state| !state.is_closing));
    }

    /// Index first, then watermark: both are one commit, whose commit_payload the watermark is.
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
        // Taken out while it works: after a panic or a failed rollback it may hold half of a commit.
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
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&schema::commit_payload(watermark));
        prepared.commit()?;
        Ok(())
    }

    /// Reads the last commit, in which the oldest `written` batches are.
    fn reload(&self, written: usize) -> Result<(), TantivyError> {
        self.reader.reload()?;
        let segments = Arc::new(Segments::open(&self.reader.searcher(), &self.fields)?);
        let _order = lock(&self.state);
        let batches = self.view.load().batches.iter().skip(written).cloned().collect();
        self.view.store(Arc::new(View { segments, batches }));
        Ok(())
    }

    fn rebuild<E: From<SearchError>>(
        &self,
        entries: impl Iterator<Item = Result<Entry, E>>,
        watermark: Watermark,
        progress: impl FnMut(u64),
    ) -> Result<u64, E> {
        let mut slot = lock(&self.writer);
        // What is waiting now is in the database and so in the entries; what comes from now on goes on top.
        let before = {
            let mut state = lock(&self.state);
            state.frozen = self.view.load().batches.len();
            state.frozen
        };
        drop(slot.take());
        let done = self.write_all(entries, watermark, progress);
        let done = done.and_then(|count| {
            self.reload(before).map_err(SearchError::from)?;
            Ok(count)
        });
        let mut state = lock(&self.state);
        state.frozen = 0;
        if done.is_ok() {
            state.applied = state.applied.max(watermark);
            state.committed = watermark;
        }
        drop(state);
        *slot = Some(directory::incremental_writer(&self.index).map_err(SearchError::from)?);
        done
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
            let mut prepared = writer.prepare_commit().map_err(SearchError::from)?;
            prepared.set_payload(&schema::commit_payload(watermark));
            prepared.commit().map_err(SearchError::from)?;
            Ok(())
        })();
        if let Err(error) = written {
            writer.rollback().map_err(SearchError::from)?;
            return Err(error);
        }
        // One tree of terms instead of several: less to read, and a typo is looked for once.
        let segments = self.index.searchable_segment_ids().map_err(SearchError::from)?;
        if segments.len() > 1 {
            writer.merge(&segments).wait().map_err(SearchError::from)?;
        }
        writer.wait_merging_threads().map_err(SearchError::from)?;
        Ok(count)
    }
}

/// The batches of a commit, which nothing is merged into until this is dropped, also by a panic.
struct FrozenBatches<'a> {
    state: &'a Mutex<State>,
    batches: Vec<Arc<Batch>>,
}

impl Drop for FrozenBatches<'_> {
    fn drop(&mut self) {
        lock(self.state).frozen = 0;
    }
}

fn pending(view: &View) -> usize {
    view.batches.iter().map(|batch| batch.len()).sum()
}

/// Keeps the number of batches small: one swallows the next older unless that is several times its size.
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

/// A panic elsewhere leaves nothing half done under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Redacted lines of unknown shape, collected until the user allows sending them. The follower adds lines, the
//! uploader sends them, and the page shows them. Lines are never stored unredacted.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use gamelog::UnknownLine;
use serde::Serialize;

use super::mutex::lock;

/// Maximum number of distinct lines.
const MAX_LINES: usize = 50;

#[derive(Default)]
struct State {
    patch: String,
    /// For each line: how often it occurred, and how many of these were sent.
    lines: BTreeMap<String, (u64, u64)>,
}

/// The unknown lines of one reader.
#[derive(Default)]
pub struct UnknownLines {
    is_allowed: AtomicBool,
    state: Mutex<State>,
}

/// The lines to send, exactly as they are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SampleBatch {
    pub patch: String,
    pub samples: Vec<UnknownLine>,
}

impl UnknownLines {
    /// Stores whether the user allows sending.
    pub fn allow(&self, is_allowed: bool) {
        self.is_allowed.store(is_allowed, Ordering::SeqCst);
    }

    /// Adds the lines of a log that are not in `before`.
    pub(super) fn add(&self, patch: Option<&str>, before: &[UnknownLine], now: &[UnknownLine]) {
        let mut state = lock(&self.state);
        if let Some(patch) = patch {
            state.patch = patch.to_owned();
        }
        for unknown in now {
            let counted = before.iter().find(|old| old.line == unknown.line).map_or(0, |old| old.count);
            let fresh = unknown.count.saturating_sub(counted);
            if state.lines.len() < MAX_LINES || state.lines.contains_key(&unknown.line) {
                state.lines.entry(unknown.line.clone()).or_default().0 += fresh;
            }
        }
    }

    /// All lines, for display.
    pub fn all(&self) -> SampleBatch {
        self.batch(|seen, _| seen)
    }

    /// The lines to send. `None` if there are none or the user has not allowed it.
    pub(super) fn unsent(&self) -> Option<SampleBatch> {
        let batch = self.is_allowed.load(Ordering::SeqCst).then(|| self.batch(|seen, sent| seen - sent))?;
        Some(batch).filter(|batch| !batch.samples.is_empty())
    }

    /// Marks lines as sent.
    pub(super) fn mark_sent(&self, batch: &SampleBatch) {
        let mut state = lock(&self.state);
        for sample in &batch.samples {
            if let Some((seen, sent)) = state.lines.get_mut(&sample.line) {
                *sent = (*sent + sample.count).min(*seen);
            }
        }
    }

    fn batch(&self, count: impl Fn(u64, u64) -> u64) -> SampleBatch {
        let state = lock(&self.state);
        let counted = state
            .lines
            .iter()
            .map(|(line, (seen, sent))| UnknownLine { line: line.clone(), count: count(*seen, *sent) });
        SampleBatch { patch: state.patch.clone(), samples: counted.filter(|sample| sample.count > 0).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(counts: &[(&str, u64)]) -> Vec<UnknownLine> {
        counts.iter().map(|(line, count)| UnknownLine { line: (*line).to_owned(), count: *count }).collect()
    }

    #[test]
    fn lines_are_sent_only_with_consent_and_once() {
        let samples = UnknownLines::default();
        samples.add(Some("ALPHA 4.9.0"), &[], &seen(&[("a", 2), ("b", 1)]));
        assert_eq!(samples.unsent(), None);
        samples.allow(true);
        let batch = samples.unsent().unwrap();
        assert_eq!((batch.patch.as_str(), &batch.samples), ("ALPHA 4.9.0", &seen(&[("a", 2), ("b", 1)])));
        samples.mark_sent(&batch);
        assert_eq!(samples.unsent(), None);
        samples.add(None, &seen(&[("a", 2), ("b", 1)]), &seen(&[("a", 5), ("b", 1)]));
        assert_eq!(samples.unsent().unwrap().samples, seen(&[("a", 3)]));
        assert_eq!(samples.all().samples, seen(&[("a", 5), ("b", 1)]));
    }
}

//! Redacted lines of unknown shape, collected until the user allows sending them. The follower adds lines, the
//! uploader sends them, and the page shows them. Lines are never stored unredacted.

use std::collections::BTreeMap;
use std::sync::Mutex;

use gamelog::UnknownLine;
use serde::Serialize;

use super::mutex::lock;

/// Maximum number of distinct lines.
const MAX_LINES: usize = 50;

#[derive(Default)]
struct State {
    is_allowed: bool,
    patch: String,
    /// For each line: how often it occurred, and how many of these were sent.
    lines: BTreeMap<String, (u64, u64)>,
}

/// The unknown lines of one reader.
#[derive(Default)]
pub struct UnknownLines(Mutex<State>);

/// The lines to send, exactly as they are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SampleBatch {
    pub patch: String,
    pub samples: Vec<UnknownLine>,
}

impl UnknownLines {
    /// Stores whether the user allows sending.
    pub fn allow(&self, is_allowed: bool) {
        lock(&self.0).is_allowed = is_allowed;
    }

    /// Adds the lines of a log that are not in `before`.
    pub(super) fn add(&self, patch: Option<&str>, before: &[UnknownLine], now: &[UnknownLine]) {
        let mut state = lock(&self.0);
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
        lock(&self.0).batch(|seen, _| seen)
    }

    /// The lines to send. `None` if there are none or the user has not allowed it.
    pub(super) fn unsent(&self) -> Option<SampleBatch> {
        let state = lock(&self.0);
        let batch = state.is_allowed.then(|| state.batch(|seen, sent| seen - sent));
        batch.filter(|batch| !batch.samples.is_empty())
    }

    /// Marks lines as sent.
    pub(super) fn mark_sent(&self, batch: &SampleBatch) {
        let mut state = lock(&self.0);
        for sample in &batch.samples {
            if let Some((seen, sent)) = state.lines.get_mut(&sample.line) {
                *sent = (*sent + sample.count).min(*seen);
            }
        }
    }
}

impl State {
    fn batch(&self, count: impl Fn(u64, u64) -> u64) -> SampleBatch {
        let sample = |(line, (seen, sent)): (&String, &(u64, u64))| UnknownLine {
            line: line.clone(),
            count: count(*seen, *sent),
        };
        let samples = self.lines.iter().map(sample).filter(|sample| sample.count > 0).collect();
        SampleBatch { patch: self.patch.clone(), samples }
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

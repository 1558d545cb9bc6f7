//! Lines that no shape fits, gathered until their user says that they may be sent: without names and numbers.
//! The follower fills it, the uploader empties it, the reader's page shows it.
//! Never here: a line as the game wrote it.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::gamelog::Unknown;

use super::follow::lock;

/// So many different lines are held.
const HELD_MAX: usize = 50;

#[derive(Default)]
struct Held {
    patch: String,
    /// By line: how often met, and how many of these a site has been told of.
    lines: BTreeMap<String, (u64, u64)>,
}

/// The unknown lines of one reader.
#[derive(Default)]
pub struct SampleBox {
    is_allowed: AtomicBool,
    held: Mutex<Held>,
}

/// What would be sent, word for word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lot {
    pub patch: String,
    pub samples: Vec<Unknown>,
}

impl SampleBox {
    /// Takes the user's yes or no.
    pub fn allow(&self, is_allowed: bool) {
        self.is_allowed.store(is_allowed, Ordering::SeqCst);
    }

    pub fn is_allowed(&self) -> bool {
        self.is_allowed.load(Ordering::SeqCst)
    }

    /// Adds what a log has shown since it showed `before`.
    pub(super) fn add(&self, patch: Option<&str>, before: &[Unknown], now: &[Unknown]) {
        let mut held = lock(&self.held);
        if let Some(patch) = patch {
            held.patch = patch.to_owned();
        }
        for unknown in now {
            let told = before.iter().find(|old| old.line == unknown.line).map_or(0, |old| old.count);
            let fresh = unknown.count.saturating_sub(told);
            if held.lines.len() < HELD_MAX || held.lines.contains_key(&unknown.line) {
                held.lines.entry(unknown.line.clone()).or_default().0 += fresh;
            }
        }
    }

    /// Everything met, for eyes.
    pub fn all(&self) -> Lot {
        self.lot(|met, _| met)
    }

    /// What no site has been told of; `None` without the user's yes.
    pub(super) fn unsent(&self) -> Option<Lot> {
        let lot = self.is_allowed().then(|| self.lot(|met, sent| met - sent))?;
        Some(lot).filter(|lot| !lot.samples.is_empty())
    }

    /// A site has these.
    pub(super) fn sent(&self, lot: &Lot) {
        let mut held = lock(&self.held);
        for sample in &lot.samples {
            if let Some((met, sent)) = held.lines.get_mut(&sample.line) {
                *sent = (*sent + sample.count).min(*met);
            }
        }
    }

    fn lot(&self, count: impl Fn(u64, u64) -> u64) -> Lot {
        let held = lock(&self.held);
        let counted =
            held.lines.iter().map(|(line, (met, sent))| Unknown { line: line.clone(), count: count(*met, *sent) });
        Lot { patch: held.patch.clone(), samples: counted.filter(|sample| sample.count > 0).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(counts: &[(&str, u64)]) -> Vec<Unknown> {
        counts.iter().map(|(line, count)| Unknown { line: (*line).to_owned(), count: *count }).collect()
    }

    #[test]
    fn nothing_is_given_away_without_a_yes_and_nothing_twice() {
        let samples = SampleBox::default();
        samples.add(Some("ALPHA 4.9.0"), &[], &met(&[("a", 2), ("b", 1)]));
        assert_eq!(samples.unsent(), None);
        samples.allow(true);
        let lot = samples.unsent().unwrap();
        assert_eq!((lot.patch.as_str(), &lot.samples), ("ALPHA 4.9.0", &met(&[("a", 2), ("b", 1)])));
        samples.sent(&lot);
        assert_eq!(samples.unsent(), None);
        samples.add(None, &met(&[("a", 2), ("b", 1)]), &met(&[("a", 5), ("b", 1)]));
        assert_eq!(samples.unsent().unwrap().samples, met(&[("a", 3)]));
        assert_eq!(samples.all().samples, met(&[("a", 5), ("b", 1)]));
    }
}

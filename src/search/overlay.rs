//! Changes since the last commit, in sorted immutable batches.

use std::collections::HashMap;
use std::sync::Arc;

use super::entry::{Entry, Kind};
use super::text::{self, TermKind};

/// The newest state of some entries; `None` marks a removed entry.
#[derive(Debug, Default)]
pub struct Batch {
    entries: HashMap<u64, Option<Arc<Entry>>>,
    /// Names and later words of the present entries, sorted by term.
    names: Vec<Name>,
}

#[derive(Debug, Clone)]
struct Name {
    /// The letter of the [`TermKind`], then the folded text.
    term: Arc<str>,
    entry: Arc<Entry>,
}

impl Batch {
    /// Builds a batch; later states of an entry replace earlier ones.
    pub fn new(states: impl IntoIterator<Item = (u64, Option<Arc<Entry>>)>) -> Self {
        let entries: HashMap<_, _> = states.into_iter().collect();
        let mut names = Vec::with_capacity(2 * entries.len());
        for entry in entries.values().flatten() {
            for (place, text) in text::searched(entry) {
                names.push(Name { term: place.term(entry.kind, &text).into(), entry: Arc::clone(entry) });
            }
        }
        names.sort_unstable_by(|a, b| a.term.cmp(&b.term));
        Self { entries, names }
    }

    /// Returns this batch with `newer` applied on top.
    pub fn merge(&self, newer: &Self) -> Self {
        let mut entries = self.entries.clone();
        entries.extend(newer.entries.iter().map(|(ident, entry)| (*ident, entry.clone())));
        let mut names = Vec::with_capacity(self.names.len() + newer.names.len());
        let mut old = self.names.iter().filter(|name| !newer.contains(name.entry.ident())).peekable();
        for new in &newer.names {
            while let Some(name) = old.next_if(|name| name.term <= new.term) {
                names.push(name.clone());
            }
            names.push(new.clone());
        }
        names.extend(old.cloned());
        Self { entries, names }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether this batch has a state of the entry.
    pub fn contains(&self, ident: u64) -> bool {
        self.entries.contains_key(&ident)
    }

    /// The state of an entry: `Some(None)` if removed, `None` if unknown to this batch.
    pub fn get(&self, ident: u64) -> Option<Option<&Arc<Entry>>> {
        self.entries.get(&ident).map(Option::as_ref)
    }

    pub fn states(&self) -> impl Iterator<Item = (u64, Option<&Arc<Entry>>)> {
        self.entries.iter().map(|(ident, entry)| (*ident, entry.as_ref()))
    }

    /// Entries with this term, in any order, once per occurrence.
    pub fn find_exact<'a>(&'a self, term: &'a str) -> impl Iterator<Item = &'a Arc<Entry>> {
        self.names_with_prefix(term).filter(move |name| name.term.len() == term.len()).map(|name| &name.entry)
    }

    /// Entries with a term that starts with `term`, in any order, once per occurrence.
    pub fn find_prefix<'a>(&'a self, term: &'a str) -> impl Iterator<Item = &'a Arc<Entry>> {
        self.names_with_prefix(term).map(|name| &name.entry)
    }

    /// All whole names of one kind, with their entries.
    pub fn whole_names(&self, kind: Kind) -> impl Iterator<Item = (&str, &Arc<Entry>)> {
        let letter = TermKind::Whole.letter(kind);
        let from = self.names.partition_point(|name| name.term.chars().next() < Some(letter));
        self.names[from..].iter().map_while(move |name| Some((name.term.strip_prefix(letter)?, &name.entry)))
    }

    fn names_with_prefix<'a>(&'a self, term: &'a str) -> impl Iterator<Item = &'a Name> {
        let from = self.names.partition_point(|name| &*name.term < term);
        self.names[from..].iter().take_while(move |name| name.term.starts_with(term))
    }
}

//! What changed since the last commit, in sorted batches that are never changed themselves.

use std::collections::HashMap;
use std::sync::Arc;

use super::entry::{Entry, Kind};
use super::text::{self, TermKind};

/// The newest state of some entries; `None` is a removed one.
#[derive(Debug, Default)]
pub struct Batch {
    entries: HashMap<u64, Option<Arc<Entry>>>,
    /// Names and later words of the entries that are there, sorted by place and text.
    names: Vec<Name>,
}

#[derive(Debug, Clone)]
struct Name {
    /// The place's letter, then the folded text.
    term: Arc<str>,
    entry: Arc<Entry>,
}

impl Batch {
    /// Later states of the same entry replace earlier ones.
    pub fn new(states: impl IntoIterator<Item = (u64, Option<Arc<Entry>>)>) -> Self {
        let entries: HashMap<_, _> = states.into_iter().collect();
        let mut names = Vec::with_capacity(2 * entries.len());
        for entry in entries.values().flatten() {
            let mut add = |place: TermKind, text: &str| {
                let term = format!("{}{text}", place.letter(entry.kind)).into();
                names.push(Name { term, entry: Arc::clone(entry) });
            };
            for name in text::names(entry) {
                add(TermKind::Whole, &name);
                text::later_words(&name).for_each(|word| add(TermKind::Word, word));
            }
            if entry.is_claimed && entry.kind == Kind::Player {
                add(TermKind::Skeleton, &text::skeleton(&text::fold(&entry.key)));
            }
        }
        names.sort_unstable_by(|a, b| a.term.cmp(&b.term));
        Self { entries, names }
    }

    /// This batch with a newer one on top.
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

    /// Whether this batch says what became of the entry.
    pub fn contains(&self, ident: u64) -> bool {
        self.entries.contains_key(&ident)
    }

    /// `Some(None)` is a removed entry, `None` one that this batch does not know.
    pub fn get(&self, ident: u64) -> Option<Option<&Arc<Entry>>> {
        self.entries.get(&ident).map(Option::as_ref)
    }

    pub fn states(&self) -> impl Iterator<Item = (u64, Option<&Arc<Entry>>)> {
        self.entries.iter().map(|(ident, entry)| (*ident, entry.as_ref()))
    }

    /// The entries with this term, in any order; one that has it twice comes twice.
    pub fn find_exact<'a>(&'a self, term: &'a str) -> impl Iterator<Item = &'a Arc<Entry>> {
        self.names_with_prefix(term).filter(move |name| name.term.len() == term.len()).map(|name| &name.entry)
    }

    /// The entries with a term that begins so, in any order; one that has more such terms comes more often.
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

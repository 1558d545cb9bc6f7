//! The embedded lists: read once, looked up without case.

use std::collections::{BTreeMap, HashMap};

use serde::de::DeserializeOwned;

/// Nothing in the lists is longer; longer texts are not looked up, in bytes.
const LONGEST: usize = 160;

/// A list from class to something, found by the class in any case.
pub(super) struct List<T> {
    rows: Vec<(String, T)>,
    by_fold: HashMap<String, usize>,
}

impl<T: DeserializeOwned> List<T> {
    /// Reads one of our own embedded files, which the tests of this room prove readable.
    pub(super) fn embedded(json: &'static str) -> Self {
        let rows: Vec<(String, T)> = serde_json::from_str::<BTreeMap<String, T>>(json)
            .expect("an embedded list of names is a JSON object")
            .into_iter()
            .collect();
        let by_fold = rows.iter().enumerate().map(|(i, (class, _))| (class.to_ascii_lowercase(), i)).collect();
        Self { rows, by_fold }
    }
}

impl<T> List<T> {
    /// The class as the list spells it, with what the list says of it.
    pub(super) fn get(&self, class: &str) -> Option<(&str, &T)> {
        if class.len() > LONGEST {
            return None;
        }
        let (class, value) = &self.rows[*self.by_fold.get(&class.to_ascii_lowercase())?];
        Some((class, value))
    }

    /// Like [`List::get`], cutting `_part` after `_part` off the end, but keeping at least `keep` parts.
    pub(super) fn get_shortened(&self, class: &str, keep: usize) -> Option<(&str, &T)> {
        let mut rest = class;
        while rest.split('_').count() > keep {
            (rest, _) = rest.rsplit_once('_')?;
            if let Some(found) = self.get(rest) {
                return Some(found);
            }
        }
        None
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.rows.iter().map(|(class, value)| (class.as_str(), value))
    }
}

/// Cuts a suffix off without looking at case; `None` when it is not there or nothing would be left.
pub(super) fn cut_suffix<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(suffix.len()).filter(|&at| at > 0)?;
    (text.get(at..)?.eq_ignore_ascii_case(suffix)).then(|| &text[..at])
}

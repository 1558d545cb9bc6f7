//! Embedded lists of names: parsed once, looked up case-insensitively.

use std::collections::{BTreeMap, HashMap};

use serde::de::DeserializeOwned;

/// No class in the lists is longer; longer texts are not looked up.
const MAX_CLASS_BYTES: usize = 160;

/// A map from class to value with case-insensitive lookup.
pub(super) struct List<T> {
    rows: Vec<(String, T)>,
    by_fold: HashMap<String, usize>,
}

impl<T: DeserializeOwned> List<T> {
    /// Parses an embedded file. The tests parse all of them.
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
    /// Returns the class in the list's spelling, and its value.
    pub(super) fn get(&self, class: &str) -> Option<(&str, &T)> {
        if class.len() > MAX_CLASS_BYTES {
            return None;
        }
        let (class, value) = &self.rows[*self.by_fold.get(&class.to_ascii_lowercase())?];
        Some((class, value))
    }

    /// Like [`List::get`], but removes `_part` suffixes until the class is found. Keeps at least `keep` parts.
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

/// Removes a suffix, ignoring case; `None` if it is missing or nothing would remain.
pub(super) fn strip_suffix_ignore_case<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(suffix.len()).filter(|&at| at > 0)?;
    (text.get(at..)?.eq_ignore_ascii_case(suffix)).then(|| &text[..at])
}

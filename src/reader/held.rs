//! Events that the site stored and does not count, by reason.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::i18n::Texts;

/// Number of reasons in a note on the terminal.
const MAX_NOTED: usize = 3;

/// Reasons with the same way to make events count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Unclaimed,
    ThirdParty,
    Limit,
    UnknownKind,
    Name,
    Channel,
    Admin,
    /// Includes reasons of newer sites.
    Other,
}

impl Group {
    /// The group of a reason, by its name in the site's API.
    fn of(reason: &str) -> Self {
        match reason {
            "unclaimed" => Self::Unclaimed,
            "third_party" => Self::ThirdParty,
            "too_many_fights" | "too_many_kills" | "too_many_contracts" | "too_many_names" | "two_logs"
            | "repeated_contract" => Self::Limit,
            "unknown_kind" => Self::UnknownKind,
            "provisional_name" => Self::Name,
            "other_channel" => Self::Channel,
            "held_by_admin" | "void_by_admin" | "no_reports" => Self::Admin,
            _ => Self::Other,
        }
    }

    /// The key of the text that names the reason and what makes the events count.
    fn key(self) -> &'static str {
        match self {
            Self::Unclaimed => "held_unclaimed",
            Self::ThirdParty => "held_third_party",
            Self::Limit => "held_limit",
            Self::UnknownKind => "held_unknown_kind",
            Self::Name => "held_name",
            Self::Channel => "held_channel",
            Self::Admin => "held_admin",
            Self::Other => "held_other",
        }
    }
}

/// Number of held events by reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeldCounts {
    by_group: BTreeMap<Group, u64>,
}

impl HeldCounts {
    /// Adds an event that is held for a reason of the site's API.
    pub fn add(&mut self, reason: &str) {
        self.add_many(Group::of(reason), 1);
    }

    pub fn merge(&mut self, other: &Self) {
        for (group, count) in &other.by_group {
            self.add_many(*group, *count);
        }
    }

    fn add_many(&mut self, group: Group, count: u64) {
        let known = self.by_group.entry(group).or_default();
        *known = known.saturating_add(count);
    }

    pub fn total(&self) -> u64 {
        self.by_group.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    pub fn is_empty(&self) -> bool {
        self.by_group.is_empty()
    }

    /// One sentence per reason, the most frequent first.
    pub fn reasons(&self, texts: &Texts) -> Vec<String> {
        let mut groups: Vec<(Group, u64)> = self.by_group.iter().map(|(group, count)| (*group, *count)).collect();
        groups.sort_by_key(|(group, count)| (Reverse(*count), *group));
        let sentence = |(group, count): (Group, u64)| texts.format(group.key(), &[("count", &count.to_string())]);
        groups.into_iter().map(sentence).collect()
    }

    /// The number of events and the main reasons, in one line.
    pub fn note(&self, texts: &Texts) -> String {
        let total = texts.format("held_events", &[("count", &self.total().to_string())]);
        let reasons = self.reasons(texts).into_iter().take(MAX_NOTED);
        [total].into_iter().chain(reasons).collect::<Vec<_>>().join(" · ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::trust::Reasons;
    use crate::i18n::Language;

    fn counts(reasons: &[&str]) -> HeldCounts {
        let mut counts = HeldCounts::default();
        reasons.iter().for_each(|reason| counts.add(reason));
        counts
    }

    #[test]
    fn every_reason_of_the_site_has_a_text() {
        for (_, name) in Reasons::NAMES {
            assert_ne!(Group::of(name), Group::Other, "{name}");
        }
        for language in Language::ALL {
            for (_, name) in Reasons::NAMES.iter().chain(&[(Reasons::NONE, "new")]) {
                let reasons = counts(&[name]).reasons(language.reader());
                assert!(reasons.len() == 1 && reasons[0].contains('1') && !reasons[0].contains('{'), "{reasons:?}");
            }
        }
    }

    #[test]
    fn the_most_frequent_reason_is_first_and_limits_are_one_reason() {
        let mut counts = counts(&["third_party", "too_many_fights", "two_logs"]);
        counts.merge(&counts.clone());
        counts.add("something new");
        let reasons = counts.reasons(Language::En.reader());
        assert_eq!(counts.total(), 7);
        let starts: Vec<&str> = reasons.iter().filter_map(|reason| reason.split('.').next()).collect();
        assert_eq!(starts, ["4: beyond a limit", "2: you did not take part", "1: for other reasons"]);
        assert!(
            counts.note(Language::En.reader()).starts_with("Uploaded but not counted so far: 7 · 4: beyond a limit.")
        );
    }
}

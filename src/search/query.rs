//! Evaluates a query: exact matches, then prefixes, then words within names, or else one typo; each tier by score.

use std::cmp::Reverse;
use std::sync::Arc;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder};
use tantivy::TantivyError;

use super::entry::{Entry, Hit, Kind, MatchKind};
use super::overlay::Batch;
use super::segments::{Candidate, Segments, Verdict};
use super::text::{self, MAX_NAME_CHARS, MAX_PREFIX_CHARS, MIN_PREFIX_CHARS, TermKind};

/// Upper limit in bytes: four for each of the 256 characters that the routes accept.
const MAX_QUERY_BYTES: usize = 4 * 256;
/// Minimum length at which a typo is tolerated.
const MIN_TYPO_CHARS: usize = 4;
/// Maximum length at which a typo is tolerated; no handle is longer. The automaton grows with the text.
const MAX_TYPO_BYTES: usize = 64;
/// Number of entries with the same whole name that are read to find the one with that handle.
const MAX_SAME_NAME: usize = 256;
/// Number of entries under an 8-character prefix that are compared with a longer query before its whole names are scanned.
const MAX_VERIFIED: usize = 300;
/// Maximum number of whole names to scan.
const MAX_SCANNED_NAMES: usize = 20_000;

/// A consistent state of the index: committed segments and newer batches, oldest first.
pub struct View {
    pub segments: Arc<Segments>,
    pub batches: Vec<Arc<Batch>>,
}

/// A valid query.
struct Query {
    kind: Kind,
    text: String,
    chars: usize,
}

/// Rank of a match in the result, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Key,
    Name,
    FormerWhole,
    Prefix,
    Word,
    Typo,
}

struct Match {
    tier: Tier,
    folded_key: String,
    hit: Hit,
}

/// Entries in segments, and those in batches.
type Found = (Vec<Candidate>, Vec<Arc<Entry>>);

impl Query {
    fn new(kind: Kind, text: &str) -> Option<Self> {
        let trimmed = text.trim();
        if text.len() > MAX_QUERY_BYTES || trimmed.chars().nth(MIN_PREFIX_CHARS - 1).is_none() {
            return None;
        }
        let text = text::fold(trimmed);
        let chars = text.chars().count();
        (MIN_PREFIX_CHARS..MAX_NAME_CHARS).contains(&chars).then_some(Self { kind, text, chars })
    }

    fn term(&self, place: TermKind, text: &str) -> String {
        place.term(self.kind, text)
    }

    /// How an entry matches; typos only if `typos` is given.
    fn match_entry(&self, entry: &Arc<Entry>, typos: Option<&DFA>) -> Option<Match> {
        let folded_key = text::fold(&entry.key);
        let name = text::fold(&entry.name);
        let text = self.text.as_str();
        let former =
            |matches: &dyn Fn(&str) -> bool| entry.former.iter().find(|former| matches(&text::fold(former))).cloned();
        let is_typo = |name: &str| typos.is_some_and(|dfa| matches!(dfa.eval(name), Distance::Exact(_)));
        let in_word = |name: &str| text::later_words(name).any(|word| word.starts_with(text));
        let (tier, matched, former) = if folded_key == text {
            (Tier::Key, MatchKind::Exact, None)
        } else if name == text {
            (Tier::Name, MatchKind::Exact, None)
        } else if let Some(former) = former(&|former| former == text) {
            (Tier::FormerWhole, MatchKind::Former, Some(former))
        } else if folded_key.starts_with(text) || name.starts_with(text) {
            (Tier::Prefix, MatchKind::Prefix, None)
        } else if let Some(former) = former(&|former| former.starts_with(text)) {
            (Tier::Prefix, MatchKind::Former, Some(former))
        } else if in_word(&folded_key) || in_word(&name) {
            (Tier::Word, MatchKind::Prefix, None)
        } else if let Some(former) = former(&in_word) {
            (Tier::Word, MatchKind::Former, Some(former))
        } else if is_typo(&folded_key) || is_typo(&name) {
            (Tier::Typo, MatchKind::Typo, None)
        } else {
            (Tier::Typo, MatchKind::Former, Some(former(&is_typo)?))
        };
        Some(Match { tier, folded_key, hit: Hit { entry: Arc::clone(entry), matched, former, look_alike_of: None } })
    }
}

impl View {
    /// See [`super::SearchIndex::suggest`].
    pub fn suggest(
        &self,
        automata: &LevenshteinAutomatonBuilder,
        kind: Kind,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Hit>, TantivyError> {
        let Some(query) = Query::new(kind, text).filter(|_| limit > 0) else {
            return Ok(Vec::new());
        };
        let mut matches = Vec::new();
        self.collect_matches(self.find_whole(&query)?, usize::MAX, &query, None, &mut matches)?;
        for kind in [TermKind::Prefix, TermKind::Word] {
            let count = limit + matches.len();
            if kind == TermKind::Prefix || matches.len() < limit {
                self.collect_matches(self.find_prefixes(&query, kind, count)?, count, &query, None, &mut matches)?;
            }
        }
        let mut dfa = None;
        if matches.is_empty() && query.chars >= MIN_TYPO_CHARS && query.text.len() <= MAX_TYPO_BYTES {
            let prefix_dfa = dfa.insert(automata.build_prefix_dfa(&query.text));
            let found = self.find_typos(automata, &query, prefix_dfa, limit)?;
            self.collect_matches(found, limit, &query, Some(prefix_dfa), &mut matches)?;
        }
        let place = |found: &Match| (found.tier, Reverse(found.hit.entry.score));
        matches.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.folded_key.cmp(&b.folded_key)));
        matches.truncate(limit);
        self.rank_hits(&query, dfa.as_ref(), matches, limit)
    }

    /// The newest state of an entry; `None` if there is none.
    pub fn find(&self, ident: u64, fields: &super::schema::Fields) -> Result<Option<Arc<Entry>>, TantivyError> {
        match self.batches.iter().rev().find_map(|batch| batch.get(ident)) {
            Some(state) => Ok(state.cloned()),
            None => Ok(self.segments.find(ident, fields)?.map(Arc::new)),
        }
    }

    /// Adds the best `count` of the found entries to `matches`, except those that are in it.
    fn collect_matches(
        &self,
        (mut candidates, mut entries): Found,
        count: usize,
        query: &Query,
        typos: Option<&DFA>,
        matches: &mut Vec<Match>,
    ) -> Result<(), TantivyError> {
        let known: Vec<u64> = matches.iter().map(|known| known.hit.entry.ident()).collect();
        candidates.retain(|candidate| !known.contains(&candidate.ident));
        candidates.sort_unstable_by_key(|candidate| (Reverse(candidate.score), candidate.ident));
        candidates.dedup_by_key(|candidate| candidate.ident);
        // All entries with the last score are read, because their keys decide which of them are included.
        let last = candidates.iter().take(count).next_back().map(|candidate| candidate.score);
        for candidate in candidates.iter().take_while(|candidate| last.is_some_and(|last| candidate.score >= last)) {
            entries.push(Arc::new(self.segments.entry(candidate)?));
        }
        entries.retain(|entry| !known.contains(&entry.ident()));
        entries.sort_by_cached_key(|entry| (Reverse(entry.score), text::fold(&entry.key), entry.ident()));
        entries.dedup_by_key(|entry| entry.ident());
        matches.extend(entries.iter().take(count).filter_map(|entry| query.match_entry(entry, typos)));
        Ok(())
    }

    /// Entries with a name that equals the query.
    fn find_whole(&self, query: &Query) -> Result<Found, TantivyError> {
        let term = query.term(TermKind::Whole, &query.text);
        let candidates = self.segments.find_by_term(&term, MAX_SAME_NAME, |candidate| self.verdict(candidate))?;
        Ok((candidates, self.find_in_batches(|batch| batch.find_exact(&term).cloned().collect())))
    }

    /// Entries with a name, or a later word of one, that starts with the query.
    fn find_prefixes(&self, query: &Query, kind: TermKind, count: usize) -> Result<Found, TantivyError> {
        let prefix_term = query.term(kind, text::first_chars(&query.text, MAX_PREFIX_CHARS));
        let (tier, whole) = match kind {
            TermKind::Word => (Tier::Word, query.term(kind, &query.text)),
            _ => (Tier::Prefix, query.term(TermKind::Whole, &query.text)),
        };
        let current = |candidate: &Candidate| self.verdict(candidate);
        let candidates = if query.chars <= MAX_PREFIX_CHARS {
            self.segments.find_by_term(&prefix_term, count, current)?
        } else {
            let (verified, is_complete) = self.find_verified(query, &prefix_term, tier, count)?;
            if is_complete || kind == TermKind::Word {
                verified
            } else {
                self.segments.find_by_term_prefix(&whole, MAX_SCANNED_NAMES, count, current)?
            }
        };
        Ok((candidates, self.find_in_batches(|batch| batch.find_prefix(&whole).cloned().collect())))
    }

    /// Entries with a name that starts with a text one edit away from the query.
    ///
    /// For a query of up to seven characters, such a text has at most eight and is a prefix term. A longer query has so few
    /// candidates in the dictionary that whole names are searched.
    fn find_typos(
        &self,
        builder: &LevenshteinAutomatonBuilder,
        query: &Query,
        prefix_dfa: &DFA,
        count: usize,
    ) -> Result<Found, TantivyError> {
        let near;
        let (kind, dfa) = if query.chars < MAX_PREFIX_CHARS {
            near = builder.build_dfa(&query.text);
            (TermKind::Prefix, &near)
        } else {
            (TermKind::Whole, prefix_dfa)
        };
        let current = |candidate: &Candidate| self.verdict(candidate);
        let candidates = self.segments.find_by_automaton(kind.letter(query.kind), dfa, count, current)?;
        let is_near = |name: &str| matches!(prefix_dfa.eval(name), Distance::Exact(_));
        let in_batches = self.find_in_batches(|batch| {
            let near = batch.whole_names(query.kind).filter(|(name, _)| is_near(name));
            near.map(|(_, entry)| Arc::clone(entry)).collect()
        });
        Ok((candidates, in_batches))
    }

    /// Entries under the term `prefix_term` that match the whole query at `tier` or better; false if [`MAX_VERIFIED`] were compared
    /// without finding `count`.
    fn find_verified(
        &self,
        query: &Query,
        prefix_term: &str,
        tier: Tier,
        count: usize,
    ) -> Result<(Vec<Candidate>, bool), TantivyError> {
        let mut left = MAX_VERIFIED;
        let decide = |candidate: &Candidate| {
            if self.verdict(candidate)? == Verdict::Skip {
                return Ok(Verdict::Skip);
            }
            if left == 0 {
                return Ok(Verdict::Stop);
            }
            left -= 1;
            let entry = Arc::new(self.segments.entry(candidate)?);
            let matches = query.match_entry(&entry, None).is_some_and(|found| found.tier <= tier);
            Ok(if matches { Verdict::Take } else { Verdict::Skip })
        };
        let found = self.segments.find_by_term(prefix_term, count, decide)?;
        Ok((found, left > 0))
    }

    /// Whether the entry is current: no batch has a newer state of it.
    fn verdict(&self, candidate: &Candidate) -> Result<Verdict, TantivyError> {
        let is_current = !self.batches.iter().any(|batch| batch.contains(candidate.ident));
        Ok(if is_current { Verdict::Take } else { Verdict::Skip })
    }

    /// The entries that `find` returns from each batch, without those that a newer batch overrides.
    fn find_in_batches(&self, find: impl Fn(&Batch) -> Vec<Arc<Entry>>) -> Vec<Arc<Entry>> {
        let mut all = Vec::new();
        for (number, batch) in self.batches.iter().enumerate() {
            let later = &self.batches[number + 1..];
            let is_newest = |entry: &Arc<Entry>| !later.iter().any(|batch| batch.contains(entry.ident()));
            all.extend(find(batch).into_iter().filter(is_newest));
        }
        all
    }

    /// Moves a claimed handle above its look-alikes, and marks those.
    fn rank_hits(
        &self,
        query: &Query,
        typos: Option<&DFA>,
        mut matches: Vec<Match>,
        limit: usize,
    ) -> Result<Vec<Hit>, TantivyError> {
        let mut at = 0;
        while at < matches.len() {
            let found = &mut matches[at];
            if query.kind == Kind::Player
                && !found.hit.entry.is_claimed
                && let Some(claimed) = self.find_claimed_look_alike(&found.folded_key)?
            {
                found.hit.look_alike_of = Some(claimed.key.clone());
                match matches.iter().position(|other| other.hit.entry.ident() == claimed.ident()) {
                    Some(below) if below > at => matches[at..=below].rotate_right(1),
                    Some(_) => {}
                    None => matches.splice(at..at, query.match_entry(&claimed, typos)).for_each(drop),
                }
            }
            at += 1;
        }
        Ok(matches.into_iter().take(limit).map(|found| found.hit).collect())
    }

    /// The best claimed handle that resembles this one.
    fn find_claimed_look_alike(&self, folded_key: &str) -> Result<Option<Arc<Entry>>, TantivyError> {
        let term = TermKind::Skeleton.term(Kind::Player, &text::skeleton(folded_key));
        let candidates = self.segments.find_by_term(&term, 1, |candidate| self.verdict(candidate))?;
        let mut found = self.find_in_batches(|batch| batch.find_exact(&term).cloned().collect());
        for candidate in &candidates {
            found.push(Arc::new(self.segments.entry(candidate)?));
        }
        Ok(found.into_iter().min_by_key(|entry| (Reverse(entry.score), text::fold(&entry.key))))
    }
}

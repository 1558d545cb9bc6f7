//! One answer: exact matches, then what begins so, then words within names, or else one typo; each best by score first.

use std::cmp::Reverse;
use std::sync::Arc;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder};
use tantivy::TantivyError;

use super::entry::{Entry, Hit, Kind, Matched};
use super::fresh::Batch;
use super::shelf::{Shelf, Spot, Verdict};
use super::text::{self, LONGEST_GRAM, LONGEST_NAME, Place, SHORTEST_GRAM};

/// Longer texts find nothing, in bytes: four for each character that the routes accept.
const LONGEST_QUERY: usize = 4 * 256;
/// A typo is forgiven from this many characters on.
const TYPO_FROM: usize = 4;
/// And up to this many bytes, which no handle exceeds: the automaton grows with the text.
const TYPO_TO: usize = 64;
/// How many of one whole name are looked at for the one whose handle it is.
const SAME_NAME: usize = 256;
/// How many of a well-known prefix are checked against a longer query before its whole names are gone through.
const CHECKED: usize = 300;
/// How many whole names are gone through at most.
const GONE_THROUGH: usize = 20_000;

/// A consistent state of the search: what is committed, and what is younger, oldest first.
pub struct View {
    pub shelf: Arc<Shelf>,
    pub batches: Vec<Arc<Batch>>,
}

/// A query that can find something.
struct Asked {
    kind: Kind,
    text: String,
    chars: usize,
}

/// Where a match stands in an answer, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Key,
    Name,
    FormerWhole,
    Start,
    Word,
    Typo,
}

struct Match {
    tier: Tier,
    entry: Arc<Entry>,
    folded_key: String,
    matched: Matched,
    former: Option<String>,
}

impl Asked {
    fn new(kind: Kind, text: &str) -> Option<Self> {
        let trimmed = text.trim();
        if text.len() > LONGEST_QUERY || trimmed.chars().nth(SHORTEST_GRAM - 1).is_none() {
            return None;
        }
        let text = text::fold(trimmed);
        let chars = text.chars().count();
        (SHORTEST_GRAM..LONGEST_NAME).contains(&chars).then_some(Self { kind, text, chars })
    }

    fn term(&self, place: Place, text: &str) -> String {
        format!("{}{text}", place.letter(self.kind))
    }

    /// How an entry matches, if it does; typos only when there is an automaton for them.
    fn judge(&self, entry: &Arc<Entry>, typos: Option<&DFA>) -> Option<Match> {
        let folded_key = text::fold(&entry.key);
        let name = text::fold(&entry.name);
        let query = self.text.as_str();
        let former =
            |matches: &dyn Fn(&str) -> bool| entry.former.iter().find(|former| matches(&text::fold(former))).cloned();
        let is_typo = |name: &str| typos.is_some_and(|dfa| matches!(dfa.eval(name), Distance::Exact(_)));
        let in_word = |name: &str| text::later_words(name).any(|word| word.starts_with(query));
        let (tier, matched, former) = if folded_key == query {
            (Tier::Key, Matched::Exact, None)
        } else if name == query {
            (Tier::Name, Matched::Exact, None)
        } else if let Some(former) = former(&|former| former == query) {
            (Tier::FormerWhole, Matched::Former, Some(former))
        } else if folded_key.starts_with(query) || name.starts_with(query) {
            (Tier::Start, Matched::Prefix, None)
        } else if let Some(former) = former(&|former| former.starts_with(query)) {
            (Tier::Start, Matched::Former, Some(former))
        } else if in_word(&folded_key) || in_word(&name) {
            (Tier::Word, Matched::Prefix, None)
        } else if let Some(former) = former(&in_word) {
            (Tier::Word, Matched::Former, Some(former))
        } else if is_typo(&folded_key) || is_typo(&name) {
            (Tier::Typo, Matched::Typo, None)
        } else {
            (Tier::Typo, Matched::Former, Some(former(&is_typo)?))
        };
        Some(Match { tier, entry: Arc::clone(entry), folded_key, matched, former })
    }
}

impl View {
    /// At most `limit` answers, best first; none for a text of fewer than 2 or more than 256 characters.
    pub fn suggest(
        &self,
        typos: &LevenshteinAutomatonBuilder,
        kind: Kind,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Hit>, TantivyError> {
        let Some(asked) = Asked::new(kind, text).filter(|_| limit > 0) else {
            return Ok(Vec::new());
        };
        let mut matches = Vec::new();
        self.take(self.whole(&asked)?, usize::MAX, &asked, None, &mut matches)?;
        self.take(self.starts(&asked, limit + matches.len())?, limit + matches.len(), &asked, None, &mut matches)?;
        if matches.len() < limit {
            self.take(self.words(&asked, limit + matches.len())?, limit + matches.len(), &asked, None, &mut matches)?;
        }
        let mut dfa = None;
        if matches.is_empty() && asked.chars >= TYPO_FROM && asked.text.len() <= TYPO_TO {
            let near_starts = dfa.insert(typos.build_prefix_dfa(&asked.text));
            let found = self.typos(typos, &asked, near_starts, limit)?;
            self.take(found, limit, &asked, Some(near_starts), &mut matches)?;
        }
        let place = |found: &Match| (found.tier, Reverse(found.entry.score));
        matches.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.folded_key.cmp(&b.folded_key)));
        matches.truncate(limit);
        self.hits(&asked, dfa.as_ref(), matches, limit)
    }

    /// The newest state of an entry: `None` when it is not there.
    pub fn find(&self, ident: u64, fields: &super::schema::Fields) -> Result<Option<Arc<Entry>>, TantivyError> {
        match self.batches.iter().rev().find_map(|batch| batch.get(ident)) {
            Some(state) => Ok(state.cloned()),
            None => Ok(self.shelf.find(ident, fields)?.map(Arc::new)),
        }
    }

    /// Turns the best of what was found into matches, those that are not there yet.
    fn take(
        &self,
        (mut spots, mut fresh): (Vec<Spot>, Vec<Arc<Entry>>),
        count: usize,
        asked: &Asked,
        typos: Option<&DFA>,
        matches: &mut Vec<Match>,
    ) -> Result<(), TantivyError> {
        let known: Vec<u64> = matches.iter().map(|known| known.entry.ident()).collect();
        spots.retain(|spot| !known.contains(&spot.ident));
        spots.sort_unstable_by_key(|spot| (Reverse(spot.score), spot.ident));
        spots.dedup_by_key(|spot| spot.ident);
        // All that share the last score: their keys decide.
        let last = count.min(spots.len()).checked_sub(1).and_then(|last| spots.get(last)).map(|spot| spot.score);
        for spot in spots.iter().take_while(|spot| last.is_some_and(|last| spot.score >= last)) {
            fresh.push(Arc::new(self.shelf.entry(spot)?));
        }
        fresh.retain(|entry| !known.contains(&entry.ident()));
        fresh.sort_by_cached_key(|entry| (Reverse(entry.score), text::fold(&entry.key), entry.ident()));
        fresh.dedup_by_key(|entry| entry.ident());
        matches.extend(fresh.iter().take(count).filter_map(|entry| asked.judge(entry, typos)));
        Ok(())
    }

    /// Those with a name that is the query.
    fn whole(&self, asked: &Asked) -> Result<(Vec<Spot>, Vec<Arc<Entry>>), TantivyError> {
        let term = asked.term(Place::Whole, &asked.text);
        let mut spots = Vec::new();
        self.shelf.with_term(&term, SAME_NAME, |spot| Ok(self.current(spot)), &mut spots)?;
        Ok((spots, self.younger(|batch, out| out.extend(batch.exactly(&term).cloned()))))
    }

    /// Those with a name that begins with the query.
    fn starts(&self, asked: &Asked, count: usize) -> Result<(Vec<Spot>, Vec<Arc<Entry>>), TantivyError> {
        let whole = asked.term(Place::Whole, &asked.text);
        let gram = asked.term(Place::Start, text::first_chars(&asked.text, LONGEST_GRAM));
        let mut spots = Vec::new();
        if asked.chars <= LONGEST_GRAM {
            self.shelf.with_term(&gram, count, |spot| Ok(self.current(spot)), &mut spots)?;
        } else if !self.checked(asked, &gram, Tier::Start, count, CHECKED, &mut spots)? {
            spots.clear();
            let current = |spot: &Spot| Ok(self.current(spot));
            self.shelf.with_terms_beginning(&whole, GONE_THROUGH, count, current, &mut spots)?;
        }
        Ok((spots, self.younger(|batch, out| out.extend(batch.beginning_with(&whole).cloned()))))
    }

    /// Those with a later word that begins with the query.
    fn words(&self, asked: &Asked, count: usize) -> Result<(Vec<Spot>, Vec<Arc<Entry>>), TantivyError> {
        let word = asked.term(Place::Word, &asked.text);
        let gram = asked.term(Place::Word, text::first_chars(&asked.text, LONGEST_GRAM));
        let mut spots = Vec::new();
        if asked.chars <= LONGEST_GRAM {
            self.shelf.with_term(&gram, count, |spot| Ok(self.current(spot)), &mut spots)?;
        } else {
            self.checked(asked, &gram, Tier::Word, count, CHECKED, &mut spots)?;
        }
        Ok((spots, self.younger(|batch, out| out.extend(batch.beginning_with(&word).cloned()))))
    }

    /// Those with a name that begins with something one letter away from the query.
    ///
    /// Up to seven characters, what is one away has at most eight and so is a term itself. Longer queries are
    /// rare enough in the names' tree that whole names can be walked.
    fn typos(
        &self,
        builder: &LevenshteinAutomatonBuilder,
        asked: &Asked,
        near_starts: &DFA,
        count: usize,
    ) -> Result<(Vec<Spot>, Vec<Arc<Entry>>), TantivyError> {
        let mut spots = Vec::new();
        let current = |spot: &Spot| Ok(self.current(spot));
        if asked.chars < LONGEST_GRAM {
            let near = builder.build_dfa(&asked.text);
            self.shelf.with_terms_like(Place::Start.letter(asked.kind), &near, count, current, &mut spots)?;
        } else {
            self.shelf.with_terms_like(Place::Whole.letter(asked.kind), near_starts, count, current, &mut spots)?;
        }
        let is_near = |name: &str| matches!(near_starts.eval(name), Distance::Exact(_));
        let fresh = self.younger(|batch, out| {
            out.extend(batch.wholes(asked.kind).filter(|(name, _)| is_near(name)).map(|(_, entry)| Arc::clone(entry)));
        });
        Ok((spots, fresh))
    }

    /// Those under `gram` that match the whole query at `tier` or better; false when `most` were looked at in vain.
    fn checked(
        &self,
        asked: &Asked,
        gram: &str,
        tier: Tier,
        count: usize,
        most: usize,
        spots: &mut Vec<Spot>,
    ) -> Result<bool, TantivyError> {
        let mut left = most;
        let judge = |spot: &Spot| {
            if self.current(spot) == Verdict::Skip {
                return Ok(Verdict::Skip);
            }
            if left == 0 {
                return Ok(Verdict::Stop);
            }
            left -= 1;
            let entry = Arc::new(self.shelf.entry(spot)?);
            let matches = asked.judge(&entry, None).is_some_and(|found| found.tier <= tier);
            Ok(if matches { Verdict::Take } else { Verdict::Skip })
        };
        self.shelf.with_term(gram, count, judge, spots)?;
        Ok(left > 0)
    }

    /// Whether no batch says something newer of this entry.
    fn current(&self, spot: &Spot) -> Verdict {
        let is_current = !self.batches.iter().any(|batch| batch.holds(spot.ident));
        if is_current { Verdict::Take } else { Verdict::Skip }
    }

    /// What `find` finds in each batch and no younger batch overrules.
    fn younger(&self, find: impl Fn(&Batch, &mut Vec<Arc<Entry>>)) -> Vec<Arc<Entry>> {
        let mut all = Vec::new();
        for (number, batch) in self.batches.iter().enumerate() {
            let from = all.len();
            find(batch, &mut all);
            let later = &self.batches[number + 1..];
            if !later.is_empty() {
                let kept = all.split_off(from);
                all.extend(kept.into_iter().filter(|entry| !later.iter().any(|batch| batch.holds(entry.ident()))));
            }
        }
        all
    }

    /// Puts a claimed handle before those that look like it, and says so on them.
    fn hits(
        &self,
        asked: &Asked,
        typos: Option<&DFA>,
        matches: Vec<Match>,
        limit: usize,
    ) -> Result<Vec<Hit>, TantivyError> {
        let mut matches: Vec<(Match, Option<String>)> = matches.into_iter().map(|found| (found, None)).collect();
        let mut at = 0;
        while at < matches.len() {
            let found = &matches[at].0;
            if asked.kind == Kind::Player && !found.entry.is_claimed {
                let claimed = self.claimed_like(&found.folded_key)?;
                if let Some(claimed) = claimed {
                    matches[at].1 = Some(claimed.key.clone());
                    let below = matches.iter().position(|(other, _)| other.entry.ident() == claimed.ident());
                    match below {
                        Some(below) if below > at => matches[at..=below].rotate_right(1),
                        Some(_) => {}
                        None => {
                            if let Some(claimed) = asked.judge(&claimed, typos) {
                                matches.insert(at, (claimed, None));
                            }
                        }
                    }
                }
            }
            at += 1;
        }
        matches.truncate(limit);
        Ok(matches.into_iter().map(|(found, look_alike_of)| found.into_hit(look_alike_of)).collect())
    }

    /// The best claimed handle that looks like this one.
    fn claimed_like(&self, folded_key: &str) -> Result<Option<Arc<Entry>>, TantivyError> {
        let term = format!("{}{}", Place::Looks.letter(Kind::Player), text::looks(folded_key));
        let mut spots = Vec::new();
        self.shelf.with_term(&term, 1, |spot| Ok(self.current(spot)), &mut spots)?;
        let fresh = self.younger(|batch, out| out.extend(batch.exactly(&term).cloned()));
        let stored: Vec<_> = spots.iter().map(|spot| self.shelf.entry(spot).map(Arc::new)).collect::<Result<_, _>>()?;
        Ok(fresh.into_iter().chain(stored).min_by_key(|entry| (Reverse(entry.score), text::fold(&entry.key))))
    }
}

impl Match {
    fn into_hit(self, look_alike_of: Option<String>) -> Hit {
        let entry = Arc::unwrap_or_clone(self.entry);
        Hit {
            kind: entry.kind,
            id: entry.id,
            key: entry.key,
            name: entry.name,
            org_short: entry.org_short,
            score: entry.score,
            member_count: entry.member_count,
            is_claimed: entry.is_claimed,
            matched: self.matched,
            former: self.former,
            look_alike_of,
        }
    }
}

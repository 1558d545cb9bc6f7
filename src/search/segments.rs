//! The committed segments. Their readers stay open, because opening one costs a hundred times as much as a lookup.

use std::cmp::Reverse;

use levenshtein_automata::{DFA, Distance, SINK_STATE};
use tantivy::columnar::{BytesColumn, Column};
use tantivy::fastfield::AliveBitSet;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, TantivyError};
use tantivy_fst::Automaton;

use super::entry::Entry;
use super::schema::{self, ENCODED, Fields, IDENT, SCORE};

/// All segments of one commit.
pub struct Segments {
    segments: Vec<Segment>,
}

struct Segment {
    term_index: std::sync::Arc<InvertedIndexReader>,
    ident_index: std::sync::Arc<InvertedIndexReader>,
    ident: Column<u64>,
    score: Column<i64>,
    encoded: BytesColumn,
    alive: Option<AliveBitSet>,
}

/// The location of an entry and its sort keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pub score: i64,
    pub ident: u64,
    segment: usize,
    doc: DocId,
    /// Ordinal of the folded key among all entries of the segment.
    key_ordinal: u64,
}

/// Decision about a candidate while a posting list is read from the best entry on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Take,
    Skip,
    /// Ends the reading of this list.
    Stop,
}

impl Segments {
    pub fn open(searcher: &Searcher, fields: &Fields) -> Result<Self, TantivyError> {
        let segments = searcher.segment_readers().iter().map(|segment| Segment::open(segment, fields));
        Ok(Self { segments: segments.collect::<Result<_, _>>()? })
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.segments.iter().map(Segment::len).sum()
    }

    /// Finds the best entries with this term that `decide` accepts, by score and key, at most `count` per segment.
    pub fn find_by_term(
        &self,
        term: &str,
        count: usize,
        mut decide: impl FnMut(&Candidate) -> Result<Verdict, TantivyError>,
    ) -> Result<Vec<Candidate>, TantivyError> {
        let mut found = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            if let Some(info) = segment.term_index.terms().get(term)? {
                segment.collect(&segment.term_index, number, &info, count, &mut decide, &mut found)?;
            }
        }
        Ok(found)
    }

    /// Finds the best entries with any term that starts with `term`, at most `count` per term and `terms` terms per segment.
    pub fn find_by_term_prefix(
        &self,
        term: &str,
        terms: usize,
        count: usize,
        mut decide: impl FnMut(&Candidate) -> Result<Verdict, TantivyError>,
    ) -> Result<Vec<Candidate>, TantivyError> {
        let mut found = Vec::new();
        let end = format!("{term}{}", char::MAX);
        for (number, segment) in self.segments.iter().enumerate() {
            let mut stream = segment.term_index.terms().range().ge(term).lt(&end).without_keys().into_stream()?;
            for _ in 0..terms {
                if !stream.advance() {
                    break;
                }
                segment.collect(&segment.term_index, number, stream.value(), count, &mut decide, &mut found)?;
            }
        }
        Ok(found)
    }

    /// Finds the best entries with any term of this letter that the automaton accepts, at most `count` per term.
    pub fn find_by_automaton(
        &self,
        letter: char,
        dfa: &DFA,
        count: usize,
        mut decide: impl FnMut(&Candidate) -> Result<Verdict, TantivyError>,
    ) -> Result<Vec<Candidate>, TantivyError> {
        let mut found = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            let automaton = TermAutomaton { letter: letter as u8, dfa };
            let mut stream = segment.term_index.terms().search(automaton).without_keys().into_stream()?;
            while stream.advance() {
                segment.collect(&segment.term_index, number, stream.value(), count, &mut decide, &mut found)?;
            }
        }
        Ok(found)
    }

    /// The entry with this ident.
    pub fn find(&self, ident: u64, fields: &Fields) -> Result<Option<Entry>, TantivyError> {
        let term = schema::ident_term(fields, ident);
        for (number, segment) in self.segments.iter().enumerate() {
            let Some(info) = segment.ident_index.get_term_info(&term)? else {
                continue;
            };
            let mut candidates = Vec::new();
            let take = &mut |_: &Candidate| Ok(Verdict::Take);
            segment.collect(&segment.ident_index, number, &info, 1, take, &mut candidates)?;
            if let Some(candidate) = candidates.first() {
                return self.entry(candidate).map(Some);
            }
        }
        Ok(None)
    }

    /// Reads and decodes an entry.
    pub fn entry(&self, candidate: &Candidate) -> Result<Entry, TantivyError> {
        let mut encoded = Vec::new();
        let found = self.segments.get(candidate.segment).and_then(|segment| {
            let ord = segment.encoded.ords().first(candidate.doc)?;
            segment.encoded.ord_to_bytes(ord, &mut encoded).ok().filter(|&found| found)
        });
        found
            .and_then(|_| schema::decode(candidate.ident, candidate.score, &encoded))
            .ok_or_else(|| TantivyError::InternalError(format!("entry {} cannot be decoded", candidate.ident)))
    }
}

impl Segment {
    fn open(segment: &SegmentReader, fields: &Fields) -> Result<Self, TantivyError> {
        let columns = segment.fast_fields();
        Ok(Self {
            term_index: segment.inverted_index(fields.terms)?,
            ident_index: segment.inverted_index(fields.ident)?,
            ident: columns.u64(IDENT)?,
            score: columns.i64(SCORE)?,
            encoded: columns
                .bytes(ENCODED)?
                .ok_or_else(|| TantivyError::InternalError("a segment lacks its entries".to_owned()))?,
            alive: segment.alive_bitset().cloned(),
        })
    }

    fn len(&self) -> usize {
        self.alive.as_ref().map_or(self.ident.num_docs() as usize, AliveBitSet::num_alive_docs)
    }

    fn collect(
        &self,
        reader: &InvertedIndexReader,
        number: usize,
        info: &TermInfo,
        count: usize,
        decide: &mut impl FnMut(&Candidate) -> Result<Verdict, TantivyError>,
        out: &mut Vec<Candidate>,
    ) -> Result<(), TantivyError> {
        if count == 0 {
            return Ok(());
        }
        let mut postings = reader.read_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        let mut doc = postings.doc();
        let mut best = TopCandidates { count, candidates: Vec::new() };
        while doc != TERMINATED {
            if let Some(candidate) = self.candidate(number, doc) {
                match best.position(&candidate) {
                    None if best.is_complete(&candidate) => break,
                    None => {}
                    Some(position) => match decide(&candidate)? {
                        Verdict::Skip => {}
                        Verdict::Stop => break,
                        Verdict::Take => best.insert(position, candidate),
                    },
                }
            }
            doc = postings.advance();
        }
        out.append(&mut best.candidates);
        Ok(())
    }

    fn candidate(&self, segment: usize, doc: DocId) -> Option<Candidate> {
        if self.alive.as_ref().is_some_and(|alive| !alive.is_alive(doc)) {
            return None;
        }
        let (ident, score) = (self.ident.first(doc)?, self.score.first(doc)?);
        Some(Candidate { score, ident, segment, doc, key_ordinal: self.encoded.ords().first(doc)? })
    }
}

/// The first `count` entries of a posting list, by score and key. The list itself orders equal scores by write order, which differs
/// between processes.
struct TopCandidates {
    count: usize,
    candidates: Vec<Candidate>,
}

impl TopCandidates {
    /// The position at which the candidate belongs; `None` if it is not among the first `count`.
    fn position(&self, candidate: &Candidate) -> Option<usize> {
        let position = |known: &Candidate| (Reverse(known.score), known.key_ordinal);
        let at = self.candidates.partition_point(|known| position(known) <= position(candidate));
        (at < self.count).then_some(at)
    }

    /// Whether no later entry of the list can be among the first `count`.
    fn is_complete(&self, candidate: &Candidate) -> bool {
        self.candidates.last().is_some_and(|last| candidate.score < last.score)
    }

    fn insert(&mut self, position: usize, candidate: Candidate) {
        self.candidates.truncate(self.count - 1);
        self.candidates.insert(position, candidate);
    }
}

/// Applies a Levenshtein automaton to the text after a term's letter.
struct TermAutomaton<'a> {
    letter: u8,
    dfa: &'a DFA,
}

impl Automaton for TermAutomaton<'_> {
    /// `None` before the letter.
    type State = Option<u32>;

    fn start(&self) -> Self::State {
        None
    }

    fn is_match(&self, state: &Self::State) -> bool {
        state.is_some_and(|state| matches!(self.dfa.distance(state), Distance::Exact(_)))
    }

    fn can_match(&self, state: &Self::State) -> bool {
        *state != Some(SINK_STATE)
    }

    fn accept(&self, state: &Self::State, byte: u8) -> Self::State {
        Some(match state {
            None if byte == self.letter => self.dfa.initial_state(),
            None => SINK_STATE,
            Some(state) => self.dfa.transition(*state, byte),
        })
    }
}

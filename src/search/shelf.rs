//! The committed segments, opened once and kept open: opening a reader costs a hundred times what a lookup does.

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
use super::schema::{self, Fields, IDENT, PACKED, SCORE};

/// All segments of one commit.
pub struct Shelf {
    sections: Vec<Section>,
}

struct Section {
    places: std::sync::Arc<InvertedIndexReader>,
    idents: std::sync::Arc<InvertedIndexReader>,
    ident: Column<u64>,
    score: Column<i64>,
    packed: BytesColumn,
    alive: Option<AliveBitSet>,
}

/// Where an entry stands, and what decides its place in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    pub score: i64,
    pub ident: u64,
    section: usize,
    doc: DocId,
    /// Its place by folded key among all entries of its segment.
    by_key: u64,
}

/// What to do with an entry on the way down from the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Take,
    Skip,
    /// Look no further in this list.
    Stop,
}

impl Shelf {
    pub fn open(searcher: &Searcher, fields: &Fields) -> Result<Self, TantivyError> {
        let sections = searcher.segment_readers().iter().map(|segment| Section::open(segment, fields));
        Ok(Self { sections: sections.collect::<Result<_, _>>()? })
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.sections.iter().map(Section::len).sum()
    }

    /// The best by score, then by key, with this term, at most `count` of each segment, that `judge` takes.
    pub fn with_term(
        &self,
        term: &str,
        count: usize,
        mut judge: impl FnMut(&Spot) -> Result<Verdict, TantivyError>,
        out: &mut Vec<Spot>,
    ) -> Result<(), TantivyError> {
        for (number, section) in self.sections.iter().enumerate() {
            if let Some(info) = section.places.terms().get(term)? {
                section.walk(number, &info, count, &mut judge, out)?;
            }
        }
        Ok(())
    }

    /// The best by score with any term that begins so; at most `count` of each term, and of `terms` terms a segment.
    pub fn with_terms_beginning(
        &self,
        term: &str,
        terms: usize,
        count: usize,
        mut judge: impl FnMut(&Spot) -> Result<Verdict, TantivyError>,
        out: &mut Vec<Spot>,
    ) -> Result<(), TantivyError> {
        let end = format!("{term}{}", char::MAX);
        for (number, section) in self.sections.iter().enumerate() {
            let mut stream = section.places.terms().range().ge(term).lt(&end).without_keys().into_stream()?;
            for _ in 0..terms {
                if !stream.advance() {
                    break;
                }
                section.walk(number, stream.value(), count, &mut judge, out)?;
            }
        }
        Ok(())
    }

    /// The best by score with any term of this letter whose text the automaton takes; at most `count` of each term.
    pub fn with_terms_like(
        &self,
        letter: char,
        dfa: &DFA,
        count: usize,
        mut judge: impl FnMut(&Spot) -> Result<Verdict, TantivyError>,
        out: &mut Vec<Spot>,
    ) -> Result<(), TantivyError> {
        for (number, section) in self.sections.iter().enumerate() {
            let automaton = After { letter: letter as u8, dfa };
            let mut stream = section.places.terms().search(automaton).without_keys().into_stream()?;
            while stream.advance() {
                section.walk(number, stream.value(), count, &mut judge, out)?;
            }
        }
        Ok(())
    }

    /// The entry of this ident, wherever it stands.
    pub fn find(&self, ident: u64, fields: &Fields) -> Result<Option<Entry>, TantivyError> {
        let term = schema::ident_term(fields, ident);
        for (number, section) in self.sections.iter().enumerate() {
            let Some(info) = section.idents.get_term_info(&term)? else {
                continue;
            };
            let mut spots = Vec::new();
            section.walk_of(&section.idents, number, &info, 1, &mut |_| Ok(Verdict::Take), &mut spots)?;
            if let Some(spot) = spots.first() {
                return self.entry(spot).map(Some);
            }
        }
        Ok(None)
    }

    /// All of an entry.
    pub fn entry(&self, spot: &Spot) -> Result<Entry, TantivyError> {
        let mut packed = Vec::new();
        let found = self.sections.get(spot.section).and_then(|section| {
            let ord = section.packed.ords().first(spot.doc)?;
            section.packed.ord_to_bytes(ord, &mut packed).ok().filter(|&found| found)
        });
        found
            .and_then(|_| schema::unpack(spot.ident, spot.score, &packed))
            .ok_or_else(|| TantivyError::InternalError(format!("entry {} cannot be unpacked", spot.ident)))
    }
}

impl Section {
    fn open(segment: &SegmentReader, fields: &Fields) -> Result<Self, TantivyError> {
        let columns = segment.fast_fields();
        Ok(Self {
            places: segment.inverted_index(fields.places)?,
            idents: segment.inverted_index(fields.ident)?,
            ident: columns.u64(IDENT)?,
            score: columns.i64(SCORE)?,
            packed: columns
                .bytes(PACKED)?
                .ok_or_else(|| TantivyError::InternalError("a segment lacks its entries".to_owned()))?,
            alive: segment.alive_bitset().cloned(),
        })
    }

    fn len(&self) -> usize {
        self.alive.as_ref().map_or(self.ident.num_docs() as usize, AliveBitSet::num_alive_docs)
    }

    fn walk(
        &self,
        number: usize,
        info: &TermInfo,
        count: usize,
        judge: &mut impl FnMut(&Spot) -> Result<Verdict, TantivyError>,
        out: &mut Vec<Spot>,
    ) -> Result<(), TantivyError> {
        self.walk_of(&self.places, number, info, count, judge, out)
    }

    fn walk_of(
        &self,
        reader: &InvertedIndexReader,
        number: usize,
        info: &TermInfo,
        count: usize,
        judge: &mut impl FnMut(&Spot) -> Result<Verdict, TantivyError>,
        out: &mut Vec<Spot>,
    ) -> Result<(), TantivyError> {
        if count == 0 {
            return Ok(());
        }
        let mut postings = reader.read_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        let mut doc = postings.doc();
        let mut best = Best { count, spots: Vec::new() };
        while doc != TERMINATED {
            if let Some(spot) = self.spot(number, doc) {
                match best.place(&spot) {
                    None if best.is_over(&spot) => break,
                    None => {}
                    Some(place) => match judge(&spot)? {
                        Verdict::Skip => {}
                        Verdict::Stop => break,
                        Verdict::Take => best.put(place, spot),
                    },
                }
            }
            doc = postings.advance();
        }
        out.append(&mut best.spots);
        Ok(())
    }

    fn spot(&self, section: usize, doc: DocId) -> Option<Spot> {
        if self.alive.as_ref().is_some_and(|alive| !alive.is_alive(doc)) {
            return None;
        }
        let (ident, score) = (self.ident.first(doc)?, self.score.first(doc)?);
        Some(Spot { score, ident, section, doc, by_key: self.packed.ords().first(doc)? })
    }
}

/// The first entries of a list that comes best score first, ties ordered by key: among equal scores, the list itself has the
/// order in which they were written, which differs from process to process.
struct Best {
    count: usize,
    spots: Vec<Spot>,
}

impl Best {
    /// Where an entry belongs; `None` when it is not among the first.
    fn place(&self, spot: &Spot) -> Option<usize> {
        let place = |known: &Spot| (Reverse(known.score), known.by_key);
        let at = self.spots.partition_point(|known| place(known) <= place(spot));
        (at < self.count).then_some(at)
    }

    /// Whether no later entry of the list can be among the first.
    fn is_over(&self, spot: &Spot) -> bool {
        self.spots.last().is_some_and(|last| spot.score < last.score)
    }

    fn put(&mut self, place: usize, spot: Spot) {
        self.spots.truncate(self.count - 1);
        self.spots.insert(place, spot);
    }
}

/// An automaton over the text after a term's letter.
struct After<'a> {
    letter: u8,
    dfa: &'a DFA,
}

impl Automaton for After<'_> {
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

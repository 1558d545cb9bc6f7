//! The format on disk: one document per entry with its terms and three columns.

use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TantivyDocument, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{RawTokenizer, TokenizerManager};
use tantivy::{IndexSettings, IndexSortByField, Order, Term};

use super::entry::{Entry, Kind, Watermark};
use super::text::{self, MAX_PREFIX_CHARS, MIN_PREFIX_CHARS, TermKind};

/// Increased whenever terms, columns or folding change; an index of another version is set aside and rebuilt.
const VERSION: u32 = 5;
const TOKENIZER: &str = "terms";
/// Terminates the folded key; sorts below every byte of a key.
const KEY_TERMINATOR: u8 = 0;

/// Handles of the fields.
#[derive(Debug, Clone, Copy)]
pub struct Fields {
    /// Terms: the letter of a [`TermKind`], then text.
    pub terms: Field,
    /// [`Kind::ident`], as a term for deletion and as a column.
    pub ident: Field,
    /// The score; each segment is sorted by it, highest first.
    pub score: Field,
    /// The remaining fields of an entry, encoded.
    pub encoded: Field,
}

/// Field names on disk; changing one makes every existing index unusable.
const TERMS: &str = "terms";
pub const IDENT: &str = "ident";
pub const SCORE: &str = "score";
pub const ENCODED: &str = "encoded";

/// The schema and its fields.
pub fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let fields = Fields {
        terms: builder.add_text_field(TERMS, TextOptions::default().set_indexing_options(indexing)),
        ident: builder.add_u64_field(IDENT, NumericOptions::default().set_indexed().set_fast()),
        score: builder.add_i64_field(SCORE, NumericOptions::default().set_fast()),
        encoded: builder.add_bytes_field(ENCODED, BytesOptions::default().set_fast()),
    };
    (builder.build(), fields)
}

pub fn settings() -> IndexSettings {
    IndexSettings {
        sort_by_field: Some(IndexSortByField { field: SCORE.to_owned(), order: Order::Desc }),
        ..IndexSettings::default()
    }
}

pub fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    // Each value of the field is one term.
    tokenizers.register(TOKENIZER, RawTokenizer::default());
    tokenizers
}

/// The payload of a commit: version and watermark.
pub fn commit_payload(watermark: Watermark) -> String {
    format!("apogee search {VERSION} {} {}", watermark.events, watermark.changes)
}

/// The watermark in the payload of a commit; `None` if another version wrote it.
pub fn parse_watermark(payload: &str) -> Option<Watermark> {
    let (events, changes) =
        payload.strip_prefix("apogee search ")?.strip_prefix(&format!("{VERSION} "))?.split_once(' ')?;
    Some(Watermark { events: events.parse().ok()?, changes: changes.parse().ok()? })
}

pub fn ident_term(fields: &Fields, ident: u64) -> Term {
    Term::from_field_u64(fields.ident, ident)
}

pub fn document(fields: &Fields, entry: &Entry) -> TantivyDocument {
    let mut document = TantivyDocument::default();
    terms(entry).into_iter().for_each(|term| document.add_text(fields.terms, term));
    document.add_u64(fields.ident, entry.ident());
    document.add_i64(fields.score, entry.score);
    document.add_bytes(fields.encoded, &encode(entry));
    document
}

/// Encodes the folded key, key, flags, member count, organization, name and former handles. An empty name means that it equals the
/// key.
///
/// The dictionary of the column is sorted by these bytes, so the ordinals of a segment follow the folded keys.
fn encode(entry: &Entry) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(2 * entry.key.len() + entry.name.len() + 8);
    encoded.extend(text::fold(&entry.key).bytes().filter(|byte| *byte != KEY_TERMINATOR));
    encoded.push(KEY_TERMINATOR);
    write_text(&mut encoded, &entry.key);
    encoded.push(u8::from(entry.is_claimed) | u8::from(entry.org_short.is_some()) << 1);
    write_varint(&mut encoded, entry.member_count.max(0) as u64);
    write_text(&mut encoded, entry.org_short.as_deref().unwrap_or_default());
    write_text(&mut encoded, if entry.name == entry.key { "" } else { &entry.name });
    for former in &entry.former {
        write_text(&mut encoded, former);
    }
    encoded
}

/// Reverses [`encode`]; `None` if the bytes do not have this format.
pub fn decode(ident: u64, score: i64, encoded: &[u8]) -> Option<Entry> {
    let end = encoded.iter().position(|byte| *byte == KEY_TERMINATOR)?;
    let mut rest = encoded.get(end + 1..)?;
    let key = read_text(&mut rest)?;
    let (&flags, after) = rest.split_first()?;
    rest = after;
    let member_count = i64::try_from(read_varint(&mut rest)?).ok()?;
    let org_short = read_text(&mut rest)?;
    let name = read_text(&mut rest)?;
    let mut former = Vec::new();
    while !rest.is_empty() {
        former.push(read_text(&mut rest)?);
    }
    let (kind, id) = Kind::of_ident(ident);
    Some(Entry {
        kind,
        id,
        name: if name.is_empty() { key.clone() } else { name },
        key,
        former,
        org_short: (flags & 2 != 0).then_some(org_short),
        score,
        member_count,
        is_claimed: flags & 1 != 0,
    })
}

fn write_varint(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn read_varint(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for position in 0..10 {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << (7 * position);
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn write_text(to: &mut Vec<u8>, text: &str) {
    write_varint(to, text.len() as u64);
    to.extend_from_slice(text.as_bytes());
}

fn read_text(from: &mut &[u8]) -> Option<String> {
    let len = usize::try_from(read_varint(from)?).ok()?;
    let (text, rest) = from.split_at_checked(len)?;
    *from = rest;
    String::from_utf8(text.to_vec()).ok()
}

/// The terms of an entry. Names and words that only begin with a query are found by their first characters.
fn terms(entry: &Entry) -> Vec<String> {
    let mut terms = Vec::new();
    for (place, text) in text::searched(entry) {
        let prefixes = || {
            let ends = text.char_indices().map(|(end, _)| end).chain([text.len()]).skip(MIN_PREFIX_CHARS);
            ends.take(MAX_PREFIX_CHARS - MIN_PREFIX_CHARS + 1).map(|end| &text[..end])
        };
        match place {
            TermKind::Word => terms.extend(prefixes().map(|prefix| place.term(entry.kind, prefix))),
            _ => terms.push(place.term(entry.kind, &text)),
        }
        if place == TermKind::Whole {
            terms.extend(prefixes().map(|prefix| TermKind::Prefix.term(entry.kind, prefix)));
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            kind: Kind::Player,
            id: 300,
            key: "Ab_cd".to_owned(),
            name: "Zoë".to_owned(),
            former: vec!["old".to_owned(), "older".to_owned()],
            org_short: Some(String::new()),
            score: -5,
            member_count: 1_000,
            is_claimed: true,
        }
    }

    #[test]
    fn an_entry_is_decoded_as_it_was_encoded() {
        let with_all = entry();
        let mut bare = Entry { org_short: None, former: vec![], is_claimed: false, kind: Kind::Guild, ..entry() };
        bare.name = bare.key.clone();
        for entry in [with_all, bare] {
            assert_eq!(decode(entry.ident(), entry.score, &encode(&entry)), Some(entry));
        }
        assert_eq!(decode(1, 1, &[200]), None);
        assert_eq!(decode(1, 1, &[]), None);
    }

    #[test]
    fn names_are_split_into_prefixes_words_whole_names_and_skeletons() {
        assert_eq!(
            terms(&entry()),
            [
                "xab_cd", "pab", "pab_", "pab_c", "pab_cd", "wcd", "xzoe", "pzo", "pzoe", "xold", "pol", "pold",
                "xolder", "pol", "pold", "polde", "polder", "sab-cd"
            ]
        );
    }

    #[test]
    fn a_payload_of_another_version_has_no_watermark() {
        let watermark = Watermark { events: -7, changes: 12 };
        assert_eq!(parse_watermark(&commit_payload(watermark)), Some(watermark));
        for foreign in
            ["", "apogee search 2 5 5", "apogee search 44 5 5", "apogee search 4 5", "apogee search 4 5 x", "5"]
        {
            assert_eq!(parse_watermark(foreign), None, "{foreign}");
        }
    }
}

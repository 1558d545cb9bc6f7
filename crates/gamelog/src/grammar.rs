//! The shapes of lines as data: which lines have a meaning, and which fields they contain.

use memchr::memmem;
use serde::Deserialize;

use super::envelope::envelope;
use super::fields::FieldKind;
use super::fixed_texts::FixedTexts;
use super::log_facts::JOIN_TAG;
use super::notice::{Notice, is_label};
use super::phrases::Phrases;

/// A line can match only if its first bytes after the envelope are those of a tag.
const KEY_BYTES: usize = 8;
/// Maximum number of fields in a shape.
const MAX_FIELDS: usize = 16;
const KEY_BITS: u32 = 12;
const KEY_SLOTS: usize = 1 << KEY_BITS;

macro_rules! meanings {
    ($($variant:ident = $name:literal [$($field:literal),*]),+ $(,)?) => {
        /// The meaning of a shape. The fields in brackets are required.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Meaning { $($variant),+ }

        impl Meaning {
            fn named(name: &str) -> Option<(Self, &'static [&'static str])> {
                match name { $($name => Some((Self::$variant, &[$($field),*])),)+ _ => None }
            }
        }
    };
}

meanings! {
    Start = "start" [],
    Branch = "branch" ["patch"],
    FileVersion = "file_version" ["version"],
    Character = "character" ["geid", "handle"],
    Login = "login" ["handle"],
    Nickname = "nickname" ["handle", "geid"],
    Disconnected = "disconnected" ["cause", "rules", "handle", "geid"],
    Mode = "mode" ["rules"],
    Kill = "kill" ["victim", "victim_id", "zone", "killer", "killer_id", "weapon", "class", "damage"],
    Vehicle = "vehicle" ["vehicle", "id", "zone", "driver", "from", "to", "causer", "causer_id", "cause"],
    VehicleSpawn = "vehicle_spawn" ["id", "geid"],
    SeatGranted = "seat_granted" ["vehicle", "id"],
    SeatRequested = "seat_requested" ["vehicle", "id"],
    SeatReleased = "seat_released" ["vehicle", "id"],
    Marker = "marker" ["mission", "contract"],
    MissionGiver = "mission_giver" ["giver", "mission"],
    MissionStart = "mission_start" ["mission", "definition"],
    EndMission = "end_mission" ["mission", "handle", "geid", "completion"],
    MissionEnded = "mission_ended" ["mission", "state"],
    ObjectiveState = "objective_state" ["mission", "objective", "state"],
    Notification = "notification" ["text", "number", "mission", "objective"],
    OwnBody = "own_body" ["handle", "body"],
    Corpse = "corpse" ["body"],
    CorpseState = "corpse_state" ["handle"],
    DeadInShip = "dead_in_ship" ["handle", "geid", "ship", "zone"],
    Downed = "downed" ["handle"],
    Place = "place" ["handle", "zone"],
    Collision = "collision" ["vehicle"],
    Unbound = "unbound" ["geid", "entity"],
    Quit = "quit" [],
    Crash = "crash" [],
    Skip = "skip" [],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrammarFile {
    version: u32,
    shapes: Vec<ShapeFile>,
    notices: Vec<NoticeFile>,
    #[expect(dead_code, reason = "read by maintainers of the grammar and by its tests")]
    skipped: Vec<SkippedFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeFile {
    meaning: String,
    /// The beginning of the text after timestamp and severity. It makes a line known.
    tag: String,
    /// The text after the tag: fixed text with `{field}`s; `{}` skips text.
    shape: String,
    /// A real line of this shape with invented names.
    sample: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoticeFile {
    notice: Notice,
    begins: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by maintainers of the grammar and by its tests")]
struct SkippedFile {
    tag: String,
    why: String,
}

/// Why a grammar is rejected. The reader keeps the one it has.
#[derive(Debug, thiserror::Error)]
pub enum GrammarError {
    #[error("the grammar cannot be parsed: {0}")]
    Json(#[from] serde_json::Error),
    #[error("shape {0}: unknown meaning '{1}'; a newer version of this program may know it")]
    Meaning(usize, String),
    #[error("shape {0}: the tag is shorter than {KEY_BYTES} characters")]
    Tag(usize),
    #[error("the grammar has too many shapes: expected at most 255 distinct tag prefixes")]
    TooMany,
    #[error("shape {0}: invalid shape '{1}': expected fixed text with {{field}}s, and fixed text between two fields")]
    Shape(usize, String),
    #[error("shape {0}: the built-in grammar does not use the tag '{1}' for this meaning")]
    Source(usize, String),
    #[error("invalid notice '{0}': expected a label of 3 or more characters that ends with a colon")]
    Notice(String),
    #[error("shape {0}: the required field '{1}' is missing")]
    Field(usize, &'static str),
    #[error("shape {0}: the sample does not match the shape")]
    Sample(usize),
}

/// The compiled shapes, shared by all parsers.
#[derive(Clone)]
pub struct Grammar {
    version: u32,
    shapes: Vec<Shape>,
    notices: Vec<NoticeFile>,
    phrases: Phrases,
    /// Tags by the slot of their beginning. Group 0 is empty and serves all slots without tags.
    groups: Vec<Vec<Tag>>,
    /// The fixed texts of the shapes. Redaction keeps them.
    fixed_texts: Vec<FixedTexts>,
    slots: Box<[u8; KEY_SLOTS]>,
}

impl Grammar {
    /// The JSON text of the built-in grammar, as the site serves it.
    pub const BUILT_IN: &'static str = include_str!("grammar.json");

    /// Parses the built-in grammar.
    pub fn built_in() -> Result<Self, GrammarError> {
        Self::parse(Self::BUILT_IN)
    }

    /// Parses a grammar. Every shape must have a known meaning, its required fields, and a sample that matches it.
    pub fn parse(json: &str) -> Result<Self, GrammarError> {
        let file: GrammarFile = serde_json::from_str(json)?;
        let mut grammar = Self {
            version: file.version,
            shapes: Vec::new(),
            notices: file.notices,
            phrases: Phrases::default(),
            groups: vec![Vec::new()],
            fixed_texts: file.shapes.iter().map(|shape| FixedTexts::of(&shape.tag, &shape.shape)).collect(),
            slots: Box::new([0; KEY_SLOTS]),
        };
        for (at, shape) in file.shapes.iter().enumerate() {
            let compiled = Shape::compile(at, shape)?;
            grammar.tag_mut(at, &shape.tag)?.shapes.push(at);
            grammar.shapes.push(compiled);
        }
        // The shard is read with every grammar.
        grammar.tag_mut(grammar.shapes.len(), JOIN_TAG)?;
        for (at, shape) in file.shapes.iter().enumerate() {
            let (_, text) = envelope(shape.sample.as_bytes());
            if grammar.match_line(text).known().is_none_or(|found| found.at != at) {
                return Err(GrammarError::Sample(at));
            }
        }
        Ok(grammar)
    }

    /// The entry of the tag of shape `at`.
    fn tag_mut(&mut self, at: usize, text: &str) -> Result<&mut Tag, GrammarError> {
        let slot = &mut self.slots[slot(text.as_bytes()).ok_or(GrammarError::Tag(at))?];
        if *slot == 0 {
            *slot = u8::try_from(self.groups.len()).map_err(|_| GrammarError::TooMany)?;
            self.groups.push(Vec::new());
        }
        let group = &mut self.groups[usize::from(*slot)];
        let known = group.iter().position(|tag| tag.text == text);
        let index = known.unwrap_or_else(|| {
            group.push(Tag { text: text.to_owned(), shapes: Vec::new() });
            group.len() - 1
        });
        Ok(&mut group[index])
    }

    /// Parses a grammar received from a site. It may fix and add shapes, but only for (meaning, tag) pairs of the
    /// built-in grammar, so that a site cannot read other lines. New notices must be labels. Redaction keeps only
    /// texts of the built-in grammar, so that a site cannot reveal words of its choice.
    pub fn parse_served(json: &str) -> Result<Self, GrammarError> {
        let (mut served, own) = (Self::parse(json)?, Self::built_in()?);
        for (at, shape) in served.shapes.iter().enumerate() {
            if !own.shapes.iter().any(|known| known.meaning == shape.meaning && known.tag == shape.tag) {
                return Err(GrammarError::Source(at, shape.tag.clone()));
            }
        }
        let is_known = |begins: &str| own.notices.iter().any(|known| known.begins == begins);
        if let Some(notice) = served.notices.iter().find(|n| !is_known(&n.begins) && !is_label(&n.begins)) {
            return Err(GrammarError::Notice(notice.begins.clone()));
        }
        served.fixed_texts = own.fixed_texts;
        Ok(served)
    }

    /// The texts in whose languages notices are read too.
    pub fn phrases(&self) -> &Phrases {
        &self.phrases
    }

    /// Reads notices in the languages of these texts too.
    pub fn with_phrases(mut self, phrases: Phrases) -> Self {
        self.phrases = phrases;
        self
    }

    /// The version, which increases with every change.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Returns false if no shape can match the text. This check is cheap for most lines, which begin like no tag.
    #[inline]
    pub(super) fn may_match(&self, text: &[u8]) -> bool {
        slot(text).is_some_and(|slot| self.slots[slot] != 0) && self.tag_of(text).is_some()
    }

    /// Finds the first shape that matches the text after the envelope.
    pub(super) fn match_line<'t>(&self, text: &'t [u8]) -> LineMatch<'_, 't> {
        let mut is_known = false;
        for (tag, rest) in self.tags(text) {
            is_known |= !tag.shapes.is_empty();
            for &at in &tag.shapes {
                let shape = &self.shapes[at];
                if let Some(values) = shape.captures(rest) {
                    return LineMatch::Known(Fields { at, meaning: shape.meaning, names: &shape.fields, values });
                }
            }
        }
        if is_known { LineMatch::UnknownShape } else { LineMatch::Nothing }
    }

    /// The tag at the beginning of a text.
    pub(super) fn tag_of(&self, text: &[u8]) -> Option<&str> {
        self.tags(text).next().map(|(tag, _)| tag.text.as_str())
    }

    /// The tags with which a text begins, and the text after each.
    fn tags<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = (&Tag, &'t [u8])> {
        let group = slot(text).map_or(0, |slot| usize::from(self.slots[slot]));
        self.groups[group].iter().filter_map(|tag| Some((tag, text.strip_prefix(tag.text.as_bytes())?)))
    }

    /// The fixed texts of the built-in shapes.
    pub(super) fn fixed_texts(&self) -> &[FixedTexts] {
        &self.fixed_texts
    }

    /// The meaning of a notification and its text after the known beginning.
    pub(super) fn match_notice<'t>(&self, text: &'t str) -> Option<(Notice, &'t str)> {
        let known = |n: &NoticeFile| text.strip_prefix(n.begins.as_str()).map(|rest| (n.notice, rest));
        self.notices.iter().find_map(known).or_else(|| self.phrases.find(text))
    }
}

#[expect(clippy::large_enum_variant, reason = "lives for one line; boxing would cost an allocation per line")]
pub(super) enum LineMatch<'g, 't> {
    Known(Fields<'g, 't>),
    /// The tag is known but no shape matches the remainder: a patch may have changed the line.
    UnknownShape,
    Nothing,
}

impl<'g, 't> LineMatch<'g, 't> {
    fn known(self) -> Option<Fields<'g, 't>> {
        match self {
            Self::Known(fields) => Some(fields),
            _ => None,
        }
    }
}

/// The fields of a matched line.
pub(super) struct Fields<'g, 't> {
    at: usize,
    pub meaning: Meaning,
    names: &'g [String],
    values: [&'t [u8]; MAX_FIELDS],
}

impl Fields<'_, '_> {
    /// The text of a field. Invalid UTF-8 is replaced; a field that the shape does not have is empty.
    pub fn text(&self, name: &str) -> String {
        let at = self.names.iter().position(|known| known == name);
        at.map(|at| String::from_utf8_lossy(self.values[at]).into_owned()).unwrap_or_default()
    }
}

/// The beginning of known lines.
#[derive(Clone)]
struct Tag {
    text: String,
    /// Indices of the shapes with this tag.
    shapes: Vec<usize>,
}

#[derive(Clone)]
struct Shape {
    meaning: Meaning,
    tag: String,
    prefix: Vec<u8>,
    fields: Vec<String>,
    /// The kind of each field.
    kinds: Vec<FieldKind>,
    /// The fixed text after each field; empty after a last field that extends to the end of the line.
    separators: Vec<memmem::Finder<'static>>,
}

impl Shape {
    fn compile(at: usize, file: &ShapeFile) -> Result<Self, GrammarError> {
        let (meaning, needed) =
            Meaning::named(&file.meaning).ok_or_else(|| GrammarError::Meaning(at, file.meaning.clone()))?;
        let broken = || GrammarError::Shape(at, file.shape.clone());
        let mut parts = file.shape.split('{');
        let prefix = parts.next().unwrap_or_default().as_bytes().to_vec();
        let (mut fields, mut separators) = (Vec::new(), Vec::<memmem::Finder>::new());
        for part in parts {
            let (name, end) = part.split_once('}').ok_or_else(broken)?;
            // Two adjacent fields have no boundary.
            if separators.last().is_some_and(|previous| previous.needle().is_empty()) {
                return Err(broken());
            }
            fields.push(name.to_owned());
            separators.push(memmem::Finder::new(end.as_bytes()).into_owned());
        }
        if fields.len() > MAX_FIELDS {
            return Err(broken());
        }
        if let Some(missing) = needed.iter().find(|name| !fields.iter().any(|field| field == *name)) {
            return Err(GrammarError::Field(at, missing));
        }
        let kinds = fields.iter().map(|name| FieldKind::of(name)).collect();
        Ok(Self { meaning, tag: file.tag.clone(), prefix, fields, kinds, separators })
    }

    fn captures<'t>(&self, text: &'t [u8]) -> Option<[&'t [u8]; MAX_FIELDS]> {
        let mut rest = text.strip_prefix(self.prefix.as_slice())?;
        let mut values = [&text[..0]; MAX_FIELDS];
        for ((value, end), kind) in values.iter_mut().zip(&self.separators).zip(&self.kinds) {
            if end.needle().is_empty() {
                *value = kind.value_at_end(rest)?;
                rest = &[];
            } else {
                let at = end.find(rest)?;
                *value = &rest[..at];
                rest = &rest[at + end.needle().len()..];
            }
            if !kind.matches(value) {
                return None;
            }
        }
        Some(values)
    }
}

/// The slot of a text, from its first bytes. `None` if it is too short for any tag.
#[inline]
fn slot(text: &[u8]) -> Option<usize> {
    let key = u64::from_le_bytes(*text.first_chunk::<KEY_BYTES>()?);
    // Multiplicative hashing: the top bits of the product are well mixed.
    Some((key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - KEY_BITS)) as usize)
}

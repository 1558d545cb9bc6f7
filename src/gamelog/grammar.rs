//! The shapes of lines as data: which texts mean something, and what they hold.

use std::collections::HashSet;

use memchr::memmem;
use serde::Deserialize;

use super::fields::Kind;

/// How many bytes after the envelope decide whether a line can be of interest at all.
const KEY_BYTES: usize = 8;
/// A line holds at most this many fields.
const FIELDS_MAX: usize = 16;
/// The beginning of a notice is a word and a colon or more, in scripts with short words too.
const NOTICE_MIN_CHARS: usize = 3;
const KEY_BITS: u32 = 12;
const KEY_SLOTS: usize = 1 << KEY_BITS;

macro_rules! meanings {
    ($($variant:ident = $name:literal [$($field:literal),*]),+ $(,)?) => {
        /// What a shape tells; the fields in brackets are those it must hold.
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
    Mode = "mode" ["rules"],
    Kill = "kill" ["victim", "victim_id", "zone", "killer", "killer_id", "weapon", "class", "damage"],
    Vehicle = "vehicle" ["vehicle", "id", "zone", "driver", "from", "to", "causer", "causer_id", "cause"],
    VehicleSpawn = "vehicle_spawn" ["id", "geid"],
    SeatGranted = "seat_granted" ["vehicle", "id"],
    SeatRequested = "seat_requested" ["vehicle", "id"],
    SeatReleased = "seat_released" ["vehicle", "id"],
    Marker = "marker" ["mission", "contract"],
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
    Unbound = "unbound" ["geid", "entity"],
    Quit = "quit" [],
    Crash = "crash" [],
    Skip = "skip" [],
}

/// What a notification's text begins with, and what that tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Notice {
    Accepted,
    Complete,
    Failed,
    Withdrawn,
    NewObjective,
    ObjectiveComplete,
    Downed,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrammarFile {
    version: u32,
    shapes: Vec<ShapeFile>,
    notices: Vec<NoticeFile>,
    #[expect(dead_code, reason = "for the people who mend the grammar, and for its tests")]
    skipped: Vec<SkippedFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeFile {
    meaning: String,
    /// What the text after stamp and severity begins with; also what makes a line known.
    tag: String,
    /// What follows the tag: fixed text with `{field}`s; `{}` is text of no interest.
    shape: String,
    /// A real line of this shape with invented names.
    sample: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoticeFile {
    notice: Notice,
    begins: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "for the people who mend the grammar, and for its tests")]
struct SkippedFile {
    tag: String,
    why: String,
}

/// Why a grammar cannot be used; a reader then stays with the one it has.
#[derive(Debug, thiserror::Error)]
pub enum GrammarError {
    #[error("the grammar is not readable: {0}")]
    Json(#[from] serde_json::Error),
    #[error("shape {0}: the meaning '{1}' is not known to this version")]
    Meaning(usize, String),
    #[error("shape {0}: the tag is shorter than {KEY_BYTES} characters")]
    Tag(usize),
    #[error("there are more shapes than a reader can hold")]
    TooMany,
    #[error("shape {0}: '{1}' is not fixed text with {{field}}s in between")]
    Shape(usize, String),
    #[error("shape {0}: the built-in grammar does not read this from lines with the tag '{1}'")]
    Source(usize, String),
    #[error("the notice '{0}' must be a label of 3 or more characters that ends with a colon")]
    Notice(String),
    #[error("shape {0}: it holds no field '{1}'")]
    Field(usize, &'static str),
    #[error("shape {0}: its own sample does not fit it")]
    Sample(usize),
}

/// The compiled shapes; made once, shared by all readers.
pub struct Grammar {
    version: u32,
    shapes: Vec<Shape>,
    notices: Vec<NoticeFile>,
    /// Shapes whose tags begin alike, by the slot of their beginning; slots without any have group 0, which is empty.
    groups: Vec<Vec<usize>>,
    /// The words of tags and shapes in lower case: what may be shown of a line that no shape fits.
    words: HashSet<String>,
    slots: Box<[u8; KEY_SLOTS]>,
}

impl Grammar {
    /// The grammar this program was built with, as it travels.
    pub const BUILT_IN: &'static str = include_str!("grammar.json");

    /// The grammar this program was built with.
    pub fn built_in() -> Result<Self, GrammarError> {
        Self::parse(Self::BUILT_IN)
    }

    /// Reads a grammar. Every shape must name a known meaning, hold its fields and fit its own sample line.
    pub fn parse(json: &str) -> Result<Self, GrammarError> {
        let file: GrammarFile = serde_json::from_str(json)?;
        let mut grammar = Self {
            version: file.version,
            shapes: Vec::new(),
            notices: file.notices,
            groups: vec![Vec::new()],
            words: file.shapes.iter().flat_map(words_of).collect(),
            slots: Box::new([0; KEY_SLOTS]),
        };
        for (at, shape) in file.shapes.iter().enumerate() {
            let compiled = Shape::compile(at, shape)?;
            let slot = slot(&compiled.tag).ok_or(GrammarError::Tag(at))?;
            if grammar.slots[slot] == 0 {
                grammar.slots[slot] = u8::try_from(grammar.groups.len()).map_err(|_| GrammarError::TooMany)?;
                grammar.groups.push(Vec::new());
            }
            grammar.groups[usize::from(grammar.slots[slot])].push(at);
            grammar.shapes.push(compiled);
        }
        for (at, shape) in file.shapes.iter().enumerate() {
            let (_, text) = super::reader::envelope(shape.sample.as_bytes());
            if grammar.find(text).known().is_none_or(|found| found.at != at) {
                return Err(GrammarError::Sample(at));
            }
        }
        Ok(grammar)
    }

    /// Reads a grammar that a site serves. It may mend and add shapes, but only for tags from which the built-in grammar
    /// takes the same meaning, so that a site cannot read other lines. Notices must be labels. Unknown lines are
    /// masked with the built-in words, so that a site cannot unmask words of its choice.
    pub fn served(json: &str) -> Result<Self, GrammarError> {
        let (mut served, own) = (Self::parse(json)?, Self::built_in()?);
        for (at, shape) in served.shapes.iter().enumerate() {
            if !own.shapes.iter().any(|known| known.meaning == shape.meaning && known.tag == shape.tag) {
                return Err(GrammarError::Source(at, String::from_utf8_lossy(&shape.tag).into_owned()));
            }
        }
        let is_known = |begins: &str| own.notices.iter().any(|known| known.begins == begins);
        if let Some(notice) = served.notices.iter().find(|n| !is_known(&n.begins) && !is_label(&n.begins)) {
            return Err(GrammarError::Notice(notice.begins.clone()));
        }
        served.words = own.words;
        Ok(served)
    }

    /// Grows with every change of the shapes.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Cheap and never wrong about what is of interest: most lines end here.
    #[inline]
    pub(super) fn can_be_known(&self, text: &[u8]) -> bool {
        slot(text).is_some_and(|slot| self.slots[slot] != 0)
    }

    /// Finds the first shape that fits the text after the envelope.
    pub(super) fn find<'t>(&self, text: &'t [u8]) -> Found<'_, 't> {
        let mut is_known = false;
        let group = slot(text).map_or(0, |slot| usize::from(self.slots[slot]));
        for &at in &self.groups[group] {
            let shape = &self.shapes[at];
            let Some(rest) = text.strip_prefix(shape.tag.as_slice()) else { continue };
            is_known = true;
            if let Some(values) = shape.captures(rest) {
                return Found::Known(Fields { at, meaning: shape.meaning, names: &shape.fields, values });
            }
        }
        if is_known { Found::UnknownShape } else { Found::Nothing }
    }

    /// The tag that a text begins with, when it is one of ours.
    pub(super) fn tag_of(&self, text: &[u8]) -> Option<&str> {
        let group = slot(text).map_or(0, |slot| usize::from(self.slots[slot]));
        let tags = self.groups[group].iter().map(|&at| &self.shapes[at].tag);
        tags.filter(|tag| text.starts_with(tag)).find_map(|tag| std::str::from_utf8(tag).ok())
    }

    /// The word stands in a tag or in the fixed text of a shape.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.contains(&word.to_ascii_lowercase())
    }

    /// What a notification tells, with its text after the known beginning.
    pub(super) fn notice<'t>(&self, text: &'t str) -> Option<(Notice, &'t str)> {
        self.notices.iter().find_map(|n| text.strip_prefix(n.begins.as_str()).map(|rest| (n.notice, rest)))
    }
}

/// The beginning of a notice as the game writes it in any of its languages: `Contract Accepted:`, `接受合约：`.
fn is_label(begins: &str) -> bool {
    begins.chars().count() >= NOTICE_MIN_CHARS && begins.ends_with([':', '：'])
}

fn words_of(shape: &ShapeFile) -> Vec<String> {
    let fixed = shape.shape.split('{').enumerate().filter_map(|(n, part)| match n {
        0 => Some(part),
        _ => part.split_once('}').map(|(_, fixed)| fixed),
    });
    let texts = fixed.chain([shape.tag.as_str()]);
    let words = texts.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    words.filter(|word| word.len() > 1).map(str::to_ascii_lowercase).collect()
}

#[expect(clippy::large_enum_variant, reason = "lives for one line; a box would cost an allocation each")]
pub(super) enum Found<'g, 't> {
    Known(Fields<'g, 't>),
    /// The tag is one of ours, the rest is new: a patch changed something.
    UnknownShape,
    Nothing,
}

impl<'g, 't> Found<'g, 't> {
    fn known(self) -> Option<Fields<'g, 't>> {
        match self {
            Self::Known(fields) => Some(fields),
            _ => None,
        }
    }
}

/// What a line holds, by field name.
pub(super) struct Fields<'g, 't> {
    at: usize,
    pub meaning: Meaning,
    names: &'g [String],
    values: [&'t [u8]; FIELDS_MAX],
}

impl Fields<'_, '_> {
    /// The text of a field; broken bytes are replaced, a field that the shape does not have is empty.
    pub fn text(&self, name: &str) -> String {
        let at = self.names.iter().position(|known| known == name);
        at.map(|at| String::from_utf8_lossy(self.values[at]).into_owned()).unwrap_or_default()
    }
}

struct Shape {
    meaning: Meaning,
    tag: Vec<u8>,
    lead: Vec<u8>,
    fields: Vec<String>,
    /// What each field may hold.
    kinds: Vec<Kind>,
    /// The fixed text after each field; empty after the last when it runs to the end of the line.
    ends: Vec<memmem::Finder<'static>>,
}

impl Shape {
    fn compile(at: usize, file: &ShapeFile) -> Result<Self, GrammarError> {
        let (meaning, needed) =
            Meaning::named(&file.meaning).ok_or_else(|| GrammarError::Meaning(at, file.meaning.clone()))?;
        let broken = || GrammarError::Shape(at, file.shape.clone());
        let mut parts = file.shape.split('{');
        let lead = parts.next().unwrap_or_default().as_bytes().to_vec();
        let (mut fields, mut ends) = (Vec::new(), Vec::<memmem::Finder>::new());
        for part in parts {
            let (name, end) = part.split_once('}').ok_or_else(broken)?;
            // Two fields without fixed text between them have no border.
            if ends.last().is_some_and(|previous| previous.needle().is_empty()) {
                return Err(broken());
            }
            fields.push(name.to_owned());
            ends.push(memmem::Finder::new(end.as_bytes()).into_owned());
        }
        if fields.len() > FIELDS_MAX {
            return Err(broken());
        }
        if let Some(missing) = needed.iter().find(|name| !fields.iter().any(|field| field == *name)) {
            return Err(GrammarError::Field(at, missing));
        }
        let kinds = fields.iter().map(|name| Kind::of(name)).collect();
        Ok(Self { meaning, tag: file.tag.as_bytes().to_vec(), lead, fields, kinds, ends })
    }

    fn captures<'t>(&self, text: &'t [u8]) -> Option<[&'t [u8]; FIELDS_MAX]> {
        let mut rest = text.strip_prefix(self.lead.as_slice())?;
        let mut values = [&text[..0]; FIELDS_MAX];
        for ((value, end), kind) in values.iter_mut().zip(&self.ends).zip(&self.kinds) {
            if end.needle().is_empty() {
                *value = rest;
                rest = &[];
            } else {
                let at = end.find(rest)?;
                *value = &rest[..at];
                rest = &rest[at + end.needle().len()..];
            }
            if !kind.fits(value) {
                return None;
            }
        }
        Some(values)
    }
}

/// Where a text that begins so is looked up; `None` when it is too short to be anything.
#[inline]
fn slot(text: &[u8]) -> Option<usize> {
    let key = u64::from_le_bytes(*text.first_chunk::<KEY_BYTES>()?);
    // Multiplicative hashing: the top bits of the product are well mixed.
    Some((key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - KEY_BITS)) as usize)
}

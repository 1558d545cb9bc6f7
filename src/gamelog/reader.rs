//! The walk over lines: which are passed over, which are looked at, and what a line's envelope is.

use std::sync::Arc;

use crate::domain::events::Event;
use crate::domain::times::EpochMillis;

use super::encoding::Decoder;
use super::grammar::{Found, Grammar, Meaning};
use super::samples::{self, Unknown};
use super::session::{NOT_DUE, Session};
use super::stamps::{STAMP_BYTES, stamp_of};

/// A longer line is no line of the game; it is passed over instead of kept.
const LINE_MAX_BYTES: usize = 64 * 1024;
/// A notification's text is cut by at most this many line ends.
const TEXT_MAX_LINES: usize = 32;
/// `<2025-04-11T15:36:08.178Z> [Notice] `
const ENVELOPE_BYTES: usize = 36;

/// How a log ends when nothing more of it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nobody writes it any more: a session without a logout ended at its last stamp.
    Closed,
    /// The game may still be running: nothing is concluded.
    Open,
}

/// What a reader has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub lines: u64,
    pub events: u64,
    /// Lines with a known beginning and an unknown rest: the sign of a new patch.
    pub unknown_shapes: u64,
    /// Events of the local player from a log that never says who that is; no site can take them.
    pub nameless: u64,
}

/// Reads one log from its beginning, in pieces of any size; the same bytes give the same events however they are cut.
pub struct Reader {
    grammar: Arc<Grammar>,
    decoder: Decoder,
    scratch: Vec<u8>,
    lines: Lines,
}

/// The state of the walk, apart from the bytes it walks over.
struct Lines {
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    is_overlong: bool,
    /// A notification whose text goes on in the next line, and how many lines it took so far.
    cut_text: Option<(EpochMillis, Vec<u8>, usize)>,
    last_stamp: [u8; STAMP_BYTES],
    /// Where in the piece at hand the last line begins that was passed over.
    last_stamped: Option<usize>,
    /// Some event or text waits for what the next lines say.
    is_watching: bool,
    counts: Counts,
    unknown: Vec<Unknown>,
    session: Session,
}

impl Reader {
    pub fn new(grammar: Arc<Grammar>) -> Self {
        Self {
            grammar,
            decoder: Decoder::default(),
            scratch: Vec::new(),
            lines: Lines {
                partial: Vec::new(),
                is_overlong: false,
                cut_text: None,
                last_stamp: [0; STAMP_BYTES],
                last_stamped: None,
                is_watching: false,
                counts: Counts::default(),
                unknown: Vec::new(),
                session: Session::default(),
            },
        }
    }

    /// Takes the next bytes of the log and tells the events that are certain by now.
    pub fn feed(&mut self, bytes: &[u8], told: &mut dyn FnMut(Event)) {
        let text = self.decoder.decode(bytes, &mut self.scratch);
        self.lines.walk(&self.grammar, text);
        self.lines.tell(told);
    }

    /// Ends the log: a last line without an end is dropped, what waited for more evidence is told as it is.
    pub fn finish(&mut self, ending: Ending, told: &mut dyn FnMut(Event)) {
        self.decoder.finish(&mut self.scratch);
        self.lines.walk(&self.grammar, &self.scratch);
        let last = stamp_of(&self.lines.last_stamp);
        self.lines.session.finish(ending, last);
        self.lines.tell(told);
    }

    pub fn counts(&self) -> Counts {
        Counts { nameless: self.lines.session.nameless(), ..self.lines.counts }
    }

    /// The different lines among the unknown shapes, without names and numbers.
    pub fn unknown(&self) -> &[Unknown] {
        &self.lines.unknown
    }

    /// Whose log it is, once it has said so.
    pub fn player(&self) -> Option<&str> {
        self.lines.session.handle()
    }

    /// The patch the log names, as events carry it.
    pub fn patch(&self) -> Option<&str> {
        self.lines.session.patch()
    }
}

impl Lines {
    fn walk(&mut self, grammar: &Grammar, bytes: &[u8]) {
        let mut start = 0;
        if !self.partial.is_empty() || self.is_overlong {
            let Some(end) = memchr::memchr(b'\n', bytes) else {
                self.keep(bytes);
                return;
            };
            self.keep(&bytes[..end]);
            let line = std::mem::take(&mut self.partial);
            if std::mem::take(&mut self.is_overlong) {
                self.counts.lines += 1;
            } else {
                self.line(grammar, &line);
            }
            start = end + 1;
        }
        let rest = &bytes[start..];
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', rest) {
            let line = &rest[from..end];
            from = end + 1;
            // Nearly every line ends here: the usual envelope, nothing known behind it, nobody waiting for it.
            match line.get(ENVELOPE_BYTES..) {
                Some(text)
                    if is_usual(line)
                        && line.len() <= LINE_MAX_BYTES
                        && !self.is_watching
                        && !grammar.can_be_known(text) =>
                {
                    self.counts.lines += 1;
                    self.last_stamped = Some(end - line.len());
                }
                _ => {
                    self.settle_stamp(rest);
                    self.line(grammar, line);
                }
            }
        }
        self.settle_stamp(rest);
        self.keep(&rest[from..]);
    }

    /// Takes the stamp of the last line passed over, before anything can ask for it.
    fn settle_stamp(&mut self, bytes: &[u8]) {
        if let Some(at) = self.last_stamped.take()
            && let Some(stamp) = bytes[at + 1..].first_chunk()
        {
            self.last_stamp = *stamp;
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.is_overlong || self.partial.len() + bytes.len() > LINE_MAX_BYTES {
            self.partial = Vec::new();
            self.is_overlong = true;
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn line(&mut self, grammar: &Grammar, line: &[u8]) {
        self.counts.lines += 1;
        if line.len() > LINE_MAX_BYTES {
            return;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (stamp, text) = envelope(line);
        if self.is_watching || grammar.can_be_known(text) {
            self.look_at(grammar, line, stamp, text);
            self.is_watching = self.cut_text.is_some() || self.session.due() != NOT_DUE;
        }
        if let Ok(stamp) = stamp.try_into() {
            self.last_stamp = stamp;
        }
    }

    fn look_at(&mut self, grammar: &Grammar, line: &[u8], stamp: &[u8], text: &[u8]) {
        if self.is_watching {
            if let Some(at) = stamp_of(stamp) {
                self.session.release(at);
            }
            if self.cut_text.is_some() && self.goes_on(grammar, line, text) {
                return;
            }
        }
        match grammar.find(text) {
            Found::Known(fields) if fields.meaning != Meaning::Skip => {
                let last = stamp_of(&self.last_stamp);
                // Only what tells the end of a crashed game stands in lines without a stamp.
                if let Some(at) = stamp_of(stamp).or(last.filter(|_| fields.meaning == Meaning::Crash)) {
                    self.session.take(grammar, &fields, at, last);
                }
            }
            Found::UnknownShape => match stamp_of(stamp) {
                Some(at) if is_cut(text) => self.cut_text = Some((at, text.to_vec(), 1)),
                _ => self.note_unknown(grammar, text),
            },
            Found::Known(_) | Found::Nothing => {}
        }
    }

    /// Adds a line to the text that is still open; false when the line is one of its own.
    fn goes_on(&mut self, grammar: &Grammar, line: &[u8], text: &[u8]) -> bool {
        let Some((at, mut open, lines)) = self.cut_text.take() else { return false };
        let is_own = matches!(grammar.find(text), Found::Known(_) | Found::UnknownShape) || has_severity(line);
        if is_own {
            if lines < TEXT_MAX_LINES {
                self.cut_text = Some((at, open, lines + 1));
            }
            return false;
        }
        // The queue's echo of the same text: the cut one will not go on any more.
        if text.trim_ascii_start().starts_with(b"\"") && text.starts_with(b" ") {
            return true;
        }
        open.push(b'\n');
        open.extend_from_slice(text);
        if !is_cut(&open) {
            match grammar.find(&open) {
                Found::Known(fields) => self.session.take(grammar, &fields, at, None),
                _ => self.note_unknown(grammar, &open),
            }
        } else if lines < TEXT_MAX_LINES && open.len() < LINE_MAX_BYTES {
            self.cut_text = Some((at, open, lines + 1));
        }
        true
    }

    fn note_unknown(&mut self, grammar: &Grammar, text: &[u8]) {
        self.counts.unknown_shapes += 1;
        samples::note(&mut self.unknown, grammar, text, self.session.handle());
    }

    fn tell(&mut self, told: &mut dyn FnMut(Event)) {
        for event in self.session.drain() {
            self.counts.events += 1;
            told(event);
        }
    }
}

/// The envelope of nearly every line, told without a search.
/// Two compares of machine words: one of eleven bytes is a call.
#[inline]
fn is_usual(line: &[u8]) -> bool {
    let Some(envelope) = line.first_chunk::<ENVELOPE_BYTES>() else { return false };
    let (begins, ends) = (envelope[25..].first_chunk::<8>(), envelope.last_chunk::<4>());
    envelope[0] == b'<' && begins == Some(b"> [Notic") && ends == Some(b"ce] ")
}

/// A quoted text that has begun and not ended.
fn is_cut(text: &[u8]) -> bool {
    memchr::memchr_iter(b'"', text).count() % 2 == 1
}

/// Splits a line into its stamp (empty if it has none) and what follows severity and repeat count.
pub(super) fn envelope(line: &[u8]) -> (&[u8], &[u8]) {
    if is_usual(line) {
        return (&line[1..=STAMP_BYTES], &line[ENVELOPE_BYTES..]);
    }
    let line = &line[line.iter().take_while(|&&byte| byte == 0).count()..];
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let (stamp, mut text) = match line {
        [b'<', stamp @ ..] if stamp.get(STAMP_BYTES) == Some(&b'>') => {
            (&stamp[..STAMP_BYTES], &stamp[STAMP_BYTES + 1..])
        }
        _ => (&line[..0], line),
    };
    text = text.strip_prefix(b" ").unwrap_or(text);
    if text.first() != Some(&b'[') {
        return (stamp, text);
    }
    if let Some(rest) = text.strip_prefix(b"[SPAM ") {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if rest.get(digits) == Some(&b']') {
            text = &rest[digits + 1..];
        }
    }
    for severity in SEVERITIES {
        if let Some(rest) = text.strip_prefix(severity) {
            return (stamp, rest.strip_prefix(b" ").unwrap_or(rest));
        }
    }
    (stamp, text)
}

const SEVERITIES: [&[u8]; 4] = [b"[Notice]", b"[Error]", b"[Warning]", b"[Trace]"];

fn has_severity(line: &[u8]) -> bool {
    let after_stamp = line.get(STAMP_BYTES + 3..).unwrap_or_default();
    SEVERITIES.iter().any(|severity| after_stamp.starts_with(severity))
}

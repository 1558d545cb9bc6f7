//! The parser of a log: splits bytes into lines, skips lines that no shape can match, and passes the others to the
//! session.

use std::ops::AddAssign;
use std::sync::Arc;

use crate::events::Event;
use crate::times::EpochMillis;

use super::emitter::NO_DEADLINE;
use super::encoding::Decoder;
use super::envelope::{
    after_bracketed_word, envelope, has_common_severity, has_severity, looks_timed, text_after_common_envelope,
};
use super::grammar::{Grammar, LineMatch, Meaning};
use super::log_facts::{BuildLines, LogFacts};
use super::redact::{self, UnknownLine};
use super::session::{Ending, Session};
use super::timestamp::{TIMESTAMP_BYTES, parse_timestamp};

/// Longer lines are skipped; the game does not write them.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// A notification text continues over at most this many lines.
const MAX_TEXT_LINES: usize = 32;
/// Counters of one parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub lines: u64,
    pub events: u64,
    /// Lines with a known tag whose remainder no shape matches: a sign of a new patch.
    pub unknown_shapes: u64,
    /// Events of the local player in a log that never names the player. Sites cannot accept them.
    pub nameless: u64,
    /// Lines with a timestamp that can be read, and lines that look as if they had one in another form.
    pub timed: u64,
    pub untimed: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.events += other.events;
        self.unknown_shapes += other.unknown_shapes;
        self.nameless += other.nameless;
        self.timed += other.timed;
        self.untimed += other.untimed;
    }
}

impl Counts {
    /// The lines of a log whose timestamps cannot be read, so that their events are missing; 0 for a log as the game writes it.
    /// Texts of several lines, and what a crash writes, have no timestamps.
    pub fn unread(&self) -> u64 {
        match (self.timed, self.untimed) {
            (0, _) => self.lines,
            (timed, untimed) if untimed > timed => untimed,
            _ => 0,
        }
    }
}

/// Parses one log from its beginning. The input may be split anywhere: the same bytes produce the same events.
pub struct Parser {
    grammar: Arc<Grammar>,
    decoder: Decoder,
    scratch: Vec<u8>,
    scanner: LineScanner,
}

/// The state of the scan, without the input buffers.
struct LineScanner {
    /// The beginning of a line whose end has not arrived yet.
    partial: Vec<u8>,
    is_overlong: bool,
    /// A notification whose text continues in the next line: its time, its text so far, and the number of lines it
    /// took.
    open_text: Option<(EpochMillis, Vec<u8>, usize)>,
    first_timestamp: Option<EpochMillis>,
    last_timestamp: Option<EpochMillis>,
    build: BuildLines,
    /// Offset, within the current chunk, of the last line that was skipped, and the number of skipped lines up to it.
    last_skipped: Option<usize>,
    skipped: u64,
    /// An event or a text depends on the following lines, so no line may be skipped.
    needs_every_line: bool,
    counts: Counts,
    unknown_lines: Vec<UnknownLine>,
    session: Session,
}

impl Parser {
    pub fn new(grammar: Arc<Grammar>) -> Self {
        Self {
            grammar,
            decoder: Decoder::default(),
            scratch: Vec::new(),
            scanner: LineScanner {
                partial: Vec::new(),
                is_overlong: false,
                open_text: None,
                first_timestamp: None,
                last_timestamp: None,
                build: BuildLines::default(),
                last_skipped: None,
                skipped: 0,
                // The first line has the first timestamp.
                needs_every_line: true,
                counts: Counts::default(),
                unknown_lines: Vec::new(),
                session: Session::default(),
            },
        }
    }

    /// Parses the next bytes of the log and emits the events that are complete.
    pub fn feed(&mut self, bytes: &[u8], emit: &mut dyn FnMut(Event)) {
        let text = self.decoder.decode(bytes, &mut self.scratch);
        self.scanner.scan(&self.grammar, text);
        self.scanner.emit_ready(emit);
    }

    /// Ends the log: drops a last line without a line break and emits the pending events with the evidence seen so
    /// far.
    pub fn finish(&mut self, ending: Ending, emit: &mut dyn FnMut(Event)) {
        self.decoder.finish(&mut self.scratch);
        self.scanner.scan(&self.grammar, &self.scratch);
        let last = self.scanner.last_timestamp;
        self.scanner.session.finish(ending, last);
        self.scanner.emit_ready(emit);
    }

    pub fn counts(&self) -> Counts {
        Counts { nameless: self.scanner.session.nameless(), ..self.scanner.counts }
    }

    /// The distinct lines of unknown shape, redacted.
    pub fn unknown_lines(&self) -> &[UnknownLine] {
        &self.scanner.unknown_lines
    }

    /// The handle of the local player, once the log has named it.
    pub fn player(&self) -> Option<&str> {
        self.scanner.session.handle()
    }

    /// What the log says about itself so far.
    pub fn facts(&self) -> LogFacts {
        let scanner = &self.scanner;
        LogFacts {
            handle: scanner.session.handle().map(str::to_owned),
            build: scanner.build.build.clone(),
            branch: scanner.build.branch.clone(),
            channel: scanner.build.channel(),
            first: scanner.first_timestamp,
            last: scanner.last_timestamp.max(scanner.first_timestamp),
        }
    }

    /// The patch named by the log, in the form that events use.
    pub fn patch(&self) -> Option<&str> {
        self.scanner.session.patch()
    }
}

impl LineScanner {
    fn scan(&mut self, grammar: &Grammar, bytes: &[u8]) {
        let mut start = 0;
        if !self.partial.is_empty() || self.is_overlong {
            let Some(end) = memchr::memchr(b'\n', bytes) else {
                self.buffer_partial(bytes);
                return;
            };
            self.buffer_partial(&bytes[..end]);
            let line = std::mem::take(&mut self.partial);
            if std::mem::take(&mut self.is_overlong) {
                self.counts.lines += 1;
            } else {
                self.handle_line(grammar, &line);
            }
            start = end + 1;
        }
        let rest = &bytes[start..];
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', rest) {
            let line = &rest[from..end];
            from = end + 1;
            if self.may_skip(grammar, line) {
                self.skipped += 1;
                self.last_skipped = Some(end - line.len());
            } else {
                self.commit_skipped(rest);
                self.handle_line(grammar, line);
            }
        }
        self.commit_skipped(rest);
        self.buffer_partial(&rest[from..]);
    }

    /// Returns true for nearly every line: a common envelope, no known tag, nothing pending.
    #[inline]
    fn may_skip(&self, grammar: &Grammar, line: &[u8]) -> bool {
        !self.needs_every_line
            && line.len() <= MAX_LINE_BYTES
            && text_after_common_envelope(line).is_some_and(|text| !grammar.may_match(text))
            // Before the login, lines without a severity name the build.
            && (has_common_severity(line) || self.session.handle().is_some())
    }

    /// Counts the skipped lines and stores the timestamp of the last one before it is read. The last one stands for all of them.
    fn commit_skipped(&mut self, bytes: &[u8]) {
        let Some(at) = self.last_skipped.take() else { return };
        let skipped = std::mem::take(&mut self.skipped);
        self.counts.lines += skipped;
        match bytes[at + 1..].get(..TIMESTAMP_BYTES).and_then(parse_timestamp) {
            Some(at) => {
                self.counts.timed += skipped;
                self.last_timestamp = Some(at);
            }
            None => self.counts.untimed += skipped,
        }
    }

    fn buffer_partial(&mut self, bytes: &[u8]) {
        if self.is_overlong || self.partial.len() + bytes.len() > MAX_LINE_BYTES {
            self.partial = Vec::new();
            self.is_overlong = true;
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn handle_line(&mut self, grammar: &Grammar, line: &[u8]) {
        self.counts.lines += 1;
        if line.len() > MAX_LINE_BYTES {
            return;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (timestamp, text) = envelope(line);
        let text = after_new_severity(grammar, text);
        let at = parse_timestamp(timestamp);
        self.counts.timed += u64::from(at.is_some());
        self.counts.untimed += u64::from(at.is_none() && looks_timed(line));
        self.first_timestamp = self.first_timestamp.or(at);
        if self.needs_every_line || grammar.may_match(text) {
            self.interpret(grammar, line, at, text);
            self.needs_every_line = self.open_text.is_some() || self.session.deadline() != NO_DEADLINE;
        }
        if at.is_some() {
            self.read_build(text);
        }
        self.last_timestamp = at.or(self.last_timestamp);
    }

    fn read_build(&mut self, text: &[u8]) {
        self.build.read_shard(text);
        // Players cannot write lines before the login.
        if self.session.handle().is_none() {
            self.build.read(after_bracketed_word(text).unwrap_or(text));
            // The branch, which has set the patch, is the same for all point releases.
            if let Some(patch) = self.build.patch() {
                self.session.set_patch(patch);
            }
        }
    }

    fn interpret(&mut self, grammar: &Grammar, line: &[u8], at: Option<EpochMillis>, text: &[u8]) {
        if self.needs_every_line {
            if let Some(at) = at {
                self.session.flush(at);
            }
            if self.open_text.is_some() && self.continue_text(grammar, line, text) {
                return;
            }
        }
        match grammar.match_line(text) {
            LineMatch::Known(fields) if fields.meaning != Meaning::Skip => {
                let last = self.last_timestamp;
                // Lines without a timestamp matter only at the end of a crashed game.
                if let Some(at) = at.or(last.filter(|_| fields.meaning == Meaning::Crash)) {
                    self.session.apply(grammar, &fields, at, last);
                }
            }
            LineMatch::UnknownShape => match at {
                Some(at) if has_open_quote(text) => self.open_text = Some((at, text.to_vec(), 1)),
                _ => self.note_unknown(grammar, text),
            },
            LineMatch::Known(_) | LineMatch::Nothing => {}
        }
    }

    /// Appends a line to the open text. Returns false if the line is a separate one.
    fn continue_text(&mut self, grammar: &Grammar, line: &[u8], text: &[u8]) -> bool {
        let Some((at, mut open, lines)) = self.open_text.take() else { return false };
        let is_new_line =
            matches!(grammar.match_line(text), LineMatch::Known(_) | LineMatch::UnknownShape) || has_severity(line);
        if is_new_line {
            if lines < MAX_TEXT_LINES {
                self.open_text = Some((at, open, lines + 1));
            }
            return false;
        }
        // The queue repeats the same text: the open text has ended.
        if text.trim_ascii_start().starts_with(b"\"") && text.starts_with(b" ") {
            return true;
        }
        open.push(b'\n');
        open.extend_from_slice(text);
        if !has_open_quote(&open) {
            match grammar.match_line(&open) {
                LineMatch::Known(fields) => self.session.apply(grammar, &fields, at, None),
                _ => self.note_unknown(grammar, &open),
            }
        } else if lines < MAX_TEXT_LINES && open.len() < MAX_LINE_BYTES {
            self.open_text = Some((at, open, lines + 1));
        }
        true
    }

    fn note_unknown(&mut self, grammar: &Grammar, text: &[u8]) {
        self.counts.unknown_shapes += 1;
        redact::record(&mut self.unknown_lines, grammar, text, self.session.handle());
    }

    fn emit_ready(&mut self, emit: &mut dyn FnMut(Event)) {
        for event in self.session.drain() {
            self.counts.events += 1;
            emit(event);
        }
    }
}

/// The text of a line. A severity that a newer build writes also precedes lines whose tag has no angle brackets.
fn after_new_severity<'t>(grammar: &Grammar, text: &'t [u8]) -> &'t [u8] {
    let is_known = |text: &[u8]| grammar.tag_of(text).is_some();
    after_bracketed_word(text).filter(|rest| is_known(rest) && !is_known(text)).unwrap_or(text)
}

/// Returns true if a quoted text has begun and not ended.
fn has_open_quote(text: &[u8]) -> bool {
    memchr::memchr_iter(b'"', text).count() % 2 == 1
}

//! What of a log is sent to a site, and in which form. The log reader and the page share it, so that both send the same.

use sha2::{Digest, Sha256};

use crate::events::{Event, EventKind};
use crate::log_facts::LogFacts;
use crate::log_header::{LogHeader, LogId, LogText};
use crate::names::Handle;

/// Maximum number of events in a batch.
pub const MAX_BATCH_EVENTS: usize = 1000;
/// Maximum size of a batch, uncompressed.
pub const MAX_BATCH_BYTES: usize = 1024 * 1024;
/// Maximum length of a first line.
pub const FIRST_LINE_MAX: usize = 4096;

/// The log that events come from, with what it said about itself when they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventSource {
    pub log: LogId,
    pub facts: LogFacts,
}

impl EventSource {
    /// The header of an upload by `reader`, a name with a version; `None` if the facts contain no time.
    pub fn header(&self, reader: &str) -> Option<LogHeader> {
        let facts = &self.facts;
        let text = |text: &Option<String>| text.as_deref().and_then(LogText::parse);
        Some(LogHeader {
            id: self.log.clone(),
            handle: facts.player(),
            build: text(&facts.build),
            branch: text(&facts.branch),
            channel: text(&facts.channel),
            reader: LogText::parse(reader),
            first: facts.first?,
            last: facts.last.max(facts.first)?,
        })
    }
}

/// The complete first line of a log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FirstLine(Vec<u8>);

impl FirstLine {
    /// Takes the first line from the first [`FIRST_LINE_MAX`] bytes of a log. Returns `None` if it is incomplete.
    pub fn of(head: &[u8]) -> Option<Self> {
        let head = &head[..head.len().min(FIRST_LINE_MAX)];
        match memchr::memchr(b'\n', head) {
            Some(end) => Some(Self(head[..end].to_vec())),
            None if head.len() == FIRST_LINE_MAX => Some(Self(head.to_vec())),
            None => None,
        }
    }

    /// The id of the log: a hash of the line, which contains build and start time but no path, account or player.
    pub fn id(&self) -> LogId {
        LogId::of_hash(Sha256::digest(&self.0).into())
    }

    /// The timestamp of the line, as text. Timestamps sort as text in order of time.
    pub fn stamp(&self) -> Vec<u8> {
        let stamp = memchr::memchr(b'<', &self.0).map_or(&self.0[..0], |at| &self.0[at..]);
        stamp.iter().copied().filter(|&byte| byte != 0).take(25).collect()
    }
}

/// Returns true if a site can accept the event: it names the player that it requires.
pub fn is_uploadable(event: &Event) -> bool {
    match event.identifier.kind() {
        EventKind::Kill => event.victim.is_some(),
        EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction => true,
        _ => event.player_name.is_some(),
    }
}

/// Returns true if the player is the killer, the victim, or the player of the event. Sites accept no other event from an account that
/// has claimed the player.
pub fn takes_part(event: &Event, player: &str) -> bool {
    let names = [&event.killer, &event.victim, &event.player_name];
    names.into_iter().flatten().any(|name| name.eq_ignore_ascii_case(player))
}

/// Encodes an event as a line of a batch.
pub fn to_ndjson_line(event: &Event) -> Vec<u8> {
    // Cannot fail: an event is plain data.
    let mut line = serde_json::to_vec(event).unwrap_or_default();
    line.push(b'\n');
    line
}

impl LogFacts {
    /// The local player, if its name is a valid handle.
    pub fn player(&self) -> Option<Handle> {
        Handle::parse(self.handle.as_deref()?).ok()
    }

    /// These facts with the player that the log named earlier: a new run of the game in the same log names none before its login.
    pub fn after(self, earlier: Self) -> Self {
        Self { handle: self.handle.or(earlier.handle), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::times::EpochMillis;

    #[test]
    fn a_log_is_identified_by_its_first_line() {
        let id = |text: &str| FirstLine::of(text.as_bytes()).map(|line| line.id());
        assert_eq!(id("one\ntwo\n"), id("one\nthree"));
        assert_ne!(id("one\n"), id("two\n"));
        assert_eq!(id("half"), None);
    }

    #[test]
    fn the_header_contains_only_what_a_site_accepts() {
        let log = LogId::parse("a").unwrap();
        let source = |facts: LogFacts| EventSource { log: log.clone(), facts };
        assert_eq!(source(LogFacts::default()).header("Apogee/1.0"), None);
        let facts = LogFacts {
            handle: Some("no handle".into()),
            build: Some("9687209".into()),
            branch: Some("x".repeat(65)),
            first: Some(EpochMillis(5)),
            ..LogFacts::default()
        };
        let header = source(facts).header("Apogee/1.0").unwrap().to_string();
        assert_eq!(header, "id=a, build=9687209, reader=Apogee%2F1.0, first=5, last=5");
    }
}

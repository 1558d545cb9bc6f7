//! One log that is read from its beginning to its end.

use std::sync::Arc;

use gamelog::events::{Event, OptIn};
use gamelog::upload::{EventSource, FirstLine, is_uploadable, takes_part, to_ndjson_line};
use gamelog::{Ending, Grammar, LogFacts, Parser, UnknownLine};
use serde::Serialize;

use crate::tally::Tally;

/// Name and version of this reader in uploads.
const READER: &str = concat!("Apogee-Page/", env!("CARGO_PKG_VERSION"));

/// What happens with an event: the first character of its line.
const KEPT: u8 = b'-';
const SENT: u8 = b'+';
const SENT_AS_PAY: u8 = b'$';
const SENT_AS_PLACE: u8 = b'@';

/// A log that is being read.
pub struct LogReading {
    first: Option<FirstLine>,
    parser: Parser,
    facts: LogFacts,
    /// Events that were read before the log named its player.
    waiting: Vec<Event>,
    lines: Vec<u8>,
    tally: Tally,
}

/// What a log says and what was counted in it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary<'r> {
    handle: Option<&'r str>,
    build: Option<&'r str>,
    patch: Option<&'r str>,
    channel: Option<&'r str>,
    from: Option<i64>,
    to: Option<i64>,
    lines: u64,
    untimed_lines: u64,
    nameless: u64,
    unknown_shapes: &'r [UnknownLine],
    #[serde(flatten)]
    tally: crate::tally::Counted<'r>,
}

/// Returns id and first timestamp of the log that begins with these bytes, as JSON; nothing if its first line is incomplete.
pub fn log_head(head: &[u8]) -> Vec<u8> {
    #[derive(Serialize)]
    struct Head<'h> {
        id: &'h str,
        stamp: &'h str,
    }
    let Some(first) = FirstLine::of(head) else { return Vec::new() };
    let (id, stamp) = (first.id(), first.stamp());
    // Cannot fail: two texts.
    serde_json::to_vec(&Head { id: id.as_str(), stamp: &String::from_utf8_lossy(&stamp) }).unwrap_or_default()
}

impl LogReading {
    /// Begins a log, of which `head` are the first bytes. They are fed like all others.
    pub fn new(grammar: Arc<Grammar>, head: &[u8]) -> Self {
        Self {
            first: FirstLine::of(head),
            parser: Parser::new(grammar),
            facts: LogFacts::default(),
            waiting: Vec::new(),
            lines: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Reads the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let waiting = &mut self.waiting;
        self.parser.feed(bytes, &mut |event| waiting.push(event));
        self.update_facts();
        if self.facts.handle.is_some() {
            self.decide();
        }
    }

    /// Reads the end of the log.
    pub fn finish(&mut self, ending: Ending) {
        let waiting = &mut self.waiting;
        self.parser.finish(ending, &mut |event| waiting.push(event));
        self.update_facts();
        self.decide();
    }

    fn update_facts(&mut self) {
        self.facts = self.parser.facts().after(std::mem::take(&mut self.facts));
    }

    /// Counts the events that were read, and decides which of them are sent.
    fn decide(&mut self) {
        let player = self.facts.player();
        for event in self.waiting.drain(..) {
            let is_sent = is_uploadable(&event) && player.as_ref().is_some_and(|p| takes_part(&event, p.as_str()));
            self.tally.count(&event, self.facts.handle.as_deref(), is_sent);
            self.lines.push(match event.identifier.opt_in() {
                _ if !is_sent => KEPT,
                None => SENT,
                Some(OptIn::Pay) => SENT_AS_PAY,
                Some(OptIn::Places) => SENT_AS_PLACE,
            });
            self.lines.extend(to_ndjson_line(&event));
        }
    }

    /// Takes the events whose player is known: lines of JSON as the reader prints and sends them, each preceded by `-` if it is not
    /// sent, `$` or `@` if it is sent with pay or places, and `+` if it is sent in any case.
    pub fn take_lines(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.lines)
    }

    /// The header of an upload; `None` if the log names no time or its first line is incomplete.
    pub fn header(&self) -> Option<String> {
        let source = EventSource { log: self.first.as_ref()?.id(), facts: self.facts.clone() };
        Some(source.header(READER)?.to_string())
    }

    /// What the log says and what was counted, as JSON.
    pub fn summary(&self) -> Vec<u8> {
        let (facts, counts) = (&self.facts, self.parser.counts());
        let summary = Summary {
            handle: facts.handle.as_deref(),
            build: facts.build.as_deref(),
            patch: self.parser.patch(),
            channel: facts.channel.as_deref(),
            from: facts.first.map(|at| at.0),
            to: facts.last.map(|at| at.0),
            lines: counts.lines,
            untimed_lines: counts.unread(),
            nameless: counts.nameless,
            unknown_shapes: self.parser.unknown_lines(),
            tally: self.tally.counted(),
        };
        // Cannot fail: plain data with text keys.
        serde_json::to_vec(&summary).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// The logs of the repository.
    fn logs() -> Vec<(PathBuf, Vec<u8>)> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/gamelog");
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "log"));
        paths.sort();
        paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    }

    fn grammar() -> Arc<Grammar> {
        Arc::new(Grammar::built_in().unwrap())
    }

    /// The lines of a log that is fed in pieces of this size, with their marks.
    fn read(log: &[u8], piece: usize) -> (Vec<u8>, LogReading) {
        let mut reading = LogReading::new(grammar(), log);
        log.chunks(piece).for_each(|piece| reading.feed(piece));
        reading.finish(Ending::Open);
        (reading.take_lines(), reading)
    }

    fn without_marks(lines: &[u8]) -> Vec<u8> {
        lines.split_inclusive(|byte| *byte == b'\n').flat_map(|line| &line[1..]).copied().collect()
    }

    #[test]
    fn the_page_finds_the_events_of_the_parser_byte_for_byte() {
        let logs = logs();
        assert!(logs.len() >= 10);
        // A log also ends in the middle of a line.
        let cut = logs.clone().into_iter().map(|(path, log)| (path, log[..log.len() - 7].to_vec()));
        for (path, log) in logs.into_iter().chain(cut.collect::<Vec<_>>()) {
            let mut wanted = Vec::new();
            let mut parser = Parser::new(grammar());
            parser.feed(&log, &mut |event| wanted.extend(to_ndjson_line(&event)));
            parser.finish(Ending::Open, &mut |event| wanted.extend(to_ndjson_line(&event)));
            for piece in [7, 4096, log.len().max(1)] {
                let found = without_marks(&read(&log, piece).0);
                assert!(found == wanted, "{} in pieces of {piece}", path.display());
            }
        }
    }

    #[test]
    fn only_events_of_the_player_are_sent() {
        for (path, log) in logs() {
            let (lines, reading) = read(&log, 4096);
            let player = reading.facts.player();
            for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let event: Event = serde_json::from_slice(&line[1..]).unwrap();
                let is_own = is_uploadable(&event) && player.as_ref().is_some_and(|p| takes_part(&event, p.as_str()));
                assert_eq!(line[0] != KEPT, is_own, "{}: {event:?}", path.display());
                assert_eq!(
                    is_own && event.identifier.opt_in().is_some(),
                    matches!(line[0], SENT_AS_PAY | SENT_AS_PLACE)
                );
            }
            assert_eq!(reading.header().is_some(), reading.facts.first.is_some(), "{}", path.display());
        }
    }

    #[test]
    fn a_summary_counts_what_the_events_tell() {
        let log = "<2025-04-11T15:00:00.000Z> BackupNameAttachment=\" Build(9687209) 11 Apr 25 (17 00 00)\"\n";
        let summary: serde_json::Value = serde_json::from_slice(&read(log.as_bytes(), 9).1.summary()).unwrap();
        assert_eq!(summary["build"], "9687209");
        assert_eq!(summary["handle"], serde_json::Value::Null);
        assert_eq!(summary["totals"]["events"], 0);
        let head: serde_json::Value = serde_json::from_slice(&log_head(log.as_bytes())).unwrap();
        assert_eq!(head["stamp"], "<2025-04-11T15:00:00.000Z");
        assert_eq!(log_head(b"half a line"), b"");
    }
}

//! Parses arbitrary bytes at arbitrary chunk boundaries: no panic, and the same events as in one chunk.
//! `cargo +nightly fuzz run log_line ../tests/data/gamelog` starts from the sample logs.

#![no_main]

use std::sync::{Arc, LazyLock};

use apogee::domain::events::Event;
use gamelog::{Ending, Grammar, Parser};
use libfuzzer_sys::fuzz_target;

static GRAMMAR: LazyLock<Arc<Grammar>> = LazyLock::new(|| Arc::new(Grammar::built_in().expect("the built-in grammar")));

fuzz_target!(|input: (u8, &[u8])| {
    let (cut, bytes) = input;
    assert_eq!(read(bytes, bytes.len().max(1)), read(bytes, usize::from(cut).max(1)));
});

fn read(bytes: &[u8], piece: usize) -> Vec<Event> {
    let mut parser = Parser::new(GRAMMAR.clone());
    let mut events = Vec::new();
    for piece in bytes.chunks(piece) {
        parser.feed(piece, &mut |event| events.push(event));
    }
    parser.finish(Ending::Closed, &mut |event| events.push(event));
    events
}

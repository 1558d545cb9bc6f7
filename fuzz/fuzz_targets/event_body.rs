//! Parses arbitrary request bodies, compressed or not: accepted events are valid, and memory is bounded.
//! `make fuzz TARGET=event_body` starts from the events of the sample logs.

#![no_main]

use apogee::domain::content_encoding::ContentEncoding;
use apogee::domain::events::validate;
use apogee::domain::times::EpochMillis;
use apogee::http::event_batch::{self, MAX_EVENTS};
use libfuzzer_sys::fuzz_target;

const NOW: EpochMillis = EpochMillis(1_760_000_000_000);

fuzz_target!(|input: (u8, &[u8])| {
    let (encoding, bytes) = input;
    let encoding = [None, Some(ContentEncoding::Gzip), Some(ContentEncoding::Zstd)][usize::from(encoding) % 3];
    let Ok(events) = event_batch::parse(bytes, encoding) else { return };
    assert!(events.len() <= MAX_EVENTS);
    for event in events.into_iter().flatten() {
        // Every event is validated.
        let _ = validate(event, NOW);
    }
});

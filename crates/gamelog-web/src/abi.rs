//! What the page calls. Bytes go in through one buffer and come out through another one, both owned by this module, so that no function
//! takes a pointer. One log is read at a time.

// The names of exported functions are the only unsafe part: two libraries could define the same one.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::sync::Arc;

use gamelog::{Ending, Grammar, Phrases};

use crate::log_reading::{LogReading, log_head};

#[derive(Default)]
struct Buffers {
    input: Vec<u8>,
    output: Vec<u8>,
    phrases: Phrases,
    /// Reads the phrases too.
    grammar: Option<Arc<Grammar>>,
    log: Option<LogReading>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Runs `work` with the input, and makes its result the output. Returns the length of the output.
fn answer(work: impl FnOnce(&mut Option<LogReading>, &[u8]) -> Vec<u8>) -> usize {
    BUFFERS.with_borrow_mut(|buffers| {
        buffers.output = work(&mut buffers.log, &buffers.input);
        buffers.output.len()
    })
}

/// Returns the address of the input, which has room for `length` bytes until the next call of this function.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    BUFFERS.with_borrow_mut(|buffers| {
        buffers.input.resize(length, 0);
        buffers.input.as_mut_ptr()
    })
}

/// Returns the address of the output of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    BUFFERS.with_borrow(|buffers| buffers.output.as_ptr())
}

/// The input is the beginning of a log: outputs `{"id", "stamp"}`, or nothing if its first line is incomplete.
#[unsafe(no_mangle)]
pub extern "C" fn head() -> usize {
    answer(|_, input| log_head(input))
}

/// The input is a `global.ini` of the game: logs that begin from now on may be in its language.
#[unsafe(no_mangle)]
pub extern "C" fn add_phrases() {
    BUFFERS.with_borrow_mut(|buffers| {
        // Such a file has ten megabytes, which the parts of a log do not need.
        buffers.phrases.add(&std::mem::take(&mut buffers.input));
        buffers.grammar = None;
    });
}

/// Begins a log. The input is its beginning, as for [`head`]. Returns 0 if the grammar cannot be read.
#[unsafe(no_mangle)]
pub extern "C" fn begin() -> usize {
    BUFFERS.with_borrow_mut(|buffers| {
        if buffers.grammar.is_none() {
            let phrases = buffers.phrases.clone();
            buffers.grammar = Grammar::built_in().ok().map(|grammar| Arc::new(grammar.with_phrases(phrases)));
        }
        buffers.log = buffers.grammar.clone().map(|grammar| LogReading::new(grammar, &buffers.input));
        usize::from(buffers.log.is_some())
    })
}

/// The input is the next part of the log: outputs the events that are complete, see [`LogReading::take_lines`].
#[unsafe(no_mangle)]
pub extern "C" fn feed() -> usize {
    answer(|log, input| {
        log.as_mut().map_or_else(Vec::new, |log| {
            log.feed(input);
            log.take_lines()
        })
    })
}

/// Ends the log: outputs the remaining events. `is_closed` is 0 if the game may still write it.
#[unsafe(no_mangle)]
pub extern "C" fn finish(is_closed: u32) -> usize {
    let ending = if is_closed == 0 { Ending::Open } else { Ending::Closed };
    answer(|log, _| {
        log.as_mut().map_or_else(Vec::new, |log| {
            log.finish(ending);
            log.take_lines()
        })
    })
}

/// Outputs the header of an upload of what was read so far, or nothing if the log names no time.
#[unsafe(no_mangle)]
pub extern "C" fn header() -> usize {
    answer(|log, _| log.as_ref().and_then(LogReading::header).unwrap_or_default().into_bytes())
}

/// Outputs what the log says and what was counted so far, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn summary() -> usize {
    answer(|log, _| log.as_ref().map(LogReading::summary).unwrap_or_default())
}

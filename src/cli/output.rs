//! Writes to standard output and standard error; no other module does.
//! Called by every command and by `main`.

use std::cell::RefCell;
use std::io::{Write, stderr, stdout};

use super::CliError;

/// What a command has written.
#[derive(Debug, Default)]
pub struct Written {
    pub output: Vec<u8>,
    pub errors: String,
}

thread_local! {
    /// What a command within another program has written; `None` for the standard streams.
    static CAPTURED: RefCell<Option<Written>> = const { RefCell::new(None) };
}

/// Runs a command; what it writes on this thread is returned instead of written.
pub fn captured<T>(command: impl FnOnce() -> T) -> (Written, T) {
    CAPTURED.replace(Some(Written::default()));
    let done = command();
    (CAPTURED.take().unwrap_or_default(), done)
}

/// Returns whether the output of this thread is captured, after `write` has written there.
fn capture(write: impl FnOnce(&mut Written)) -> bool {
    CAPTURED.with_borrow_mut(|captured| captured.as_mut().map(write)).is_some()
}

/// Writes a value to standard output as a line of JSON.
pub fn write_json(value: &impl serde::Serialize) -> Result<(), CliError> {
    outln!("{}", serde_json::to_string(value).map_err(std::io::Error::other)?)
}

/// Writes bytes to standard output and flushes them.
pub fn write_bytes(bytes: &[u8]) -> Result<(), CliError> {
    if capture(|written| written.output.extend_from_slice(bytes)) {
        return Ok(());
    }
    let mut out = stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Writes text to standard error. Errors are ignored: there is nowhere to report them.
pub fn write_error(text: &str) {
    if capture(|written| written.errors.push_str(text)) {
        return;
    }
    let mut err = stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Formats a line and writes it to standard output.
macro_rules! outln {
    ($($text:tt)*) => { $crate::cli::output::write_bytes(format!("{}\n", format_args!($($text)*)).as_bytes()) };
}

/// Formats a line and writes it to standard error.
macro_rules! errln {
    ($($text:tt)*) => { $crate::cli::output::write_error(&format!("{}\n", format_args!($($text)*))) };
}

pub(super) use {errln, outln};

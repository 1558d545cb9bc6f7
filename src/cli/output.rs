//! Writes to standard output and standard error; no other module does.
//! Called by every command and by `main`.

use std::cell::RefCell;
use std::fmt::Arguments;
use std::io::{Write, stderr, stdout};

use super::CliError;

thread_local! {
    /// What a command within another program has written; `None` for standard output.
    static CAPTURED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Runs a command whose output on this thread is returned instead of written.
pub fn captured<T>(command: impl FnOnce() -> T) -> (String, T) {
    CAPTURED.replace(Some(Vec::new()));
    let done = command();
    let written = CAPTURED.take().unwrap_or_default();
    (String::from_utf8_lossy(&written).into_owned(), done)
}

/// Writes a line to standard output and flushes it.
pub fn write_line(text: Arguments) -> Result<(), CliError> {
    write_bytes(format!("{text}\n").as_bytes())
}

/// Writes bytes to standard output and flushes them.
pub fn write_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let is_captured = CAPTURED.with_borrow_mut(|captured| captured.as_mut().map(|all| all.extend_from_slice(bytes)));
    if is_captured.is_some() {
        return Ok(());
    }
    let mut out = stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Writes a line to standard error. Errors are ignored: there is nowhere to report them.
pub fn write_error_line(text: Arguments) {
    let mut err = stderr().lock();
    let _ = writeln!(err, "{text}").and_then(|()| err.flush());
}

/// Formats a line and writes it to standard output.
macro_rules! outln {
    ($($text:tt)*) => { $crate::cli::output::write_line(format_args!($($text)*)) };
}

/// Formats a line and writes it to standard error.
macro_rules! errln {
    ($($text:tt)*) => { $crate::cli::output::write_error_line(format_args!($($text)*)) };
}

pub(super) use {errln, outln};

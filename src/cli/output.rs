//! Writes to standard output and standard error; no other module does.
//! Called by every command and by `main`.

use std::fmt::Arguments;
use std::io::{Write, stderr, stdout};

use super::CliError;

/// Writes a line to standard output and flushes it.
pub fn write_line(text: Arguments) -> Result<(), CliError> {
    let mut out = stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Writes bytes to standard output and flushes them.
pub fn write_bytes(bytes: &[u8]) -> Result<(), CliError> {
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

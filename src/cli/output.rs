//! What commands write to standard output and standard error: the only place that does.
//! Called by every command and by `main`.
//! Never here: what is written.

use std::fmt::Arguments;
use std::io::{Write, stderr, stdout};

use super::CliError;

/// Writes a line to standard output and sends it on its way.
pub fn write_line(text: Arguments) -> Result<(), CliError> {
    let mut out = stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Writes bytes to standard output as they are.
pub fn write_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Writes a line to standard error. A failure is ignored: nothing is left to report it to.
pub fn write_error_line(text: Arguments) {
    let mut err = stderr().lock();
    let _ = writeln!(err, "{text}").and_then(|()| err.flush());
}

/// A line of standard output, formatted; fails when it cannot be written.
macro_rules! outln {
    ($($text:tt)*) => { $crate::cli::output::write_line(format_args!($($text)*)) };
}

/// A line of standard error, formatted.
macro_rules! errln {
    ($($text:tt)*) => { $crate::cli::output::write_error_line(format_args!($($text)*)) };
}

pub(super) use {errln, outln};

//! The binary: hands the arguments to `cli` and turns what went wrong into one sentence and an exit code.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use apogee::cli::output;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    use_small_pages();
    match apogee::cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            output::write_error_line(format_args!("apogee: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

/// The allocator asks for pages of 2 MB, and some systems give them unasked; a site uses a part of each: at 2.7 million players a
/// fifth of all memory lay idle. Where it does not let itself be told, it stays as it is.
fn use_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

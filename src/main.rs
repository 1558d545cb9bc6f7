//! The binary: hands the arguments to `cli` and turns what went wrong into one sentence and an exit code.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match apogee::cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("apogee: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

//! Opens pages in the user's browser.

use std::process::{Command, Stdio};

/// Asks the system to open an address, as far as that is possible. Callers also print the address.
pub fn open(url: &str) {
    let (program, options): (&str, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(options).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        // Waits for the process, so that no zombie remains.
        std::thread::spawn(move || child.wait());
    }
}

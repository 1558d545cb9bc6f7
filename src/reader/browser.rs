//! Opens pages in the user's browser.

use std::process::{Command, Stdio};

/// Asks the system to open an address. Returns false if that is not possible. Callers also print the address.
pub fn open(url: &str) -> bool {
    let mut command = if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else {
        Command::new("xdg-open")
    };
    let started = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        Ok(mut child) => {
            // Waits for the process, so that no zombie remains.
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}

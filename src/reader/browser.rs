//! Opening a page in the user's browser.

use std::process::{Command, Stdio};

/// Asks the system to open an address; false when it has no way to. The address is shown as text as well, so that
/// failing costs a click.
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
            // Waited for beside everything else, so that no ended process is left behind.
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}

//! A site with many streams, and its clients, for the benchmarks of the live stream and of open leaderboards.

use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tokio::net::TcpStream;

/// A command of the program on this data directory.
pub fn program(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_apogee"));
    command.arg("--data-dir").arg(dir).env("APOGEE_LOG", "error");
    command
}

/// Starts the site; returns it with its address and an ingest key.
pub fn start(dir: &Path) -> (Child, SocketAddr, String) {
    std::fs::write(dir.join("apogee.toml"), "[limits]\nstreams-in-all = 19000\n").expect("settings");
    let made = program(dir).args(["key", "create"]).output().expect("the program");
    let key = String::from_utf8(made.stdout).expect("a key").trim().to_owned();
    let mut serve = program(dir);
    serve.args(["serve", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
    let mut site = serve.spawn().expect("the program");
    let mut line = String::new();
    BufReader::new(site.stdout.take().expect("its output")).read_line(&mut line).expect("its address");
    let address = line.trim().trim_start_matches("listening on http://").parse().expect("an address");
    (site, address, key)
}

/// Reads a stream to its end. `look` receives each part, with up to `overlap` bytes from before it, and the length of the part.
pub async fn read(stream: &TcpStream, overlap: usize, open: impl Fn(), look: impl Fn(&[u8], usize)) {
    // One buffer for all clients keeps the memory of this process small.
    thread_local!(static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; 1 << 18]));
    let (mut tail, mut is_open): (Vec<u8>, bool) = (Vec::new(), false);
    while stream.readable().await.is_ok() {
        let more = BUFFER.with_borrow_mut(|buffer| {
            let start = tail.len();
            buffer[..start].copy_from_slice(&tail);
            match stream.try_read(&mut buffer[start..]) {
                Ok(0) => false,
                Ok(length) => {
                    let all = &buffer[..start + length];
                    if !is_open {
                        assert!(all.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(all));
                        is_open = true;
                        open();
                    }
                    look(all, length);
                    tail.clear();
                    tail.extend_from_slice(&all[all.len().saturating_sub(overlap)..]);
                    true
                }
                Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
            }
        });
        if !more {
            return;
        }
    }
}

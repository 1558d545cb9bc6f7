//! The end of a reader: exit codes, signals, and traces that the next start finds.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::reader::uploads::{LOG, game, reader, start, wait_for_line};
use crate::support::*;

/// Nothing listens on the discard port.
const AWAY: &str = "http://127.0.0.1:9";

fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn lines(output: &Output) -> usize {
    String::from_utf8_lossy(&output.stdout).lines().count()
}

fn status(home: &Path) -> Value {
    let output = reader(home, &["status", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr_of(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_named_game_log_includes_its_backups() {
    let root = tempfile::tempdir().unwrap();
    let (log, live) = game(root.path());
    std::fs::write(&log, LOG).unwrap();
    let earlier = String::from_utf8_lossy(LOG).replace("<2025-04-11T", "<2025-04-10T");
    std::fs::write(live.join("logbackups/a.log"), earlier).unwrap();
    let read = |path: &Path| {
        let output = reader(root.path(), &["--once", "--json", "--dry-run", path.to_str().unwrap()]).output().unwrap();
        assert!(output.status.success(), "{}", stderr_of(&output));
        output.stdout
    };
    let (named, folder, backup) = (read(&log), read(&live), read(&live.join("logbackups/a.log")));
    assert_eq!(named, folder);
    assert!(named.starts_with(&backup) && named.len() > backup.len() && !backup.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn once_exits_with_1_if_events_were_rejected_and_the_next_run_sends_them() {
    let server = Server::start(Backend::Sqlite).await;
    let key = server.key("reader");
    let root = tempfile::tempdir().unwrap();
    let (log, _) = game(root.path());
    let path = log.to_str().unwrap();
    let stored = || server.database.number("SELECT COUNT(*) FROM events");
    let once = |site: &str, key: &str| {
        reader(root.path(), &["--once", "--json", path, "--server", site, "--key", key]).output().unwrap()
    };
    std::fs::write(&log, LOG).unwrap();
    let wanted = lines(&reader(root.path(), &["--once", "--json", "--dry-run", path]).output().unwrap());

    // Unreachable site: it is named, and everything is still read and shown.
    let away = once(AWAY, &key);
    assert_eq!(away.status.code(), Some(1), "{}", stderr_of(&away));
    assert!(stderr_of(&away).contains(&format!("cannot reach {AWAY}")), "{}", stderr_of(&away));
    assert_eq!(lines(&away), wanted);
    // Unknown key.
    let refused = once(&server.address, "apogee_000000000000000000000000000000000000000000000000");
    assert_eq!((refused.status.code(), lines(&refused)), (Some(1), wanted), "{}", stderr_of(&refused));
    assert_eq!(stored(), 0);
    // All events are rejected, because the clock was years ahead.
    std::fs::write(&log, String::from_utf8_lossy(LOG).replace("<2025-04-11T", "<2099-04-11T")).unwrap();
    let early = once(&server.address, &key);
    assert_eq!(early.status.code(), Some(1), "{}", stderr_of(&early));
    assert!(
        stderr_of(&early).contains("clock") && stderr_of(&early).contains("the site rejected"),
        "{}",
        stderr_of(&early)
    );
    assert_eq!(stored(), 0);

    std::fs::write(&log, LOG).unwrap();
    let done = once(&server.address, &key);
    assert_eq!(done.status.code(), Some(0), "{}", stderr_of(&done));
    assert!(stored() > 20);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signals_end_a_reader_cleanly() {
    let root = tempfile::tempdir().unwrap();
    let (log, live) = game(root.path());
    std::fs::write(&log, LOG).unwrap();
    let path = live.to_str().unwrap();
    // A site that accepts connections and never responds must not delay the exit.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    let runs: [(&str, &[&str], &str); 4] = [
        ("-TERM", &["--json", "--dry-run", path], "Reading"),
        ("-INT", &["--json", "--server", &silent, "--key", "k", path], "Reading"),
        ("-TERM", &["--open", path], "http://127.0.0.1"),
        ("-INT", &["--once", "--json", "--server", &silent, "--key", "k", path], "Reading"),
    ];
    for (signal, args, ready) in runs {
        let (mut running, notes) = start(reader(root.path(), args));
        wait_for_line(&notes, |line| line.contains(ready).then(String::new));
        assert!(Command::new("kill").args([signal, &running.0.id().to_string()]).status().unwrap().success());
        let ended = running.0.wait().unwrap();
        assert_eq!(ended.code(), Some(0), "{args:?} {signal}: {ended}");
    }
    assert!(!root.path().join(".local/share/apogee/reader/page.url").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_note_of_a_killed_reader_is_ignored() {
    let root = tempfile::tempdir().unwrap();
    let (_, live) = game(root.path());
    let args = ["--open", live.to_str().unwrap()];
    let address = |line: &str| line.split_once("http://").map(|(_, rest)| rest.to_owned());
    let (mut first, notes) = start(reader(root.path(), &args));
    let left = wait_for_line(&notes, address);
    first.kill();
    let note = root.path().join(".local/share/apogee/reader/page.url");
    assert!(note.exists(), "the killed reader's note still exists");
    // Another program now listens on its port: this test, or a parallel one that was given the free port.
    let other = std::net::TcpListener::bind(left.split_once('/').unwrap().0);
    if let Err(error) = &other {
        assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse, "{error}");
    }
    let (mut second, notes) = start(reader(root.path(), &args));
    let own = wait_for_line(&notes, address);
    assert_ne!(own, left);
    assert_eq!(second.0.try_wait().unwrap(), None, "it reads");
    let third = reader(root.path(), &args).output().unwrap();
    assert!(third.status.success() && stderr_of(&third).contains(&own), "{}", stderr_of(&third));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn status_shows_readers_started_with_flags() {
    let server = Server::start(Backend::Sqlite).await;
    let key = server.key("reader");
    let root = tempfile::tempdir().unwrap();
    let (log, live) = game(root.path());
    std::fs::write(&log, LOG).unwrap();
    let path = live.to_str().unwrap();
    assert_eq!(status(root.path())["status"]["is_running"], false);
    let (mut with_site, notes) =
        start(reader(root.path(), &["--json", path, "--server", &server.address, "--key", &key]));
    wait_for_line(&notes, |line| line.contains("Reading").then(String::new));
    let shown = status(root.path());
    assert_eq!((&shown["server"], &shown["status"]["is_running"]), (&server.address.clone().into(), &true.into()));
    assert_eq!(shown["logs"][0], log.display().to_string());
    // A second reader that sends nothing runs beside it.
    let (mut without, notes) = start(reader(root.path(), &["--json", "--dry-run", path]));
    wait_for_line(&notes, |line| line.contains("Reading").then(String::new));
    let shown = status(root.path());
    assert_eq!(shown["others"].as_array().unwrap().len(), 1, "{shown}");
    let words = reader(root.path(), &["status"]).output().unwrap();
    let words = String::from_utf8_lossy(&words.stdout).into_owned();
    assert_eq!(words.matches("A reader is running.").count(), 2, "{words}");
    assert!(words.contains(&server.address), "{words}");
    with_site.kill();
    without.kill();
    assert_eq!(status(root.path())["status"]["is_running"], false);
}

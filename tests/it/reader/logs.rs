//! The reader names the log of every batch, and the site stores it.

use super::uploads::{LOG, game, reader, start};
use crate::support::*;

on_sqlite!(the_site_knows_the_log_of_every_event,);

const NEXT_LOG: &[u8] = include_bytes!("../../data/gamelog/pu-4.7.0-no-fights.log");

/// Every log of a key with the number of its events, oldest first.
fn logs(server: &Server, key_name: &str) -> Vec<String> {
    server.database.words(&format!(
        "SELECT l.log || ' ' || l.handle || ' ' || l.build || ' ' || l.branch || ' ' || l.channel || ' ' || l.reader || ' ' || l.first_at \
         || ' ' || l.last_at || ' ' || (SELECT COUNT(*) FROM events e WHERE e.log_id = l.id) AS value \
         FROM logs l JOIN ingest_keys k ON k.id = l.ingest_key_id WHERE k.name = '{key_name}' ORDER BY l.first_at"
    ))
}

async fn the_site_knows_the_log_of_every_event(on: Backend) {
    let server = Server::start(on).await;
    let (key, second_key) = (server.key("first"), server.key("second"));
    let root = tempfile::tempdir().unwrap();
    let (log, folder) = game(root.path());
    std::fs::write(folder.join("logbackups/old.log"), LOG).unwrap();
    std::fs::write(&log, NEXT_LOG).unwrap();
    let path = folder.to_str().unwrap();
    let once = || {
        let output =
            reader(root.path(), &["--once", path, "--server", &server.address, "--key", &key]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    once();
    let stored = logs(&server, "first");
    let version = env!("CARGO_PKG_VERSION");
    let [old, next] = &stored[..] else { panic!("{stored:?}") };
    let old_log = format!(" Ada_Quill 9687209 sc-alpha-4.1.0 LIVE Apogee/{version} 1744385053958 ");
    let next_log = format!(" NightHeron 11715810 sc-alpha-4.7.0 LIVE Apogee/{version} 1777755711390 ");
    assert!(old.contains(&old_log) && next.contains(&next_log), "{stored:?}");
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events WHERE log_id IS NULL"), 0);
    assert!(stored.iter().all(|row| !row.ends_with(" 0")), "{stored:?}");

    // Reading them again changes nothing.
    let events = server.database.number("SELECT COUNT(*) FROM events");
    once();
    assert_eq!(
        (logs(&server, "first"), server.database.number("SELECT COUNT(*) FROM events")),
        (stored.clone(), events)
    );

    // A reader that follows, with a queue and another key, names the same logs.
    let args = [path, "--server", &server.address, "--key", &second_key];
    let (mut running, _notes) = start(reader(root.path(), &args));
    eventually("the second upload", async || logs(&server, "second").len() == 2).await;
    running.kill();
    let name = |rows: &[String]| -> Vec<String> {
        rows.iter().map(|row| row.split(' ').take(7).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(name(&logs(&server, "second")), name(&stored));
}

//! `serve --demo`: an empty database becomes a demo, any other is unchanged.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command};

use crate::support::*;

on_sqlite!(a_database_with_other_data_is_served_without_the_demo, a_demo_continues_with_one_key_at_every_start,);

const DEMO_KEYS: &str = "SELECT COUNT(*) FROM ingest_keys WHERE name = 'demo'";
const EVENTS: &str = "SELECT COUNT(*) FROM events";
const MARKS: &str = "SELECT COUNT(*) FROM demo_universe";

/// Starts `serve --demo` on the server's data and waits for its address.
fn serve(server: &Server) -> Child {
    let mut child = server.spawn(&["serve", "--demo", "--listen", "127.0.0.1:0"]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("listening on "), "{line}");
    child
}

/// Stops the site with SIGTERM and returns its log.
fn stop(child: Child) -> String {
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", output.status);
    String::from_utf8(output.stderr).unwrap()
}

fn fill(server: &Server, players: &str, guilds: &str) {
    server.command(&["demo", "--players", players, "--guilds", guilds, "--events", "300", "--seed", "7"]);
}

async fn a_database_with_other_data_is_served_without_the_demo(on: Backend) {
    // One player or one account is enough.
    for row in [
        "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('Ann-1', 'ann-1', 'Ann', 1)",
        "INSERT INTO users (discord_id, discord_username, linked_at, last_seen_at) VALUES ('71', 'ada', 1, 1)",
    ] {
        let server = Server::prepare(on);
        server.database.run(row);
        let log = stop(serve(&server));
        assert!(log.contains("served without the demo"), "{log}");
        let counts = [DEMO_KEYS, EVENTS, MARKS].map(|query| server.database.number(query));
        assert_eq!(counts, [0, 0, 0], "no demo key and no generated events");
    }
}

async fn a_demo_continues_with_one_key_at_every_start(on: Backend) {
    let server = Server::prepare(on);
    fill(&server, "60", "3");
    assert_eq!((server.database.number(DEMO_KEYS), server.database.number(MARKS)), (1, 1));
    for _ in 0..2 {
        let before = server.database.number(EVENTS);
        let site = serve(&server);
        eventually("live events", async || server.database.number(EVENTS) > before).await;
        let log = stop(site);
        assert!(!log.contains("without the demo"), "{log}");
        assert_eq!(server.database.number(DEMO_KEYS), 1);
        assert_eq!(
            server.database.number("SELECT COUNT(*) FROM players"),
            60,
            "live events are about existing players"
        );
    }
    // Running `apogee demo` again adds neither a demo nor a key.
    fill(&server, "60", "3");
    assert_eq!((server.database.number(DEMO_KEYS), server.database.number(MARKS)), (1, 1));
}

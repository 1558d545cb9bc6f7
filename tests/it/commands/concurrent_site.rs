//! Commands that write while a site on PostgreSQL uses the same data directory.

use crate::support::*;

/// Waits until the running site finds a player.
async fn until_found(server: &Server, handle: &str) {
    eventually(handle, async || {
        let found = server.read(&format!("/api/search/fast?q={handle}")).await;
        found["results"].as_array().unwrap().iter().any(|hit| hit.to_string().contains(handle))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_write_beside_a_site_on_postgres_with_its_data_directory() {
    let mut server = Server::start(Backend::Postgres).await;
    let dir = server.data_dir();
    let write = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let players = write("p.csv", "handle\nFalcon-1\n");
    let events = write("e.ndjson", &format!("{}\n", kill("Falcon-2", NPC).with("victim_is_npc", true).pu().json()));
    server.command(&["import", "players", &players]);
    until_found(&server, "Falcon-1").await;
    server.command(&["import", "events", &events]);
    until_found(&server, "Falcon-2").await;
    server.command(&["reindex"]);
    server.command(&["demo", "--players", "20", "--guilds", "2", "--events", "50"]);
    eventually("the demo's players", async || server.read("/api/stats/counts").await["players"] == 22).await;
    assert!(!dir.join("search.beside").exists(), "the command removes its search index");

    // `check` names the process that uses the directory.
    let checked = server.try_command(&["check"]);
    assert!(checked.output.contains("data-dir: in use by apogee serve on http://"), "{checked:?}");
    let second = server.try_command(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(second.code == 1 && second.error.contains("in use by apogee serve on"), "{second:?}");

    // The imported data is still there after a restart.
    server.restart();
    until_found(&server, "Falcon-2").await;
}

on_both!(imported_events_add_no_visible_key);

async fn imported_events_add_no_visible_key(on: Backend) {
    let server = Server::prepare(on);
    server.key("mine");
    let file = server.data_dir().join("e.ndjson");
    std::fs::write(&file, format!("{}\n", kill("Ann-1", NPC).with("victim_is_npc", true).pu().json())).unwrap();
    for _ in 0..2 {
        server.command(&["import", "events", file.to_str().unwrap()]);
    }
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), 1, "importing twice changes nothing");
    let listed: serde_json::Value = serde_json::from_str(&server.command(&["key", "list", "--json"])).unwrap();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|key| key["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["mine"]);
    assert!(!server.command(&["key", "list"]).contains("imported"));
    // A key with this name is listed, whether or not it is revoked.
    server.key("imported");
    server.command(&["key", "revoke", "imported"]);
    assert!(server.command(&["key", "list"]).contains("imported\trevoked"));
}

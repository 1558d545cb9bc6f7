//! The search index follows the database: after a kill, when it is missing, outdated or broken, and when other processes write.

use std::path::Path;

use serde_json::Value;

use crate::support::*;

on_both!(an_outdated_index_catches_up, leaderboards_show_movements_since_the_start_of_the_day,);

async fn found(server: &Server, text: &str) -> Vec<String> {
    let response = server.read(&format!("/api/search/fast?q={text}")).await;
    response["results"].as_array().unwrap().iter().map(|row| row["handle"].as_str().unwrap().to_owned()).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

async fn an_outdated_index_catches_up(on: Backend) {
    let mut server = Server::start(on).await;
    let key = server.key("reader");
    let at = now() - DAY;
    for (name, kills) in [("Falcon-One", 5), ("Falcon-Two", 9), ("Falcon-Three", 7)] {
        server.take(&key, &npc_kills(name, kills, at)).await;
    }
    server
        .database
        .run("INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('NESTS', 'Nests', 'nests', 0)");
    server.restart();
    assert_eq!(found(&server, "falcon").await, ["Falcon-Two", "Falcon-Three", "Falcon-One"]);
    let (index, older) = (server.data_dir().join("search"), server.data_dir().join("search.older"));
    server.stop();
    copy(&index, &older);

    // Changes of another process are found while the server runs.
    server = server.into_process();
    server.run();
    server.database.run("UPDATE players SET player_name = 'Grey Heron' WHERE handle = 'Falcon-One'");
    eventually("the new name", async || found(&server, "heron").await == ["Falcon-One"]).await;

    // The server is killed before the index is committed.
    server.take(&key, &npc_kills("Falcon-Three", 4, at + 3_600_000)).await;
    server.database.run(
        "UPDATE players SET is_hidden = TRUE WHERE handle = 'Falcon-Two'; \
         UPDATE player_scores SET is_hidden = TRUE WHERE handle_folded = 'falcon-two'; \
         UPDATE guilds SET name = 'Eyries', name_folded = 'eyries' WHERE tag = 'NESTS'; \
         INSERT INTO former_handles (handle_folded, player_id, handle, replaced_at) \
         SELECT 'old-osprey', id, 'Old-Osprey', 0 FROM players WHERE handle = 'Falcon-One'",
    );
    server.kill();
    server = server.within();
    let check = async |server: &Server, when: &str| {
        assert_eq!(found(server, "falcon").await, ["Falcon-Three", "Falcon-One"], "{when}");
        assert_eq!(found(server, "heron").await, ["Falcon-One"], "{when}");
        assert_eq!(found(server, "osprey").await, ["Falcon-One"], "{when}: by a former handle");
        let guilds = server.read("/api/search/guilds?q=eyri").await;
        assert_eq!(guilds["results"][0]["short"], "NESTS", "{when}");
        assert_eq!(server.read("/api/search/guilds?q=nests").await["results"][0]["name"], "Eyries", "{when}");
    };
    server.run();
    check(&server, "after a kill").await;
    server.stop();
    std::fs::remove_dir_all(&index).unwrap();
    server.run();
    check(&server, "without an index").await;
    server.stop();
    std::fs::remove_dir_all(&index).unwrap();
    std::fs::rename(&older, &index).unwrap();
    server.run();
    check(&server, "with an older index").await;
    server.stop();
    std::fs::write(index.join("meta.json"), "{}").unwrap();
    server.run();
    check(&server, "with a broken index").await;
    assert!(server.data_dir().join("search.set-aside").is_dir());
}

/// `(handle, rank, movement)` of each row.
async fn moved(server: &Server, query: &str) -> Vec<(String, i64, Option<i64>)> {
    let response = server.read(&format!("/api/players/leaderboard?{query}")).await;
    let row = |row: &Value| {
        (row["handle"].as_str().unwrap().to_owned(), row["rank"].as_i64().unwrap(), row["movement"].as_i64())
    };
    response["players"].as_array().unwrap().iter().map(row).collect()
}

async fn leaderboards_show_movements_since_the_start_of_the_day(on: Backend) {
    let mut server = Server::start(on).await;
    let key = server.key("reader");
    // Long before any day that the test can run into.
    for (name, kills) in [("Ann", 9), ("Ben", 7), ("Cid", 5)] {
        server.take(&key, &npc_kills(name, kills, now() - 5 * DAY)).await;
    }
    // Days begin at the start of the server, or else at midnight (UTC).
    server.restart();
    let none = [("Ann", 1, Some(0)), ("Ben", 2, Some(0)), ("Cid", 3, Some(0))];
    let rows = |list: &[(&str, i64, Option<i64>)]| {
        list.iter().map(|(handle, rank, movement)| ((*handle).to_owned(), *rank, *movement)).collect::<Vec<_>>()
    };
    assert_eq!(moved(&server, "").await, rows(&none));
    server.take(&key, &npc_kills("Cid", 3, now() - 40_000)).await;
    server.take(&key, &npc_kills("Dee", 6, now() - 90_000)).await;
    let today = [("Ann", 1, Some(0)), ("Cid", 2, Some(1)), ("Ben", 3, Some(-1)), ("Dee", 4, None)];
    assert_eq!(moved(&server, "").await, rows(&today));
    let turned: Vec<_> = rows(&today).into_iter().rev().collect();
    assert_eq!(moved(&server, "order=asc").await, turned);
    assert_eq!(moved(&server, "sortBy=pve_kills&limit=1&page=2").await, rows(&today[1..2]));
    assert!(moved(&server, "window=7d").await.iter().all(|(.., movement)| movement.is_none()));
    // The start-of-day ranks are derived again after a restart, unless midnight has passed since the kills.
    let is_same_day = (now() - 200_000) / DAY == now() / DAY;
    server.restart();
    if is_same_day {
        assert_eq!(moved(&server, "").await, rows(&today));
    }
}

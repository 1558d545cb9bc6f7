//! Suggestions for players and guilds.

use serde_json::{Value, json};

use crate::support::*;

on_both!(search_finds_what_is_typed);

async fn found(server: &Server, path: &str) -> Vec<String> {
    let response = server.read(path).await;
    let name = |row: &Value| {
        let name = if row["type"] == "guild" { &row["short"] } else { &row["handle"] };
        name.as_str().unwrap().to_owned()
    };
    response["results"].as_array().unwrap().iter().map(name).collect()
}

async fn search_finds_what_is_typed(on: Backend) {
    let mut server = Server::prepare(on);
    super::leaderboard::insert_guilds(&server);
    server.database.run(
        "UPDATE guilds SET name = 'Équipe Étoile', name_folded = 'equipe etoile' WHERE tag = 'GAMMA'; \
         UPDATE players SET player_name = 'Zoë Straße' WHERE handle = 'Dee-4'",
    );
    server.run();
    let key = server.key("reader");
    let at = now() - DAY;
    for (name, kills) in [("Falcon", 1), ("Falcon-Two", 9), ("FALCONER", 4), ("Wing_Falcon", 2)] {
        server.take(&key, &npc_kills(name, kills, at)).await;
    }
    let begins = ["Falcon", "Falcon-Two", "FALCONER"];
    assert_eq!(found(&server, "/api/search/fast?q=falcon").await[..3], begins, "the exact match first, then by score");
    assert_eq!(found(&server, "/api/search/players?q=FALC").await[..3], ["Falcon-Two", "FALCONER", "Falcon"]);
    assert_eq!(found(&server, "/api/search/fast?q=falcon&limit=1").await, ["Falcon"]);
    assert_eq!(found(&server, "/api/search/fast?q=ZO%C3%8B").await, ["Dee-4"]);
    assert_eq!(found(&server, "/api/search/fast?q=equipe&type=guild").await, ["GAMMA"]);
    let guild = server.read("/api/search/guilds?q=beta").await["results"][0].clone();
    assert_eq!((&guild["name"], &guild["short"]), (&json!("Beta Crew"), &json!("BETA")));
    let player = server.read("/api/search/players?q=ann-1").await["results"][0].clone();
    assert_eq!((&player["handle"], &player["orgs"]), (&json!("Ann-1"), &json!(["ALPHA"])));
    for text in ["", "f", "zz%00", "%22%29%20OR%201"] {
        for path in ["fast", "players", "guilds"] {
            assert_eq!(found(&server, &format!("/api/search/{path}?q={text}")).await, Vec::<String>::new(), "{text}");
        }
    }
    assert_eq!(found(&server, "/api/search/fast").await, Vec::<String>::new());
    // A player is found soon after the response to their first event.
    for round in 0..3 {
        let name = format!("Newcomer{round}");
        server.take(&key, &npc_kills(&name, 1, at)).await;
        let path = format!("/api/search/fast?q=newcomer{round}");
        eventually(&format!("{name} is found"), async || found(&server, &path).await == [name.clone()]).await;
    }
}

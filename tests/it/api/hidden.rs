//! Hidden players appear nowhere except in sums.

use serde_json::{Value, json};

use super::leaderboard::insert_guilds;
use crate::support::*;

on_both!(a_hidden_player_appears_nowhere);

async fn a_hidden_player_appears_nowhere(on: Backend) {
    let mut server = Server::prepare(on);
    insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    let at = now() - 2 * DAY;
    server.take(&key, &npc_kills("Bob-1", 9, at)).await;
    server.take(&key, &npc_kills("Ann-1", 4, at)).await;
    server.take(&key, &npc_kills("Cyd-2", 4, at)).await;
    let events = [
        kill("Bob-1", "Cyd-2").pu().with("patch", "ALPHA 4.9.2"),
        kill("Cyd-2", "Bob-1").pu(),
        own("login", "Bob-1"),
        own("logout", "Bob-1"),
        own("mission_complete", "Bob-1").with("contract_name", "zzhaul"),
    ];
    server.take(&key, &in_a_row(at + 600_000, events)).await;
    let sums = server.read("/api/guild/stats/ALPHA").await;
    let patch = server.read("/api/patch").await;
    server.stop();
    server.database.run(
        "UPDATE players SET is_hidden = TRUE WHERE handle_folded = 'bob-1'; \
         UPDATE player_scores SET is_hidden = TRUE WHERE handle_folded = 'bob-1'",
    );
    server.command(&["reindex"]);
    server.run();

    let profile = server.read("/api/player/bob-1").await;
    assert_eq!(profile, json!({"success": true, "player": {"handle": "Bob-1", "is_hidden": true}}));
    for below in ["weapons", "vehicles", "missions", "activity", "history"] {
        let response = server.get(&format!("/api/player/Bob-1/{below}")).await;
        assert_eq!((response.status.as_u16(), response.code().as_str()), (403, "FORBIDDEN"), "{below}");
    }
    let view = server.execute(server.request(reqwest::Method::POST, "/api/player/bob-1/view")).await;
    assert_eq!(view.code(), "FORBIDDEN");

    let mut paths: Vec<String> = ["/api/activity?limit=100", "/api/players/top?limit=100", "/api/guild/ALPHA"]
        .into_iter()
        .map(ToOwned::to_owned)
        .collect();
    for sort in ["overall", "pu_player_kills", "pve_kills", "vehicle_destructions", "missions_completed", "playtime"] {
        for window in ["all", "7d", "30d", "patch"] {
            for order in ["asc", "desc"] {
                paths.push(format!("/api/players/leaderboard?sortBy={sort}&window={window}&order={order}"));
            }
        }
        paths.push(format!("/api/guild/ALPHA/members?sortBy={sort}"));
    }
    for text in ["bo", "bob", "bob-1", "Bob-1", "bab-1"] {
        paths.push(format!("/api/search/fast?q={text}"));
        paths.push(format!("/api/search/players?q={text}"));
    }
    for filter in ["", "?filter=pvp", "?filter=pve", "?filter=missions", "?limit=1"] {
        paths.push(format!("/api/player/cyd-2/activity{filter}"));
        paths.push(format!("/api/guild/ALPHA/activity{filter}"));
        paths.push(format!("/api/guild/BETA/activity{filter}"));
        paths.push(format!("/api/activity{filter}"));
    }
    for path in &paths {
        server.read(path).await;
        let text = server.get(path).await.text();
        assert!(!text.to_lowercase().contains("bob"), "{path}: {text}");
    }
    // Events show a placeholder instead of the name, events without another visible player are omitted, and sums are unchanged.
    let feed = server.read("/api/player/cyd-2/activity?filter=pvp").await;
    let names: Vec<(&Value, &Value)> =
        feed["data"].as_array().unwrap().iter().map(|row| (&row["killer"], &row["victim"])).collect();
    assert_eq!(names, [(&json!("Cyd-2"), &json!("Hidden")), (&json!("Hidden"), &json!("Cyd-2"))]);
    let all = server.read("/api/activity?limit=100").await;
    let rows = all["data"].as_array().unwrap();
    assert_eq!(rows.len(), 4 + 4 + 2, "the hidden player's own 12 rows are omitted");
    let hidden = rows.iter().find(|row| row["killer"] == "Hidden").unwrap();
    assert_eq!((&hidden["killer_friendly_name"], &hidden["orgs"]), (&json!("Hidden"), &json!(["BETA"])));
    assert_eq!(server.read("/api/guild/stats/ALPHA").await, sums);
    assert_eq!(server.read("/api/patch").await, patch);
    let members = server.read("/api/guild/ALPHA/members").await;
    assert_eq!(members["pagination"]["total"], 2);
    let guild_feed = server.read("/api/guild/ALPHA/activity").await;
    assert_eq!(guild_feed["pagination"]["total"], 4);
    // Paging in small steps skips hidden rows and ends.
    let (mut seen, mut before) = (0, String::new());
    loop {
        let part = server.read(&format!("/api/activity?limit=3{before}")).await;
        let rows = part["data"].as_array().unwrap();
        let Some(last) = rows.last() else { break };
        seen += rows.len();
        before = format!("&before={}", last["id"].as_str().unwrap());
    }
    assert_eq!(seen, 10);
    // Ranks close the gap. New events do not show the player, and they still count for the guild.
    let board = server.read("/api/players/leaderboard").await;
    let ranks: Vec<&Value> = board["players"].as_array().unwrap().iter().map(|row| &row["rank"]).collect();
    assert_eq!((ranks, &board["pagination"]["total"]), (vec![&json!(1), &json!(2)], &json!(2)));
    let before = sums["data"]["overall"].as_i64().unwrap();
    server.take(&key, &npc_kills("BOB-1", 3, at + 1_200_000)).await;
    for path in &paths {
        let text = server.get(path).await.text();
        assert!(!text.to_lowercase().contains("bob"), "{path}: {text}");
    }
    assert_eq!(server.read("/api/guild/stats/ALPHA").await["data"]["overall"], before + 3);
    assert_eq!(server.read("/api/players/leaderboard").await["pagination"]["total"], 2);
    // The page of a hidden player only states that it is hidden.
    let page = server.get("/player/bob-1").await;
    assert_eq!(page.status.as_u16(), 200);
    assert!(!page.text().contains("NPC kills"), "{}", page.text());
}

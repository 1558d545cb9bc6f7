//! Leaderboards: ranks, ties, order, pages, windows, and sums of guilds.

use serde_json::{Value, json};

use crate::support::preload::Preload;
use crate::support::*;

on_both!(leaderboards_rank_by_exact_figures, windows_are_exact_to_the_second, guild_leaderboards_are_sums_of_members);

/// `(rank, handle, figure)` of each row of a player leaderboard.
async fn board(server: &Server, query: &str, figure: &str) -> Vec<(i64, String, i64)> {
    let response = server.read(&format!("/api/players/leaderboard?{query}")).await;
    let rows = response["players"].as_array().unwrap();
    let row = |row: &Value| {
        (row["rank"].as_i64().unwrap(), row["handle"].as_str().unwrap().to_owned(), row[figure].as_i64().unwrap())
    };
    rows.iter().map(row).collect()
}

fn rows(list: &[(i64, &str, i64)]) -> Vec<(i64, String, i64)> {
    list.iter().map(|(rank, handle, figure)| (*rank, (*handle).to_owned(), *figure)).collect()
}

async fn leaderboards_rank_by_exact_figures(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let at = now() - 2 * DAY;
    // The events arrive in another order than the ranks. `Zulu` and `alpha` tie, and the order ignores case.
    for (name, kills) in [("Zulu", 7), ("Low", 3), ("Top-Gun", 9), ("alpha", 7), ("_under", 3)] {
        server.take(&key, &npc_kills(name, kills, at)).await;
    }
    server.take(&key, &in_a_row(at, (0..2).map(|_| loss("vehicle_destruction", "Low", "unknown").pu()))).await;
    server.take(&key, &in_a_row(at, [loss("vehicle_instant_destruction", "Low", "unknown").pu()])).await;
    server.take(&key, &in_a_row(at, [loss("vehicle_soft_death", "Low", "unknown").pu()])).await;
    server.take(&key, &in_a_row(at, [kill("Low", "Top-Gun").pu(), kill("alpha", "Top-Gun").ac()])).await;
    let mission = |name: &str| own("mission_complete", name).with("contract_name", "zzhaul");
    server.take(&key, &in_a_row(at, [mission("Zulu"), mission("Zulu"), mission("Low")])).await;
    server.take(&key, &in_a_row(at, [own("login", "alpha"), own("logout", "alpha")])).await;

    let overall = [(1, "Top-Gun", 9), (2, "alpha", 7), (2, "Low", 7), (2, "Zulu", 7), (5, "_under", 3)];
    assert_eq!(board(&server, "", "overall").await, rows(&overall));
    let asc = [(5, "_under", 3), (2, "alpha", 7), (2, "Low", 7), (2, "Zulu", 7), (1, "Top-Gun", 9)];
    assert_eq!(board(&server, "order=asc", "overall").await, rows(&asc));
    let pve = [(1, "Top-Gun", 9), (2, "alpha", 7), (2, "Zulu", 7), (4, "_under", 3), (4, "Low", 3)];
    assert_eq!(board(&server, "sortBy=pve_kills", "pve_kills").await, rows(&pve));
    assert_eq!(board(&server, "sortBy=pu_player_kills", "pu_player_kills").await, rows(&[(1, "Low", 1)]));
    assert_eq!(board(&server, "sortBy=vehicle_destructions", "vehicle_destructions").await, rows(&[(1, "Low", 3)]));
    let missions = [(1, "Zulu", 2), (2, "Low", 1)];
    assert_eq!(board(&server, "sortBy=missions_completed", "missions_completed").await, rows(&missions));
    assert_eq!(board(&server, "sortBy=playtime", "playtime").await, rows(&[(1, "alpha", 20)]));

    // Every window that contains all events returns the same rows.
    for window in ["7d", "30d"] {
        assert_eq!(board(&server, &format!("window={window}"), "overall").await, rows(&overall), "{window}");
        let turned = board(&server, &format!("window={window}&order=asc"), "overall").await;
        assert_eq!(turned, rows(&asc), "{window}");
    }
    assert_eq!(board(&server, "window=24h", "overall").await, []);
    assert_eq!(board(&server, "window=patch", "overall").await, []);

    for (query, page) in [
        ("limit=2", json!({"page": 1, "limit": 2, "total": 5, "hasNextPage": true})),
        ("limit=2&page=3", json!({"page": 3, "limit": 2, "total": 5, "hasNextPage": false})),
        ("limit=5", json!({"page": 1, "limit": 5, "total": 5, "hasNextPage": false})),
        ("page=900", json!({"page": 900, "limit": 30, "total": 5, "hasNextPage": false})),
        ("limit=2&page=2&window=7d", json!({"page": 2, "limit": 2, "total": 5, "hasNextPage": true})),
    ] {
        assert_eq!(server.read(&format!("/api/players/leaderboard?{query}")).await["pagination"], page, "{query}");
    }
    assert_eq!(board(&server, "limit=2&page=2", "overall").await, rows(&overall[2..4]));
    assert_eq!(board(&server, "limit=2&page=2&order=asc&window=7d", "overall").await, rows(&asc[2..4]));
    assert_eq!(board(&server, "limit=2&page=3", "overall").await, rows(&overall[4..]));
    assert_eq!(board(&server, "page=900", "overall").await, []);

    let top = server.read("/api/players/top?limit=3").await;
    let handles: Vec<&str> = top["players"].as_array().unwrap().iter().map(|p| p["handle"].as_str().unwrap()).collect();
    assert_eq!(handles, ["Top-Gun", "alpha", "Low"]);
    assert_eq!(server.read("/api/players/top").await["players"].as_array().unwrap().len(), 5);

    let row = &server.read("/api/players/leaderboard?sortBy=vehicle_destructions").await["players"][0];
    let mut row = row.as_object().unwrap().clone();
    assert!(row.remove("id").unwrap().as_str().unwrap().parse::<i64>().is_ok(), "ids are strings");
    assert_eq!(row.remove("last_active").unwrap(), (at + 40_000).div_euclid(1000));
    let whole = json!({
        "rank": 1, "movement": 0, "player_name": "Low", "handle": "Low", "player_geid": null, "org_short": null, "org_name": null,
        "overall": 7, "pu_player_kills": 1, "pve_kills": 3, "vehicle_destructions": 3, "missions_completed": 1,
        "playtime": 0, "career": 0, "ships_flown": 0, "universe_time": 0, "profile_image": null, "banner_image": null, "stickers": null,
    });
    assert_eq!(Value::Object(row), whole);
}

async fn windows_are_exact_to_the_second(on: Backend) {
    let mut server = Server::prepare(on);
    // The site's clock stands still.
    let clock = Preload::attach(&mut server, "clock.c", "CLOCK_OFF", 2);
    let now = now();
    clock.write(&[0, now]);
    server.run();
    let key = server.key("reader");
    let mut edges = Vec::new();
    for (window, days) in [("24h", 1), ("7d", 7), ("30d", 30)] {
        let edge = now - days * DAY;
        let (inside, outside) = (format!("In-{window}"), format!("Out-{window}"));
        let batch = |name: &str, at: i64| {
            vec![
                kill(name, NPC).pu().at(at).json(),
                loss("vehicle_destruction", name, "unknown").pu().at(at).json(),
                own("mission_complete", name).with("contract_name", "zzhaul").at(at).json(),
                own("login", name).at(at - 90_000).json(),
                own("logout", name).at(at).json(),
            ]
        };
        server.take(&key, &batch(&inside, edge + 1_000)).await;
        server.take(&key, &batch(&outside, edge - 1)).await;
        edges.push((window, inside, outside));
    }
    let mut within: Vec<String> = Vec::new();
    for (window, inside, outside) in &edges {
        within.push(inside.clone());
        for (sort, figure) in [("overall", 2), ("pve_kills", 1), ("missions_completed", 1), ("playtime", 90)] {
            let found = board(&server, &format!("window={window}&sortBy={sort}"), sort).await;
            let mut expected = within.clone();
            // Events outside a window are inside the longer ones.
            expected.extend(edges.iter().map(|(_, _, out)| out.clone()).take(within.len() - 1));
            expected.sort_by_key(|handle| handle.to_ascii_lowercase());
            let names: Vec<String> = found.iter().map(|(_, handle, _)| handle.clone()).collect();
            assert_eq!(names, expected, "{window} {sort}; {outside} is out");
            assert!(found.iter().all(|(rank, _, value)| (*rank, *value) == (1, figure)), "{window} {sort}: {found:?}");
        }
    }
    // An event leaves the window exactly when it is too old.
    let at = now - DAY + 4_000;
    server.take(&key, &[kill("Leaver", NPC).pu().at(at).json()]).await;
    for (later, is_in) in [(0, true), (3_000, true), (5_000, false)] {
        clock.write(&[0, now + later]);
        // A commit invalidates a window.
        server.take(&key, &[own("connection_success", "Nudger").at(now + later).json()]).await;
        let rows = board(&server, "window=24h", "overall").await;
        assert_eq!(rows.iter().any(|(_, handle, _)| handle == "Leaver"), is_in, "{later} ms later");
    }
    patch_window(&server, &key).await;
}

async fn patch_window(server: &Server, key: &str) {
    let at = now() - 40 * DAY;
    let scored = |name: &str, patch: &str, n: i64| kill(name, NPC).pu().with("patch", patch).at(at + n * 20_000).json();
    server.take(key, &[scored("Old-Patch", "ALPHA 4.9.2", 0), scored("Both-Patches", "ALPHA 4.9.2", 1)]).await;
    assert_eq!(board(server, "window=patch", "overall").await, rows(&[(1, "Both-Patches", 1), (1, "Old-Patch", 1)]));
    server.take(key, &[scored("Both-Patches", "ALPHA 4.10.0", 2), scored("Both-Patches", "4.9.0", 3)]).await;
    assert_eq!(board(server, "window=patch", "overall").await, rows(&[(1, "Both-Patches", 1)]));
    let login = own("login", "Both-Patches").with("patch", "ALPHA 4.10.0").at(at + 100_000).json();
    server.take(key, &[login, own("logout", "Both-Patches").at(at + 160_000).json()]).await;
    assert_eq!(board(server, "window=patch&sortBy=playtime", "playtime").await, rows(&[(1, "Both-Patches", 60)]));
}

/// Guilds and members, as an import inserts them.
pub fn insert_guilds(server: &Server) {
    server.database.run(
        // The database assigns the ids, so that its sequence continues after them.
        "INSERT INTO guilds (tag, name, name_folded, created_at, known_members) VALUES \
           ('ALPHA', 'Alpha Wing', 'alpha wing', 1, 3), ('BETA', 'Beta Crew', 'beta crew', 1, 1), \
           ('EMPTY', 'Nobody Home', 'nobody home', 1, 0), ('GAMMA', 'Gamma', 'gamma', 1, 1); \
         INSERT INTO players (handle, handle_folded, player_name, guild_id, created_at) VALUES \
           ('Ann-1', 'ann-1', 'Ann', 1, 1), ('Bob-1', 'bob-1', 'Bob', 1, 1), ('Idle-1', 'idle-1', 'Idle', 1, 1), \
           ('Cyd-2', 'cyd-2', 'Cyd', 2, 1), ('Dee-4', 'dee-4', 'Dee', 4, 1)",
    );
}

async fn guild_leaderboards_are_sums_of_members(on: Backend) {
    let mut server = Server::prepare(on);
    insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    let at = now() - 3 * DAY;
    server.take(&key, &npc_kills("Ann-1", 4, at)).await;
    server.take(&key, &npc_kills("Bob-1", 2, at - 40 * DAY)).await;
    server.take(&key, &npc_kills("Cyd-2", 3, at)).await;
    server.take(&key, &npc_kills("Dee-4", 3, at)).await;
    server.take(&key, &npc_kills("Loner", 50, at)).await;
    server
        .take(
            &key,
            &in_a_row(
                at,
                [
                    kill("Ann-1", "Cyd-2").pu(),
                    loss("vehicle_destruction", "Bob-1", "unknown").pu(),
                    loss("vehicle_instant_destruction", "Ann-1", "unknown").pu(),
                    own("mission_complete", "Bob-1").with("contract_name", "zzhaul"),
                    own("login", "Cyd-2"),
                    own("logout", "Cyd-2"),
                ],
            ),
        )
        .await;
    let guilds = |query: &'static str| {
        let server = &server;
        async move {
            let response = server.read(&format!("/api/guilds/leaderboard?{query}")).await;
            let rows = response["data"].as_array().unwrap().clone();
            let row = |row: &Value| {
                let int = |name: &str| row[name].as_i64().unwrap();
                (int("rank"), row["org_short"].as_str().unwrap().to_owned(), int("overall"))
            };
            (rows.iter().map(row).collect::<Vec<_>>(), response["pagination"].clone())
        }
    };
    let all = rows(&[(1, "ALPHA", 9), (2, "BETA", 3), (2, "GAMMA", 3)]);
    let turned = rows(&[(2, "BETA", 3), (2, "GAMMA", 3), (1, "ALPHA", 9)]);
    let page = json!({"limit": 30, "offset": 0, "total": 3, "hasNextPage": false});
    assert_eq!(guilds("").await, (all.clone(), page.clone()));
    assert_eq!(guilds("sortOrder=asc").await, (turned.clone(), page.clone()));
    let recent = rows(&[(1, "ALPHA", 7), (2, "BETA", 3), (2, "GAMMA", 3)]);
    assert_eq!(guilds("window=7d").await, (recent, page));
    assert_eq!(guilds("window=24h").await.0, []);
    assert_eq!(guilds("sortBy=pu_player_kills").await.0, rows(&[(1, "ALPHA", 9)]));
    assert_eq!(guilds("sortBy=playtime").await.0, rows(&[(1, "BETA", 3)]));
    let (second, page) = guilds("limit=1&offset=1").await;
    assert_eq!(second, all[1..2]);
    assert_eq!(page, json!({"limit": 1, "offset": 1, "total": 3, "hasNextPage": true}));
    assert_eq!(guilds("offset=50").await.0, []);

    let row = server.read("/api/guilds/leaderboard?limit=1").await["data"][0].clone();
    let whole = json!({
        "rank": 1, "movement": 0, "org_short": "ALPHA", "org_name": "Alpha Wing", "guild_image": null, "banner_image": null,
        "pu_player_kills": 1, "pu_npc_kills": 6, "pu_vehicle_destruction_caused": 2, "overall": 9,
        "missions_completed": 1, "playtime": 0, "career": 0, "ships_flown": 0, "universe_time": 0,
        "active_member_count": 2, "total_member_count": 3, "member_count": 3,
    });
    assert_eq!(row, whole);
    // After a restart and after a recount the figures are equal. Events before today cause no movement.
    server.restart();
    assert_eq!(server.read("/api/guilds/leaderboard?limit=1").await["data"][0], whole);
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(server.read("/api/guilds/leaderboard?limit=1").await["data"][0], whole);
    let player = server.read("/api/players/leaderboard?limit=1&page=2").await["players"][0].clone();
    assert_eq!((&player["org_short"], &player["org_name"]), (&json!("ALPHA"), &json!("Alpha Wing")));
}

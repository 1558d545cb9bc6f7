//! Player pages and their lists.

use serde_json::{Value, json};

use crate::support::*;

on_both!(
    a_profile_shows_exact_statistics,
    use_of_weapons_vehicles_and_missions_is_counted,
    a_view_counts_once_per_visitor,
    matches_and_sessions_in_the_universe_are_counted_and_logins_are_not,
    the_type_of_a_mission_comes_from_its_class,
);

async fn a_profile_shows_exact_statistics(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    // Noon, so that all events are on one day.
    let day = now().div_euclid(DAY);
    let noon = (day - 2) * DAY + DAY / 2;
    server.take(&key, &npc_kills("Ace-Pilot", 3, noon)).await;
    server.take(&key, &npc_kills("Runner-Up", 3, noon)).await;
    server.take(&key, &npc_kills("Best-Of-All", 30, noon)).await;
    let events = [
        own("login", "Ace-Pilot").with("player_geid", 200_123_456_789_i64),
        kill("Ace-Pilot", "Runner-Up").pu(),
        kill("Ace-Pilot", "Runner-Up").ac(),
        kill("Runner-Up", "Ace-Pilot").ac(),
        kill("unknown", "Ace-Pilot").pu(),
        loss("vehicle_instant_destruction", "Ace-Pilot", "Runner-Up").pu(),
        loss("vehicle_destruction", "Runner-Up", "Ace-Pilot").pu(),
        own("logout", "Ace-Pilot"),
    ];
    server.take(&key, &in_a_row(noon + 900_000, events)).await;
    let player = server.read("/api/player/ace-pilot").await["player"].clone();
    for (field, value) in [
        ("handle", json!("Ace-Pilot")),
        ("player_name", json!("Ace-Pilot")),
        ("player_geid", json!("200123456789")),
        ("overall", json!(5)),
        ("pu_player_kills", json!(1)),
        ("pve_kills", json!(3)),
        ("vehicle_destructions", json!(1)),
        ("unknown_deaths", json!(1)),
        ("playtime", json!(140)),
        ("missions_completed", json!(0)),
        ("rank_overall", json!(2)),
        ("rank_pvp", json!(1)),
        ("rank_pve", json!(2)),
        ("rank_vehicle", json!(1)),
        ("rank", json!(1)),
        ("rank_playtime", json!(1)),
        ("rank_missions", Value::Null),
        ("percentile_overall", json!(66.7)),
        ("kd_human", json!(2.0)),
        ("kd_npc", json!(3.0)),
        ("vehicle_data", json!({"destroyed": 1, "lost": 1})),
        ("progress", json!({"level": 1, "currentXP": 5, "nextLevelXP": 20, "percent": 25.0})),
        ("is_claimed", json!(false)),
        ("is_hidden", json!(false)),
        ("last_active", json!((noon + 900_000 + 140_000).div_euclid(1000))),
        ("profileImage", Value::Null),
        ("org_short", Value::Null),
    ] {
        assert_eq!(player[field], value, "{field}");
    }
    assert_eq!((&player["lifetime"]["playtimeHours"], &player["lifetime"]["totalMatches"]), (&json!(0.0), &json!(0)));
    let stats = &player["game_stats"];
    let counts = ["ac_player_kills", "ac_player_deaths", "pu_vehicle_destruction_received", "pu_npc_deaths"];
    assert_eq!(counts.map(|name| stats[name].as_i64().unwrap()), [1, 1, 1, 0]);

    // The history contains every day, including those without play.
    let series = |query: &'static str| {
        let server = &server;
        async move {
            let response = server.read(&format!("/api/player/Ace-Pilot/history?{query}")).await;
            let days = response["data"].as_array().unwrap().clone();
            days.iter()
                .map(|d| (d["day"].as_str().unwrap().to_owned(), d["value"].as_i64().unwrap()))
                .collect::<Vec<_>>()
        }
    };
    let iso = |day: i64| jiff::Timestamp::from_millisecond(day * DAY).unwrap().strftime("%Y-%m-%d").to_string();
    for (query, value) in [
        ("days=4", 5),
        ("days=4&metric=pve_kills", 3),
        ("days=4&metric=pu_player_kills", 1),
        ("days=4&metric=vehicle_destructions", 1),
        ("days=4&metric=missions_completed", 0),
        ("days=4&metric=playtime", 140),
    ] {
        let expected = vec![(iso(day - 3), 0), (iso(day - 2), value), (iso(day - 1), 0), (iso(day), 0)];
        assert_eq!(series(query).await, expected, "{query}");
    }
    assert_eq!(series("days=1").await.len(), 1);
    assert_eq!(series("days=365").await.len(), 365);
    assert_eq!(series("").await.len(), 30);

    for handle in
        ["nobody-here", "a%20b", "%00", "x%00y", "Zo%C3%AB", "%F0%9F%9A%80", "..%2F..%2Fetc", "'--", &"h".repeat(61)]
    {
        for below in ["", "/weapons", "/vehicles", "/missions", "/activity", "/history"] {
            let response = server.get(&format!("/api/player/{handle}{below}")).await;
            assert_eq!((response.status.as_u16(), response.code().as_str()), (404, "NOT_FOUND"), "{handle}{below}");
        }
    }
}

async fn use_of_weapons_vehicles_and_missions_is_counted(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let at = now() - DAY;
    let shot = |weapon: &str| kill("Gunner-1", NPC).with("weapon", weapon);
    let seat = |vehicle: &str| own("seat_entered", "Gunner-1").with("vehicle_name", vehicle);
    let mission = |what: &str, name: &str| own(what, "Gunner-1").with("contract_name", name);
    let events = [
        shot("zzrifle_2636093660430").pu(),
        shot("zzrifle_2636093660431").pu(),
        shot("zzrifle").ac(),
        shot("zzpistol").pu(),
        shot("zzpistol"),
        shot("unknown").pu(),
        kill("Gunner-1", "Gunner-1").with("weapon", "zzrifle").pu(),
        kill(NPC, "Gunner-1").with("weapon", "zzrifle").pu(),
        seat("ZZZZ_Kite_2636093660432").pu(),
        seat("ZZZZ_Kite_2636093660433").pu(),
        seat("ZZZZ_Gull").ac(),
        own("seat_exited", "Gunner-1").with("vehicle_name", "ZZZZ_Gull"),
        mission("mission_accepted", "zzhaul"),
        mission("mission_accepted", "zzhaul"),
        mission("mission_complete", "zzhaul"),
        mission("mission_completed", "zzescort"),
        mission("mission_start", "zzescort"),
        own("mission_accepted", "Gunner-1").with("contract_id", "c-77"),
    ];
    server.take(&key, &in_a_row(at, events)).await;
    let list = |path: &'static str, fields: [&'static str; 2]| {
        let server = &server;
        async move {
            let response = server.read(&format!("/api/player/gunner-1/{path}")).await;
            let rows = response["data"].as_array().unwrap().clone();
            let row = |row: &Value| (row["id"].as_str().unwrap().to_owned(), fields.map(|f| row[f].as_i64().unwrap()));
            rows.iter().map(row).collect::<Vec<_>>()
        }
    };
    let rows = |list: &[(&str, [i64; 2])]| list.iter().map(|(id, n)| ((*id).to_owned(), *n)).collect::<Vec<_>>();
    let kills = ["kills", "usage_count"];
    assert_eq!(list("weapons", kills).await, rows(&[("zzrifle", [3, 3]), ("zzpistol", [2, 2])]));
    assert_eq!(list("weapons?gameMode=PU", kills).await, rows(&[("zzrifle", [2, 2]), ("zzpistol", [1, 1])]));
    assert_eq!(list("weapons?gameMode=AC", kills).await, rows(&[("zzrifle", [1, 1])]));
    assert_eq!(list("weapons?limit=1", kills).await, rows(&[("zzrifle", [3, 3])]));
    let uses = ["timesEntered", "usage_count"];
    assert_eq!(list("vehicles", uses).await, rows(&[("ZZZZ_Kite", [2, 2]), ("ZZZZ_Gull", [1, 1])]));
    assert_eq!(list("vehicles?gameMode=AC", uses).await, rows(&[("ZZZZ_Gull", [1, 1])]));
    let taken = ["missions_accepted", "missions_completed"];
    let all = [("zzhaul", [2, 1]), ("c-77", [1, 0]), ("zzescort", [0, 1])];
    assert_eq!(list("missions", taken).await, rows(&all));
    assert_eq!(list("missions?limit=1", taken).await, rows(&all[..1]));
    let missions = server.read("/api/player/gunner-1/missions").await;
    assert_eq!(missions["data"][0]["success_rate"], 50.0);
    assert_eq!(missions["data"][2]["success_rate"], Value::Null);
    assert_eq!(server.read("/api/player/gunner-1").await["player"]["missions_completed"], 2);
}

async fn a_view_counts_once_per_visitor(on: Backend) {
    let mut server = Server::prepare(on);
    std::fs::write(server.data_dir().join("apogee.toml"), "trusted-proxies = [\"127.0.0.1\"]\n").unwrap();
    server.run();
    let key = server.key("reader");
    server.take(&key, &npc_kills("Seen-Often", 1, now() - DAY)).await;
    server.take(&key, &npc_kills("Seen-Rarely", 1, now() - DAY)).await;
    let view = |server: &Server, handle: &str, from: &str, agent: &str| {
        let request = server.request(reqwest::Method::POST, &format!("/api/player/{handle}/view"));
        let request = request.header("user-agent", agent.to_owned()).header("x-forwarded-for", from.to_owned());
        async move { request.send().await.unwrap().json::<Value>().await.unwrap() }
    };
    for (handle, from, agent, views) in [
        ("Seen-Often", "198.51.100.1", "one", 1),
        ("seen-often", "198.51.100.1", "one", 1),
        // Neither another user agent nor another address of the same network counts as another visitor.
        ("Seen-Often", "198.51.100.1", "other", 1),
        ("Seen-Often", "::ffff:198.51.100.1", "one", 1),
        ("Seen-Often", "2001:db8:1:2::1", "one", 2),
        ("Seen-Often", "2001:db8:1:2:ffff::9", "other", 2),
        ("Seen-Often", "2001:db8:1:3::1", "one", 3),
        ("Seen-Rarely", "198.51.100.1", "one", 1),
    ] {
        let expected = json!({"success": true, "views": views});
        assert_eq!(view(&server, handle, from, agent).await, expected, "{handle} {from} {agent}");
    }
    assert_eq!(server.read("/api/player/seen-often").await["player"]["profile_views"], 3);
    assert_eq!(view(&server, "nobody-here", "198.51.100.1", "one").await["code"], "NOT_FOUND");
    // Viewers survive a restart, and no address is stored.
    server.restart();
    assert_eq!(view(&server, "Seen-Often", "198.51.100.1", "one").await["views"], 3);
    let salts = server.database.words("SELECT salt AS value FROM view_salts");
    assert_eq!((salts.len(), salts[0].len()), (1, 32), "{salts:?}");
    // After the end of a day, salt and viewers are deleted, and the same visitor counts again.
    server.stop();
    server.database.run("UPDATE view_salts SET day = day - 1; UPDATE profile_viewers SET day = day - 1");
    server.run();
    assert_eq!(view(&server, "Seen-Often", "198.51.100.1", "one").await["views"], 4);
    assert_ne!(server.database.words("SELECT salt AS value FROM view_salts"), salts);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM profile_viewers"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_view_counts_once_over_all_processes() {
    let first = Server::start(Backend::Postgres).await;
    first.take(&first.key("reader"), &npc_kills("Seen-Often", 1, now() - DAY)).await;
    let mut second = first.beside();
    second.run();
    for server in [&first, &second, &first] {
        let view = server.request(reqwest::Method::POST, "/api/player/seen-often/view");
        assert_eq!(server.execute(view).await.json()["views"], 1);
    }
}

async fn matches_and_sessions_in_the_universe_are_counted_and_logins_are_not(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let at = now() - 10 * DAY;
    let arrive = |mode: &str| own("connection_success", "Ace-Pilot").with("game_mode", mode);
    // Only the menu; the universe with a change of servers; two matches and the universe.
    let events = [
        own("login", "Ace-Pilot"),
        own("logout", "Ace-Pilot"),
        own("login", "Ace-Pilot"),
        arrive("PU"),
        arrive("PU"),
        own("logout", "Ace-Pilot"),
        own("login", "Ace-Pilot"),
        arrive("AC").with("sub_game_mode", "EA_SquadronBattle"),
        arrive("AC").with("sub_game_mode", "EA_SquadronBattle"),
        arrive("PU"),
        own("logout", "Ace-Pilot"),
    ];
    server.take(&key, &in_a_row(at, events)).await;
    let lifetime = server.read("/api/player/ace-pilot").await["player"]["lifetime"].clone();
    assert_eq!(lifetime["totalMatches"], 4);
    let sessions =
        lifetime["detailedStats"].as_array().unwrap().iter().find(|stat| stat["label"] == "Sessions").unwrap();
    assert_eq!(sessions["value"].as_f64(), Some(3.0));
}

async fn the_type_of_a_mission_comes_from_its_class(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let mission = |what: &str, name: &str| own(what, "Gunner-1").with("contract_name", name);
    let events = [
        mission("mission_accepted", "Mittlerer Frachttransport").with("contract_id", "HaulCargo_AToB_Waste_Stanton1"),
        mission("mission_accepted", "Mittlerer Frachttransport"),
        mission("mission_complete", "Mittlerer Frachttransport")
            .with("contract_id", "02674975-c818-4535-bffb-e0240be87b26"),
        mission("mission_accepted", "Verified Bounty: Low-Risk Target"),
        own("mission_accepted", "Gunner-1").with("contract_id", "Shubin_ResourceGathering_ShipMining"),
        own("mission_accepted", "Gunner-1").with("contract_id", "f3fd326d-1ac1-4cda-837c-a7c1541b0aba"),
    ];
    server.take(&key, &in_a_row(now() - DAY, events)).await;
    let expected = json!({
        "Mittlerer Frachttransport": "Hauling",
        "Verified Bounty: Low-Risk Target": "Bounty Hunting",
        "Shubin Resource Gathering Ship Mining": "Mining",
        "Unknown Mission": "Contract",
    });
    let rows = server.read("/api/player/gunner-1/missions").await["data"].clone();
    let types =
        rows.as_array().unwrap().iter().map(|row| (row["name"].as_str().unwrap().to_owned(), row["type"].clone()));
    assert_eq!(Value::Object(types.collect()), expected);
    let feed = server.read("/api/player/gunner-1/activity").await["data"].clone();
    assert!(feed.as_array().unwrap().iter().any(|row| row["contract_name"] == "Unknown Mission"), "{feed}");
}

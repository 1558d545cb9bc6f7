//! The activity feed of all players, and single events.

use serde_json::{Value, json};

use crate::support::*;

on_both!(the_feed_is_newest_first_and_paged);

fn ids(feed: &Value) -> Vec<String> {
    feed["data"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

async fn the_feed_is_newest_first_and_paged(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let at = now() - 3_600_000;
    assert_eq!(server.read("/api/activity").await["data"], json!([]));
    let events = [
        kill("Ann-1", "Bob-1").pu().with("weapon", "zzrifle").with("patch", "ALPHA 4.9.2"),
        kill("Ann-1", NPC).pu(),
        loss("vehicle_destruction", "Bob-1", "Ann-1").pu(),
        own("mission_accepted", "Cyd-2").with("contract_name", "zzhaul"),
        own("login", "Cyd-2"),
        kill("Ann-1", "Ann-1").pu(),
        kill("unknown", "Bob-1"),
        own("connection_success", "Cyd-2"),
        kill(NPC, "Bob-1").ac(),
    ];
    let mut batch = in_a_row(at, events);
    // Events at the same time are ordered by id.
    batch.push(kill("Cyd-2", NPC).pu().at(at).json());
    batch.push(kill("Dee-4", NPC).pu().at(at).json());
    server.take(&key, &batch).await;

    let all = server.read("/api/activity").await;
    let rows = all["data"].as_array().unwrap();
    assert_eq!(rows.len(), 10, "connections are not listed");
    let places: Vec<(i64, i64)> =
        rows.iter().map(|r| (r["event_time"].as_i64().unwrap(), r["id"].as_str().unwrap().parse().unwrap())).collect();
    assert!(places.is_sorted_by(|a, b| a > b), "{places:?}");
    for (filter, types) in [
        ("pvp", vec!["kill"]),
        ("pve", vec!["kill", "kill", "kill", "kill"]),
        ("vehicles", vec!["vehicle_destruction"]),
        ("missions", vec!["mission_accepted"]),
    ] {
        let found = server.read(&format!("/api/activity?filter={filter}")).await;
        let found: Vec<&str> =
            found["data"].as_array().unwrap().iter().map(|r| r["identifier"].as_str().unwrap()).collect();
        assert_eq!(found, types, "{filter}");
    }
    // Paging with `before` returns every row once for any page size.
    for limit in [1, 3, 7] {
        let (mut walked, mut before) = (Vec::new(), String::new());
        loop {
            let part = ids(&server.read(&format!("/api/activity?limit={limit}{before}")).await);
            let Some(last) = part.last() else { break };
            before = format!("&before={last}");
            walked.extend(part);
        }
        assert_eq!(walked, ids(&all), "steps of {limit}");
    }
    let feed = server.read("/api/player/bob-1/activity").await;
    assert_eq!(feed["pagination"], json!({"limit": 50, "offset": 0, "total": 4, "hasNextPage": false}));
    let of_bob = ids(&feed);
    assert_eq!(ids(&server.read("/api/player/bob-1/activity?limit=2&offset=1").await), of_bob[1..3]);
    assert_eq!(server.read("/api/player/bob-1/activity?limit=2").await["pagination"]["hasNextPage"], true);
    let path = format!("/api/player/bob-1/activity?before={}", of_bob[1]);
    assert_eq!(ids(&server.read(&path).await), of_bob[2..]);
    let vehicles = server.read("/api/player/bob-1/activity?filter=vehicles").await;
    assert_eq!((ids(&vehicles).len(), &vehicles["pagination"]["total"]), (1, &json!(1)));

    let row = rows.iter().find(|row| row["type"] == "pvp").unwrap();
    for (field, value) in [
        ("identifier", json!("kill")),
        ("event_time", json!(at.div_euclid(1000))),
        ("killer", json!("Ann-1")),
        ("victim", json!("Bob-1")),
        ("killer_is_npc", json!(false)),
        ("weapon", json!("zzrifle")),
        ("game_mode", json!("PU")),
        ("patch", json!("ALPHA 4.9.2")),
        ("witnesses", json!(1)),
        ("player_name", Value::Null),
        ("orgs", json!([])),
    ] {
        assert_eq!(row[field], value, "{field}");
    }
    let npc = rows.iter().find(|row| row["killer"] == NPC).unwrap();
    assert_eq!((&npc["type"], &npc["killer_is_npc"], &npc["game_mode"]), (&json!("pve"), &json!(true), &json!("AC")));
    let unknown = rows.iter().find(|row| row["victim"] == "Bob-1" && row["killer"].is_null()).unwrap();
    assert_eq!(unknown["type"], "others");
    for id in ids(&all) {
        let one = server.read(&format!("/api/activity/{id}")).await;
        assert!(rows.contains(&one["event"]), "{id}");
    }
    for id in ["0", "-1", "999999", "abc", "%00", "9223372036854775808"] {
        assert_eq!(server.get(&format!("/api/activity/{id}")).await.code(), "NOT_FOUND", "{id}");
    }
    // A `before` that is not the id of a row is rejected instead of returning an empty page.
    assert_eq!(server.get("/api/activity?before=999999").await.code(), "VALIDATION");
}

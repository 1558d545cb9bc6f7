//! Ingest: which events are accepted, rejected and counted.

use std::collections::BTreeMap;
use std::io::Write;

use futures_util::StreamExt;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::*;

on_both!(
    limits_of_texts_count_characters_in_every_alphabet,
    a_batch_is_accepted_in_every_encoding,
    oversized_and_invalid_bodies_are_rejected,
    only_an_active_key_can_upload,
    an_invalid_event_is_rejected_alone,
    sending_again_changes_nothing,
    two_reports_of_one_fight_become_one_event,
    concurrent_batches_count_like_sequential_ones,
    an_npc_never_becomes_a_player,
);

/// The non-zero figures of a player.
async fn figures(server: &Server, handle: &str) -> BTreeMap<String, i64> {
    let response = server.read(&format!("/api/player/{handle}")).await;
    let stats = response["player"]["game_stats"].as_object().unwrap().clone();
    let counts = stats.iter().filter(|(name, _)| *name != "last_updated");
    counts.filter_map(|(name, value)| Some((name.clone(), value.as_i64().filter(|n| *n != 0)?))).collect()
}

async fn a_batch_is_accepted_in_every_encoding(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let at = now() - 3_600_000;
    let events = |form: usize| npc_kills(&format!("Form-{form}"), 3, at);
    let as_json = |events: &[Value]| serde_json::to_vec(&json!({ "events": events })).unwrap();
    let as_lines = |events: &[Value]| events.iter().map(|event| format!("{event}\n")).collect::<String>().into_bytes();
    let gzip = |bytes: Vec<u8>| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&bytes).unwrap();
        packed.finish().unwrap()
    };
    let zstd = |bytes: Vec<u8>| zstd::encode_all(&bytes[..], 3).unwrap();
    let forms: Vec<(Vec<u8>, Option<&str>)> = vec![
        (as_json(&events(0)), None),
        (as_lines(&events(1)), None),
        (gzip(as_json(&events(2))), Some("gzip")),
        (gzip(as_lines(&events(3))), Some("gzip")),
        (zstd(as_json(&events(4))), Some("zstd")),
        (zstd(as_lines(&events(5))), Some("zstd")),
    ];
    for (form, (body, encoding)) in forms.into_iter().enumerate() {
        let mut request = server.request(Method::POST, "/api/ingest/events").bearer_auth(&key).body(body);
        if let Some(encoding) = encoding {
            request = request.header("content-encoding", encoding);
        }
        let response = server.execute(request).await;
        assert_eq!(response.status, StatusCode::OK, "form {form}: {}", response.text());
        assert_eq!(
            response.json(),
            json!({"success": true, "accepted": 3, "duplicates": 0, "dropped": 0, "rejected": []})
        );
        assert_eq!(figures(&server, &format!("Form-{form}")).await["pu_npc_kills"], 3, "form {form}");
    }
    // A timestamp may be RFC 3339 with any offset.
    let event = own("login", "Clocked").with("event_time", "2026-01-02T03:04:05.678+02:00").json();
    server.take(&key, &[event]).await;
    assert_eq!(server.read("/api/player/clocked").await["player"]["last_active"], 1_767_315_845);
}

async fn oversized_and_invalid_bodies_are_rejected(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let path = "/api/ingest/events";
    let many = npc_kills("Many", 1_001, now() - 86_400_000);
    assert_eq!(server.try_send(&key, &many).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    let fat = format!("{{\"events\":[],\"pad\":\"{}\"}}", "x".repeat(1024 * 1024));
    let response = server.post(path, &key, fat.clone()).await;
    assert_eq!((response.status, response.code().as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE"));
    let bomb = zstd::encode_all(fat.repeat(40).as_bytes(), 3).unwrap();
    assert!(bomb.len() < 100_000);
    let request = server.request(Method::POST, path).bearer_auth(&key).header("content-encoding", "zstd").body(bomb);
    assert_eq!(server.execute(request).await.code(), "PAYLOAD_TOO_LARGE");
    for body in ["", "hello", "[]", "{}", "{\"events\":7}", "{\"events\":[", "\u{0}", "\u{feff}{}"] {
        let response = server.post(path, &key, body).await;
        assert_eq!((response.status, response.code().as_str()), (StatusCode::BAD_REQUEST, "VALIDATION"), "{body:?}");
    }
    let response = server.post(path, &key, vec![0xff, 0xfe, 0x00]).await;
    assert_eq!(response.code(), "VALIDATION");
    for (encoding, body) in [("gzip", &b"\x1f\x8bnot really"[..]), ("zstd", b"plain")] {
        let request = server.request(Method::POST, path).bearer_auth(&key).header("content-encoding", encoding);
        assert_eq!(server.execute(request.body(body.to_vec())).await.code(), "VALIDATION", "{encoding}");
    }
    let request = server.request(Method::POST, path).bearer_auth(&key).header("content-encoding", "br").body("x");
    let response = server.execute(request).await;
    assert_eq!(
        (response.status, response.code().as_str()),
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE")
    );
    assert_eq!(server.read("/api/stats/counts").await["players"], 0, "rejected bodies store nothing");
    // Bodies at the limits are accepted.
    server.take(&key, &many[..1_000]).await;
    assert_eq!(server.send(&key, &[]).await["accepted"], 0);
}

async fn only_an_active_key_can_upload(on: Backend) {
    let server = Server::start(on).await;
    let (path, batch) = ("/api/ingest/events", json!({"events": npc_kills("Alone", 1, now() - 9_000)}).to_string());
    let refused =
        |response: Response| assert_eq!((response.status.as_u16(), response.code()), (401, "UNAUTHORIZED".into()));
    refused(server.execute(server.request(Method::POST, path).body(batch.clone())).await);
    refused(
        server
            .execute(server.request(Method::POST, path).header("authorization", "Basic abc").body(batch.clone()))
            .await,
    );
    let endless = "k".repeat(6_000);
    for key in ["wrong", "apogee_0000", "' OR 1=1 --", endless.as_str()] {
        refused(server.post(path, key, batch.clone()).await);
    }
    let unused = server.key("unused");
    server.command(&["key", "revoke", "unused"]);
    refused(server.post(path, &unused, batch.clone()).await);
    let used = server.key("used");
    assert_eq!(server.post(path, &used, batch.clone()).await.status, StatusCode::OK);
    server.command(&["key", "revoke", "used"]);
    // A revoked key may work for a few more seconds.
    let is_refused = async || server.post(path, &used, batch.clone()).await.status != StatusCode::OK;
    eventually("a revoked key is refused", is_refused).await;
    refused(server.post(path, &used, batch).await);
    let listed = server.command(&["key", "list"]);
    assert!(listed.contains("unused") && !listed.contains(&used), "a key is shown only once: {listed}");
}

async fn an_invalid_event_is_rejected_alone(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let good = kill("Fine-Pilot", NPC).pu();
    let long = "x".repeat(10_000);
    let bad: Vec<(Value, &str)> = vec![
        (new_event("dance").json(), "identifier 'dance'"),
        (good.clone().without("event_time").json(), "event_time"),
        (good.clone().at(now() + 5 * 60_000 + 30_000).json(), "clock"),
        (good.clone().with("killer", "two words").json(), "killer"),
        (good.clone().with("killer", long).json(), "killer"),
        (good.clone().with("patch", "no version").json(), "patch"),
        (own("seat_entered", "Fine-Pilot").json(), "vehicle_name"),
        (new_event("login").json(), "player_name"),
        (json!(7), ""),
    ];
    let mut batch: Vec<Value> = bad.iter().map(|(event, _)| event.clone()).collect();
    batch.insert(0, good.clone().with("favourite_colour", "blue").json());
    batch.push(good.clone().at(now() + 4 * 60_000).json());
    let response = server.send(&key, &batch).await;
    assert_eq!((&response["accepted"], &response["duplicates"]), (&json!(2), &json!(0)), "{response}");
    let rejected = response["rejected"].as_array().unwrap();
    assert_eq!(rejected.len(), bad.len(), "{response}");
    for (place, (refusal, (event, names))) in rejected.iter().zip(&bad).enumerate() {
        assert_eq!(refusal["index"], place + 1);
        let sentence = refusal["error"].as_str().unwrap();
        assert!(!sentence.is_empty() && sentence.contains(names) && sentence.len() < 300, "{event}: {sentence}");
    }
    assert_eq!(figures(&server, "fine-pilot").await, BTreeMap::from([("pu_npc_kills".into(), 2)]));
    assert_eq!(server.read("/api/stats/counts").await["players"], 1, "rejected events create no players");
}

async fn sending_again_changes_nothing(on: Backend) {
    let server = Server::start(on).await;
    let (key, other) = (server.key("one"), server.key("other"));
    let at = now() - 7_200_000;
    let mut batch = npc_kills("Echo-One", 5, at);
    batch.extend(in_a_row(
        at,
        [
            own("login", "Echo-One"),
            own("seat_entered", "Echo-One").with("vehicle_name", "ZZZZ_Kite"),
            own("mission_accepted", "Echo-One").with("contract_name", "zzhaul"),
            own("mission_complete", "Echo-One").with("contract_name", "zzhaul"),
            kill("Echo-One", "Echo-Two").pu().id("fight-1"),
            own("logout", "Echo-One"),
        ],
    ));
    let known = batch.len();
    let first = server.send(&key, &batch).await;
    assert_eq!((&first["accepted"], &first["duplicates"]), (&json!(known), &json!(0)));
    let paths = ["/api/player/echo-one", "/api/player/echo-two", "/api/patch", "/api/player/echo-one/missions"];
    let mut before = Vec::new();
    for path in paths {
        before.push(server.get(path).await.bytes);
    }
    for round in 0..10 {
        batch.rotate_left(3);
        let again = server.send(if round % 2 == 0 { &key } else { &other }, &batch).await;
        assert_eq!((&again["accepted"], &again["duplicates"]), (&json!(0), &json!(known)), "round {round}");
    }
    // Repetitions within one batch are duplicates.
    let twice = [batch.clone(), batch.clone()].concat();
    assert_eq!(server.send(&key, &twice).await["duplicates"], known * 2);
    let fresh = kill("Echo-One", NPC).at(at - 600_000).json();
    let response = server.send(&key, &[fresh.clone(), fresh.clone(), fresh.clone()]).await;
    assert_eq!((&response["accepted"], &response["duplicates"]), (&json!(1), &json!(2)));
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(server.get(path).await.bytes, before, "{path}");
    }
    // An event id identifies an event even if its time was corrected.
    let moved = kill("Echo-One", "Echo-Two").pu().id("fight-1").at(at + 900_000).json();
    assert_eq!(server.send(&key, &[moved]).await["duplicates"], 1);
}

async fn witnesses(server: &Server, handle: &str) -> Vec<i64> {
    let feed = server.read(&format!("/api/player/{handle}/activity")).await;
    feed["data"].as_array().unwrap().iter().map(|row| row["witnesses"].as_i64().unwrap()).collect()
}

async fn two_reports_of_one_fight_become_one_event(on: Backend) {
    let server = Server::start(on).await;
    let (one, other, third) = (server.key("one"), server.key("other"), server.key("third"));
    let at = now() - 3_600_000;
    let fight = |killer: &str, ms: i64| kill(killer, "Seen-Down").pu().at(ms).json();
    server.take(&one, &[fight("Near-By", at)]).await;
    let response = server.send(&other, &[fight("Near-By", at + 5_000)]).await;
    assert_eq!(
        (&response["accepted"], &response["duplicates"]),
        (&json!(0), &json!(1)),
        "reports 5 s apart are one fight"
    );
    assert_eq!(witnesses(&server, "near-by").await, [2]);
    // Repeated reports by the same readers do not add witnesses.
    server.send(&other, &[fight("Near-By", at + 5_000)]).await;
    server.send(&one, &[fight("Near-By", at)]).await;
    assert_eq!(witnesses(&server, "near-by").await, [2]);
    server.send(&third, &[fight("Near-By", at + 1_000)]).await;
    assert_eq!(witnesses(&server, "near-by").await, [3]);
    assert_eq!(figures(&server, "near-by").await, BTreeMap::from([("pu_player_kills".into(), 1)]));

    // Reports more than 5 s apart, by the same reader, or with another killer or kind are different events.
    server.take(&one, &[fight("Far-Off", at)]).await;
    server.take(&other, &[fight("Far-Off", at + 5_001)]).await;
    server.take(&other, &[fight("Someone-Else", at)]).await;
    server.take(&other, &[loss("vehicle_destruction", "Far-Off", "Seen-Down").pu().at(at).json()]).await;
    server.take(&one, &[fight("Quick-Two", at), fight("Quick-Two", at + 2_000)]).await;
    assert_eq!(witnesses(&server, "far-off").await, [1, 1, 1]);
    assert_eq!(figures(&server, "quick-two").await["pu_player_kills"], 2);
    // The other reader reports both.
    let both = server.send(&other, &[fight("Quick-Two", at + 500), fight("Quick-Two", at + 2_500)]).await;
    assert_eq!(both["duplicates"], 2);
    assert_eq!(witnesses(&server, "quick-two").await, [2, 2]);

    // A later report fills empty fields of the event. The first one counts, as it is.
    let bare = kill("Gap-Filler", NPC).at(at).json();
    server.take(&one, &[bare]).await;
    assert!(figures(&server, "gap-filler").await.is_empty());
    server.send(&other, &[kill("Gap-Filler", NPC).pu().with("weapon", "zzrifle").at(at - 1_500).json()]).await;
    assert!(figures(&server, "gap-filler").await.is_empty());
    let feed = server.read("/api/player/gap-filler/activity").await;
    let row = &feed["data"][0];
    assert_eq!((&row["weapon"], &row["game_mode"]), (&json!("zzrifle"), &json!("PU")));
    assert_eq!(row["event_time"], at.div_euclid(1000), "the time of the first report");
}

async fn concurrent_batches_count_like_sequential_ones(on: Backend) {
    let server = Server::start(on).await;
    let keys = ["one", "two", "three"].map(|name| server.key(name));
    let at = now() - DAY;
    // Twenty fights, each reported by three readers up to four seconds apart, in batches of one event, six at a time: sixty can wait
    // longer for a connection than the server allows.
    let reports = (0..60).map(|n: i64| {
        let (fight, reader) = (n / 3, n % 3);
        let event = kill("Busy-Bee", &format!("Victim-{fight}")).pu().at(at + fight * 10_000 + reader * 2_000);
        let (key, event) = (&keys[reader as usize], event.json());
        async { server.send(key, &[event]).await }
    });
    let responses: Vec<_> = futures_util::stream::iter(reports).buffer_unordered(6).collect().await;
    let sum = |field: &str| responses.iter().map(|response| response[field].as_i64().unwrap()).sum::<i64>();
    assert_eq!((sum("accepted"), sum("duplicates")), (20, 40));
    assert_eq!(witnesses(&server, "busy-bee").await, [3; 20]);
    assert_eq!(figures(&server, "busy-bee").await["pu_player_kills"], 20);
}

async fn an_npc_never_becomes_a_player(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let at = now() - 3_600_000;
    let npcs = [
        NPC,
        "Kopion_01",
        "NPC_Archetypes-Male-Human-Guards_Soldier_1",
        "AIModule_Unmanned_PU_PDC_602567901611",
        "AEGS_Gladius_PU_AI_CRIM_1234567890123",
        "Vanduul_Pilot_01_200000000123",
    ];
    let mut batch = Vec::new();
    for npc in npcs {
        batch.extend(in_a_row(
            at,
            [kill("Space-Man-Rob", npc).pu(), kill(npc, "space_man_7").pu(), kill(npc, npc).pu()],
        ));
    }
    batch.push(kill("Space-Man-Rob", "Grunt").with("victim_is_npc", true).pu().json());
    batch.push(kill("unknown", "Space-Man-Rob").json());
    server.take(&key, &batch).await;
    assert_eq!(server.read("/api/stats/counts").await["players"], 2);
    assert_eq!(figures(&server, "space-man-rob").await["pu_npc_kills"], npcs.len() as i64 + 1);
    for name in npcs.iter().chain(&["Grunt", "unknown"]) {
        assert_eq!(server.get(&format!("/api/player/{name}")).await.status, StatusCode::NOT_FOUND, "{name}");
    }
    // The sender's flag overrides the classification by name.
    server.take(&key, &[kill("Space-Man-Rob", "Kopion_Hunter").with("victim_is_npc", false).pu().json()]).await;
    assert_eq!(figures(&server, "kopion_hunter").await["pu_player_deaths"], 1);
    // Handles keep their first spelling and compare case-insensitively.
    server.take(&key, &[kill("SPACE-MAN-ROB", NPC).pu().at(at + 900_000).json()]).await;
    assert_eq!(server.read("/api/player/sPaCe-mAn-rOb").await["player"]["handle"], "Space-Man-Rob");
    assert_eq!(server.read("/api/stats/counts").await["players"], 3);
}

async fn limits_of_texts_count_characters_in_every_alphabet(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    for (nth, letter) in ["a", "ü", "Ж", "漢", "🚀"].into_iter().enumerate() {
        let event = |name: usize, text: usize| {
            let at = now() - DAY + nth as i64 * 60_000 + (name + text) as i64;
            own("objective", "Ann-1")
                .with("contract_name", letter.repeat(name))
                .with("text", letter.repeat(text))
                .at(at)
                .json()
        };
        let batch = [event(200, 1_000), event(201, 10), event(10, 1_001)];
        let response = server.send(&key, &batch).await;
        assert_eq!(response["accepted"], 1, "{letter}: {response}");
        let refused: Vec<i64> =
            response["rejected"].as_array().unwrap().iter().map(|r| r["index"].as_i64().unwrap()).collect();
        assert_eq!(refused, [1, 2], "{letter}");
    }
    let feed = server.read("/api/activity").await["data"].clone();
    assert!(feed.as_array().unwrap().iter().all(|row| row["text"].as_str().unwrap().chars().count() == 1_000));
    // The limit of search texts counts characters as well.
    let typed = |count: usize| format!("/api/search/fast?q={}", "%D0%96".repeat(count));
    assert_eq!(server.get(&typed(256)).await.status, 200);
    assert_eq!(server.get(&typed(257)).await.code(), "VALIDATION");
}

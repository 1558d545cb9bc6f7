//! Attacks on the figures of others with the ingest keys of accounts.

use serde_json::{Value, json};

use super::{account_key, claim, know, log_of, owner, site};
use crate::support::*;

on_both!(
    a_second_account_cannot_change_a_kill,
    a_staircase_of_times_does_not_move_the_window,
    an_occupied_event_id_leaves_the_real_event,
    keys_of_one_account_are_one_reporter,
    a_contradicting_report_creates_no_player,
    the_operators_report_stands,
    an_entity_id_comes_from_the_operator_or_the_owner,
    free_text_in_class_names_is_rejected,
);

/// The figures of a player that are not 0.
async fn figures(server: &Server, handle: &str) -> Value {
    let stats = server.read(&format!("/api/player/{handle}")).await["player"]["game_stats"].clone();
    let mut stats = stats.as_object().unwrap().clone();
    stats.retain(|name, value| name != "last_updated" && value.as_i64().is_some_and(|n| n != 0));
    Value::Object(stats)
}

async fn feed(server: &Server, handle: &str) -> Vec<Value> {
    server.read(&format!("/api/player/{handle}/activity")).await["data"].as_array().unwrap().clone()
}

fn differs(server: &Server) -> Vec<String> {
    server.database.words("SELECT COALESCE(differs, '') AS value FROM event_witnesses ORDER BY event_id, ingest_key_id")
}

async fn a_second_account_cannot_change_a_kill(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, attacker) = (owner(&server, "5001", "Real-Ace").await, account_key(&server, "5002").await);
    know(&server, &["Real-Foe"]);
    let at = now() - 3_600_000;
    ace.take(&server, &[kill("Real-Ace", "Real-Foe").pu().at(at).json()]).await;
    let before = feed(&server, "real-ace").await;
    let forged = kill("Real-Ace", "Real-Foe").ac().at(at - 1_000).with("weapon", "zzrifle").json();
    let answer = server.send(&attacker, &[forged]).await;
    assert_eq!((&answer["accepted"], &answer["duplicates"]), (&json!(0), &json!(1)));
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1}));
    let after = feed(&server, "real-ace").await;
    assert_eq!((&after[0]["event_time"], &after[0]["game_mode"]), (&before[0]["event_time"], &json!("PU")));
    assert_eq!(
        (&after[0]["witnesses"], &after[0]["weapon"]),
        (&json!(2), &Value::Null),
        "another account fills no field"
    );
    assert_eq!(differs(&server), [r#"{"game_mode":"AC"}"#]);
    let timed = "SELECT COUNT(*) FROM event_witnesses WHERE received_at IS NOT NULL";
    assert_eq!(server.database.number(timed), 1);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events WHERE grade = 4 AND received_at IS NOT NULL"), 1);
}

async fn a_staircase_of_times_does_not_move_the_window(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let at = now() - 3_600_000;
    let report = |ms: i64| kill("Real-Ace", "Real-Foe").pu().at(ms).json();
    let ace = owner(&server, "5001", "Real-Ace").await;
    know(&server, &["Real-Foe"]);
    ace.take(&server, &[report(at)]).await;
    for (id, step) in [("5002", 4_000), ("5003", 5_000)] {
        let answer = server.send(&account_key(&server, id).await, &[report(at - step)]).await;
        assert_eq!(answer["duplicates"], 1, "{step} ms before the stored time is the same fight");
    }
    // 4 s before the last report, but 8 s before the time that stands.
    ace.take(&server, &[report(at - 8_000)]).await;
    let times: Vec<i64> =
        feed(&server, "real-ace").await.iter().map(|row| row["event_time"].as_i64().unwrap()).collect();
    assert_eq!(times, [at.div_euclid(1000), (at - 8_000).div_euclid(1000)]);
}

async fn an_occupied_event_id_leaves_the_real_event(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (attacker, ace) = (account_key(&server, "5001").await, owner(&server, "5002", "Real-Ace").await);
    know(&server, &["Real-Foe"]);
    let at = now() - 3_600_000;
    let real = [
        kill("Real-Ace", "Real-Foe").pu().at(at).id("log-1:44").json(),
        own("mission_complete", "Real-Ace").with("contract_name", "zzhaul").pu().at(at).id("log-1:45").json(),
    ];
    let occupied = [kill("Real-Ace", "Real-Foe").at(at - 30 * DAY).id("log-1:44").json()];
    server.take(&attacker, &occupied).await;
    ace.take(&server, &real).await;
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1}));
    // The operator's keys share another scope; within a scope, a repeated event is the same event.
    server.take(&server.key("one"), &real[1..]).await;
    assert_eq!(server.send(&server.key("two"), &real[1..]).await["duplicates"], 1);
    assert_eq!(server.send(&attacker, &occupied).await["duplicates"], 1);
    assert_eq!(ace.send(&server, &real).await["duplicates"], 2);
}

async fn keys_of_one_account_are_one_reporter(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (one, two) = (owner(&server, "5001", "Real-Ace").await, owner(&server, "5001", "Real-Ace").await);
    know(&server, &["Real-Foe"]);
    let at = now() - 3_600_000;
    let event = kill("Real-Ace", "Real-Foe").pu().at(at).id("log-1:44").json();
    one.take(&server, std::slice::from_ref(&event)).await;
    assert_eq!(two.send(&server, &[event]).await["duplicates"], 1);
    assert_eq!(feed(&server, "real-ace").await[0]["witnesses"], 1);
    // One person reports two kills within five seconds: they are two fights, whichever key sends them.
    let again = kill("Real-Ace", "Real-Foe").pu().at(at + 2_000).id("log-1:45").json();
    assert_eq!(two.send(&server, &[again]).await["accepted"], 1);
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 2}));
}

async fn a_contradicting_report_creates_no_player(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, attacker) = (owner(&server, "5001", "Real-Ace").await, account_key(&server, "5002").await);
    know(&server, &["Real-Foe"]);
    let loss_by = |killer: &str| {
        let lost = loss("vehicle_destruction", killer, "Real-Foe").with("vehicle_name", "ZZZZ_Kite_2636093660432");
        lost.pu().at(now() / 1000 * 1000 - 3_600_000).json()
    };
    ace.take(&server, &[loss_by("Real-Ace")]).await;
    let answer = server.send(&attacker, &[loss_by("Invented-1")]).await;
    assert_eq!(answer["duplicates"], 1);
    assert_eq!(server.get("/api/player/invented-1").await.status, 404);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM players"), 2);
    assert_eq!(differs(&server), [r#"{"killer":"Invented-1"}"#]);
}

async fn the_operators_report_stands(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (account, other, operator) =
        (account_key(&server, "5001").await, account_key(&server, "5002").await, server.key("operator"));
    let at = now() - 3_600_000;
    let login = own("login", "Real-Ace").at(at - 600_000).json();
    know(&server, &["Real-Ace", "Real-Foe"]);
    let first = kill("Real-Ace", "Real-Foe").ac().with("weapon", "zzpistol").at(at).json();
    server.take(&account, std::slice::from_ref(&first)).await;
    server.take(&operator, &[login]).await;
    let real = kill("Real-Ace", "Real-Foe").pu().at(at - 2_000).json();
    assert_eq!(server.send(&operator, std::slice::from_ref(&real)).await["duplicates"], 1);
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1}));
    let row = feed(&server, "real-ace").await[0].clone();
    assert_eq!((&row["event_time"], &row["witnesses"]), (&json!((at - 2_000).div_euclid(1000)), &json!(2)));
    assert_eq!(row["weapon"], Value::Null, "nothing of the displaced report is left");
    assert_eq!(differs(&server), [r#"{"game_mode":"AC"}"#]);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events WHERE grade = 1"), 2);
    let player = server.read("/api/player/real-ace").await["player"].clone();
    assert_eq!((&player["playtime"], &player["last_active"]), (&json!(598), &json!((at - 2_000).div_euclid(1000))));
    // Neither both of them again nor another account changes anything.
    assert_eq!(server.send(&account, &[first]).await["duplicates"], 1);
    assert_eq!(server.send(&operator, &[real]).await["duplicates"], 1);
    server.send(&other, &[kill("Real-Ace", "Real-Foe").ac().at(at - 3_000).json()]).await;
    assert_eq!(figures(&server, "real-ace").await, json!({"pu_player_kills": 1}));
    assert_eq!(feed(&server, "real-ace").await[0]["witnesses"], 3);
    let before = server.get("/api/player/real-ace").await.bytes;
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(server.get("/api/player/real-ace").await.bytes, before, "a recount gives the same figures");
}

async fn an_entity_id_comes_from_the_operator_or_the_owner(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (key, attacker) = (account_key(&server, "5001").await, account_key(&server, "5002").await);
    let at = now() - 3_600_000;
    let login = |n: i64, geid: &str| own("login", "Real-Ace").at(at + n * 60_000).with("player_geid", geid).json();
    let from_log =
        async |key: &str, event: Value| server.send_from_log(key, &log_of("Real-Ace"), &[event]).await.json();
    for geid in ["free viagra at evil.example", "12345"] {
        let answer = from_log(&attacker, login(0, geid)).await;
        assert!(answer["rejected"][0]["error"].as_str().unwrap().contains("6 to 20 digits"), "{answer}");
    }
    let geid = async || server.read("/api/player/real-ace").await["player"]["player_geid"].clone();
    know(&server, &["Real-Ace"]);
    let answer = from_log(&attacker, login(2, "666666666666")).await;
    assert_eq!((&answer["accepted"], &answer["held"][0]["reason"]), (&json!(1), &json!("unclaimed")));
    assert_eq!(geid().await, Value::Null, "nobody has claimed the player");
    server.take(&server.key("operator"), &[login(3, "200100000001")]).await;
    assert_eq!(geid().await, "200100000001");
    claim(&server, "5001", "Real-Ace");
    assert_eq!(from_log(&key, login(4, "200100000002")).await["held"], json!([]));
    let answer = from_log(&attacker, login(5, "666666666666")).await;
    assert!(answer["rejected"][0]["error"].as_str().unwrap().starts_with("a session of Real-Ace"), "{answer}");
    assert_eq!(geid().await, "200100000002");
}

async fn free_text_in_class_names_is_rejected(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let key = account_key(&server, "5001").await;
    let spam = "free viagra at <evil.example>";
    for field in ["weapon", "vehicle_name", "damage_type", "zone", "sub_game_mode", "contract_id"] {
        let answer = server.send(&key, &[kill("Real-Ace", "Real-Foe").with(field, spam).json()]).await;
        assert!(answer["rejected"][0]["error"].as_str().unwrap().contains(field), "{answer}");
    }
    let npc = kill("Real-Ace", spam).with("victim_is_npc", true).json();
    assert!(server.send(&key, &[npc]).await["rejected"][0]["error"].as_str().unwrap().contains("victim"));
    let real =
        kill("Real-Ace", NPC).with("weapon", "BEHR P6_LR_Sniper_Rifle").with("zone", "OOC_Stanton_2b_Daymar").json();
    server.take(&key, &[real]).await;
}

//! Confirmed figures, and what a score consists of.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Owner, establish, know, log_of, owner, site};
use crate::support::*;

on_both!(
    confirmed_leaderboards_count_what_both_sides_reported,
    confirmed_figures_follow_moderation_and_equal_a_recount,
    a_receipt_accounts_for_every_point_of_a_score,
    a_receipt_names_what_does_not_count_and_why,
    a_receipt_of_playtime_lists_sessions,
    pages_of_a_receipt_list_each_event_once,
    a_receipt_of_a_hidden_player_is_for_its_owner,
);

const HOUR: i64 = 3_600_000;

/// Two established accounts that own `Real-Ace` and `Real-Foe`.
async fn two_sides(server: &Server) -> (Owner, Owner) {
    let sides = (owner(server, "5001", "Real-Ace").await, owner(server, "5002", "Real-Foe").await);
    establish(server, &["5001", "5002"]);
    sides
}

fn fight(at: i64) -> EventBuilder {
    kill("Real-Ace", "Real-Foe").pu().at(at)
}

/// `(handle, kills, confirmed share)` of each row of a leaderboard of player kills.
async fn board(server: &Server, parameters: &str) -> Vec<(String, i64, Value)> {
    let path = format!("/api/players/leaderboard?sortBy=pu_player_kills{parameters}");
    let rows = server.read(&path).await["players"].as_array().unwrap().clone();
    let row = |row: &Value| {
        let kills = row["pu_player_kills"].as_i64().unwrap();
        (row["handle"].as_str().unwrap().to_owned(), kills, row["confirmed_share"].clone())
    };
    rows.iter().map(row).collect()
}

fn ace(kills: i64, share: Value) -> (String, i64, Value) {
    ("Real-Ace".to_owned(), kills, share)
}

async fn receipt(server: &Server, handle: &str, parameters: &str) -> Value {
    server.read(&format!("/api/player/{handle}/receipt?{parameters}")).await
}

async fn confirmed_leaderboards_count_what_both_sides_reported(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (killer, victim) = two_sides(&server).await;
    let at = now() - 2 * HOUR;
    killer.take(&server, &[fight(at).json(), fight(at + HOUR).json()]).await;
    assert_eq!(board(&server, "&evidence=confirmed").await, []);
    assert_eq!(board(&server, "").await, [ace(2, json!(0.0))]);
    victim.send(&server, &[fight(at + 500).json()]).await;
    for window in ["all", "24h", "7d", "30d"] {
        let all = board(&server, &format!("&window={window}")).await;
        assert_eq!(all, [ace(2, json!(0.5))], "{window}");
        let confirmed = board(&server, &format!("&window={window}&evidence=confirmed")).await;
        assert_eq!(confirmed, [ace(1, json!(0.5))], "{window}");
    }
    let playtime = server.read("/api/players/leaderboard?sortBy=playtime&evidence=confirmed").await;
    assert_eq!(playtime["players"], json!([]));
    let player = server.read("/api/player/real-ace").await["player"].clone();
    assert_eq!((&player["confirmed"]["overall"], &player["overall"]), (&json!(1), &json!(2)));
    let wrong = server.get("/api/players/leaderboard?evidence=sworn").await;
    assert_eq!((wrong.status.as_u16(), wrong.code()), (400, "VALIDATION".into()), "{}", wrong.text());
}

async fn confirmed_figures_follow_moderation_and_equal_a_recount(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (killer, victim) = two_sides(&server).await;
    let operator = server.key("operator");
    let at = now() - 2 * HOUR;
    killer.take(&server, &[fight(at).json()]).await;
    victim.send(&server, &[fight(at).json()]).await;
    server.take(&operator, &npc_kills("Real-Ace", 1, at + HOUR)).await;
    let figures = async |server: &Server| server.read("/api/player/real-ace").await["player"]["confirmed"].clone();
    let before = figures(&server).await;
    assert_eq!((&before["overall"], &before["pu_player_kills"]), (&json!(2), &json!(1)), "{before}");
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(figures(&server).await, before, "a recount gives the same figures");
    let key = server
        .database
        .number("SELECT MIN(k.id) FROM ingest_keys k JOIN users u ON u.id = k.user_id WHERE u.discord_id = '5002'");
    server.command(&["moderate", "void", "--key", &key.to_string(), "--reason", "Forged logs"]);
    let began = std::time::Instant::now();
    while figures(&server).await["pu_player_kills"] != 0 {
        assert!(began.elapsed().as_secs() < 30, "the victim's report is void, so the kill is self-reported");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(board(&server, "").await[0].1, 1);
}

async fn a_receipt_accounts_for_every_point_of_a_score(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (killer, victim) = two_sides(&server).await;
    let at = now() - 3 * HOUR;
    killer.take(&server, &[fight(at).json(), fight(at + HOUR).json()]).await;
    victim.send(&server, &[fight(at).json()]).await;
    killer.take(&server, &npc_kills("Real-Ace", 3, at + 2 * HOUR)).await;
    let found = receipt(&server, "real-ace", "metric=overall").await;
    assert_eq!((&found["handle"], &found["value"], &found["rank"]), (&json!("Real-Ace"), &json!(5), &json!(1)));
    let grades = json!([{"grade": "confirmed", "value": 1}, {"grade": "self_reported", "value": 4}]);
    assert_eq!((&found["grades"], &found["imported"], &found["withheld"]), (&grades, &json!(0), &json!([])));
    let events = found["events"].as_array().unwrap();
    assert!(events.len() == 5 && events.iter().all(|event| event["counts"] == true), "{found}");
    for (parameters, value) in [
        ("metric=pu_player_kills", 2),
        ("metric=pve_kills", 3),
        ("metric=vehicle_destructions", 0),
        ("metric=overall&window=24h", 5),
        ("metric=overall&window=7d", 5),
    ] {
        assert_eq!(receipt(&server, "real-ace", parameters).await["value"], value, "{parameters}");
    }
    assert_eq!(receipt(&server, "real-foe", "metric=overall").await["rank"], Value::Null);
}

async fn a_receipt_names_what_does_not_count_and_why(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (killer, _) = two_sides(&server).await;
    let stranger = owner(&server, "5003", "Other-1").await;
    know(&server, &["Third-1"]);
    let at = now() - 3 * HOUR;
    killer.take(&server, &[fight(at).json()]).await;
    stranger.send(&server, &[kill("Real-Ace", "Third-1").pu().at(at + HOUR).json()]).await;
    let ptu = log_of("Real-Ace").replace("channel=LIVE", "channel=PTU").replace("id=log", "id=ptu");
    server.send_from_log(&killer.key, &ptu, &[kill("Real-Ace", "Third-1").pu().at(at + 2 * HOUR).json()]).await;
    let found = receipt(&server, "real-ace", "metric=pu_player_kills").await;
    assert_eq!((&found["value"], found["events"].as_array().unwrap().len()), (&json!(1), 1));
    // The PTU log is also a second log of the same time.
    let reasons = ["other_channel", "third_party", "two_logs"];
    assert_eq!(found["withheld"], json!(reasons.map(|reason| json!({"reason": reason, "events": 1}))));
}

async fn a_receipt_of_playtime_lists_sessions(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (killer, _) = two_sides(&server).await;
    let at = now() - 5 * HOUR;
    let session =
        |from: i64| [own("login", "Real-Ace").at(from).json(), own("logout", "Real-Ace").at(from + HOUR).json()];
    killer.take(&server, &session(at)).await;
    killer.take(&server, &session(at + 2 * HOUR)).await;
    let found = receipt(&server, "real-ace", "metric=playtime&limit=1").await;
    assert_eq!((&found["value"], &found["grades"], &found["events"]), (&json!(7_200), &json!([]), &json!([])));
    assert_eq!(found["sessions"][0]["login_at"], (at + 2 * HOUR).div_euclid(1_000));
    let next = found["next"].as_str().unwrap();
    let older = receipt(&server, "real-ace", &format!("metric=playtime&limit=1&before={next}")).await;
    assert_eq!(older["sessions"][0]["login_at"], at.div_euclid(1_000));
    assert_eq!((&older["next"], &older["value"]), (&Value::Null, &json!(7_200)));
}

async fn pages_of_a_receipt_list_each_event_once(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let key = server.key("operator");
    server.take(&key, &npc_kills("Real-Ace", 25, now() - DAY)).await;
    let mut seen = Vec::new();
    let mut before = String::new();
    loop {
        let page = receipt(&server, "real-ace", &format!("metric=pve_kills&limit=10{before}")).await;
        assert_eq!(page["value"], 25, "the sums are those of all pages");
        seen.extend(page["events"].as_array().unwrap().iter().map(|event| event["event"]["id"].clone()));
        match page["next"].as_str() {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 25);
    seen.sort_by_key(ToString::to_string);
    seen.dedup();
    assert_eq!(seen.len(), 25);
    let unknown = server.get("/api/player/real-ace/receipt?before=999999").await;
    assert_eq!(unknown.status, 400, "{}", unknown.text());
}

async fn a_receipt_of_a_hidden_player_is_for_its_owner(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (killer, _) = two_sides(&server).await;
    killer.take(&server, &[fight(now() - HOUR).json()]).await;
    server.database.run(
        "UPDATE players SET is_hidden = TRUE WHERE handle_folded = 'real-foe'; \
         UPDATE player_scores SET is_hidden = TRUE WHERE handle_folded = 'real-foe'",
    );
    server.restart();
    assert_eq!(server.get("/api/player/real-foe/receipt").await.status, 403);
    let others = receipt(&server, "real-ace", "metric=overall").await;
    assert_eq!(others["events"][0]["event"]["victim"], "Hidden");
    assert!(!others.to_string().to_lowercase().contains("real-foe"), "{others}");
    let token = server.sign_in("5002").await;
    let own = server.as_user(&token, Method::GET, "/api/player/real-foe/receipt", None).await;
    assert_eq!((own.status.as_u16(), &own.json()["handle"]), (200, &json!("Real-Foe")));
    assert_eq!(server.get("/api/player/nobody-here/receipt").await.status, 404);
}

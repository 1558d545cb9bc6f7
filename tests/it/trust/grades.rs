//! What reports are worth, and what accounts cannot make count.

use reqwest::Method;
use serde_json::{Value, json};

use super::{account_key, claim, establish, know, log_of, owner, site};
use crate::support::game_site::{Citizen, GameSite};
use crate::support::*;

on_both!(
    a_partys_report_takes_the_place_of_a_strangers,
    reports_of_strangers_change_no_figure,
    independent_accounts_of_both_sides_confirm_a_kill,
    new_accounts_that_confirm_each_other_stay_self_reported,
    a_death_counts_on_the_victims_word,
    sessions_of_other_players_are_rejected,
    a_claim_releases_the_reports_that_wait_for_it,
    unclaimed_logs_count_where_the_operator_allows_it,
    kills_of_builds_that_write_none_are_held_until_released,
    more_fights_than_anybody_has_are_held,
    a_mission_counts_once,
    a_player_in_two_logs_at_once_counts_in_the_first,
    events_of_other_channels_count_nowhere,
    invented_names_appear_nowhere_until_they_are_known,
    the_games_site_makes_a_name_known,
    an_account_has_a_quota_a_day,
    voiding_the_only_party_leaves_a_strangers_report,
);

async fn stats(server: &Server, handle: &str) -> Value {
    server.read(&format!("/api/player/{handle}")).await["player"]["game_stats"].clone()
}

async fn kills(server: &Server, handle: &str) -> Value {
    stats(server, handle).await["pu_player_kills"].clone()
}

async fn deaths(server: &Server, handle: &str) -> Value {
    stats(server, handle).await["pu_player_deaths"].clone()
}

/// The only event with its reports.
async fn event(server: &Server) -> Value {
    let id = server.database.number("SELECT MAX(id) FROM events");
    server.read(&format!("/api/activity/{id}")).await
}

/// Waits until everything is assessed again.
async fn reassessed(server: &Server) {
    let left = "SELECT COUNT(*) FROM reassessments";
    eventually("everything is assessed again", async || server.database.number(left) == 0).await;
}

/// A kill by this player an hour ago.
fn fight(at: i64) -> EventBuilder {
    kill("Real-Ace", "Real-Foe").pu().at(at)
}

fn reasons(answer: &Value) -> Vec<&str> {
    answer["held"].as_array().unwrap().iter().map(|held| held["reason"].as_str().unwrap()).collect()
}

async fn a_partys_report_takes_the_place_of_a_strangers(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, stranger) = (owner(&server, "5001", "Real-Ace").await, owner(&server, "5002", "Other-1").await);
    know(&server, &["Real-Foe"]);
    let at = now() - 3_600_000;
    let answer = stranger.send(&server, &[fight(at).ac().with("weapon", "zzpistol").json()]).await;
    assert_eq!(reasons(&answer), ["third_party"]);
    assert_eq!(event(&server).await["reports"][0]["source"], "third_party");
    assert_eq!(server.read("/api/activity").await["data"], json!([]), "feeds do not show it");
    let answer = ace.send(&server, &[fight(at + 2_000).json()]).await;
    assert_eq!((&answer["duplicates"], &answer["held"]), (&json!(1), &json!([])));
    let row = server.read("/api/player/real-ace/activity").await["data"][0].clone();
    assert_eq!((&row["game_mode"], &row["weapon"]), (&json!("PU"), &Value::Null));
    assert_eq!(row["event_time"], (at + 2_000).div_euclid(1000));
    assert_eq!((&row["grade"], &row["witnesses"]), (&json!("self_reported"), &json!(2)));
    let event = event(&server).await;
    let sources: Vec<&Value> = event["reports"].as_array().unwrap().iter().map(|r| &r["source"]).collect();
    assert_eq!(sources, [&json!("killer"), &json!("third_party")]);
    assert_eq!(kills(&server, "real-ace").await, 1);
}

async fn reports_of_strangers_change_no_figure(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    know(&server, &["Real-Foe"]);
    ace.take(&server, &[fight(now() - 2 * DAY).json()]).await;
    let before = server.read("/api/player/real-ace").await["player"].clone();
    let board = server.read("/api/players/leaderboard?sortBy=overall").await;
    let stranger = owner(&server, "5002", "Other-1").await;
    for part in 0..2 {
        let flood: Vec<Value> =
            (0..1_000).map(|n| fight(now() - 3_600_000 - (part * 1_000 + n) * 6_000).json()).collect();
        assert_eq!(stranger.send(&server, &flood).await["held"].as_array().unwrap().len(), 1_000);
        // Without a header, too.
        assert_eq!(server.send(&stranger.key, &flood).await["accepted"], 0);
    }
    let conceded = kill("Real-Ace", "Other-1").pu().at(now() - 1_800_000).json();
    let without_log = server.send(&account_key(&server, "5003").await, &[conceded]).await;
    assert_eq!(reasons(&without_log), ["third_party"]);
    assert_eq!(server.read("/api/player/real-ace").await["player"], before);
    assert_eq!(server.read("/api/players/leaderboard?sortBy=overall").await, board);
}

async fn independent_accounts_of_both_sides_confirm_a_kill(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, foe) = (owner(&server, "5001", "Real-Ace").await, owner(&server, "5002", "Real-Foe").await);
    establish(&server, &["5001", "5002"]);
    let at = now() - 3_600_000;
    ace.take(&server, &[fight(at).json()]).await;
    assert_eq!((kills(&server, "real-ace").await, deaths(&server, "real-foe").await), (json!(1), json!(0)));
    assert_eq!(foe.send(&server, &[fight(at - 900).with("weapon", "zzrifle").json()]).await["duplicates"], 1);
    assert_eq!((kills(&server, "real-ace").await, deaths(&server, "real-foe").await), (json!(1), json!(1)));
    assert_eq!(event(&server).await["event"]["grade"], "confirmed");
    let row = server.read("/api/player/real-foe/activity").await["data"][0].clone();
    assert_eq!((&row["weapon"], &row["grade"]), (&json!("zzrifle"), &json!("confirmed")), "a party fills empty fields");
    let before = server.get("/api/player/real-foe").await.bytes;
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(server.get("/api/player/real-foe").await.bytes, before, "a recount gives the same figures");
}

async fn new_accounts_that_confirm_each_other_stay_self_reported(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let (ace, foe) = (owner(&server, "5001", "Real-Ace").await, owner(&server, "5002", "Real-Foe").await);
    establish(&server, &["5001"]);
    let at = now() - 3_600_000;
    for (first, second, at) in [(&ace, &foe, at), (&foe, &ace, at - 60_000)] {
        first.take(&server, &[fight(at).json()]).await;
        second.send(&server, &[fight(at + 500).json()]).await;
        assert_eq!(event(&server).await["event"]["grade"], "self_reported");
    }
    assert_eq!((kills(&server, "real-ace").await, deaths(&server, "real-foe").await), (json!(2), json!(2)));
}

async fn a_death_counts_on_the_victims_word(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let foe = owner(&server, "5002", "Real-Foe").await;
    know(&server, &["Real-Ace"]);
    foe.take(&server, &[fight(now() - 3_600_000).json()]).await;
    assert_eq!(event(&server).await["event"]["grade"], "conceded");
    assert_eq!((kills(&server, "real-ace").await, deaths(&server, "real-foe").await), (json!(1), json!(1)));
}

async fn sessions_of_other_players_are_rejected(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    owner(&server, "5001", "Real-Ace").await;
    let other = owner(&server, "5002", "Other-1").await;
    let session =
        [own("login", "Real-Ace").json(), own("mission_complete", "Real-Ace").with("contract_name", "z").json()];
    // From the own log, from a forged log of that player, and without a log.
    let forged = server.send_from_log(&other.key, &log_of("Real-Ace"), &session).await.json();
    for answer in [other.send(&server, &session).await, forged, server.send(&other.key, &session).await] {
        assert_eq!((&answer["accepted"], answer["rejected"].as_array().unwrap().len()), (&json!(0), 2), "{answer}");
        let sentence = answer["rejected"][1]["error"].as_str().unwrap();
        assert!(
            sentence.starts_with("a mission of Real-Ace is accepted only from that player's own log"),
            "{sentence}"
        );
    }
    // A forged log does not use up the owner's limits, and its fights are a stranger's.
    know(&server, &["Real-Foe"]);
    let answer = server.send_from_log(&other.key, &log_of("Real-Ace"), &[fight(now()).json()]).await.json();
    assert_eq!(reasons(&answer), ["third_party"]);
}

/// Claims a player with a code in the bio.
async fn claim_by_bio(server: &Server, game_site: &GameSite, discord_id: &str, handle: &str) {
    let token = server.sign_in(discord_id).await;
    game_site.citizen(&Citizen::new(handle, "Hello"));
    let body = json!({"handle": handle, "discordId": "1"});
    let started = server.as_user(&token, Method::POST, "/api/player/claim/start", Some(&body)).await.json();
    let code = started["verificationCode"].as_str().unwrap();
    game_site.citizen(&Citizen::new(handle, code));
    let verified = server.as_user(&token, Method::POST, "/api/player/claim/verify", Some(&body)).await;
    assert_eq!(verified.status, 200, "{}", verified.text());
}

async fn a_claim_releases_the_reports_that_wait_for_it(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    let game_site = server.with_game_site().await;
    server.run();
    let key = account_key(&server, "5001").await;
    know(&server, &["Real-Ace", "Real-Foe"]);
    let at = now() - 3_600_000;
    let events = [
        own("login", "Real-Ace").at(at).json(),
        fight(at + 60_000).json(),
        own("logout", "Real-Ace").at(at + 600_000).json(),
        kill("Real-Foe", "Other-1").pu().at(at + 90_000).json(),
    ];
    let answer = server.send_from_log(&key, &log_of("Real-Ace"), &events).await.json();
    assert_eq!(reasons(&answer), ["unclaimed", "unclaimed", "unclaimed", "third_party"]);
    assert_eq!(kills(&server, "real-ace").await, 0);
    claim_by_bio(&server, &game_site, "5001", "Real-Ace").await;
    reassessed(&server).await;
    assert_eq!(kills(&server, "real-ace").await, 1);
    assert_eq!(server.read("/api/player/real-ace").await["player"]["playtime"], 600);
    assert_eq!(server.read("/api/player/real-ace/activity").await["data"].as_array().unwrap().len(), 3);
    assert_eq!(kills(&server, "real-foe").await, 0, "a fight of others stays a stranger's report");
}

async fn unclaimed_logs_count_where_the_operator_allows_it(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.env("APOGEE_TRUST_UNCLAIMED", "count");
    server.run();
    let key = account_key(&server, "5001").await;
    know(&server, &["Real-Ace", "Real-Foe"]);
    let answer = server.send_from_log(&key, &log_of("Real-Ace"), &[fight(now() - 60_000).json()]).await.json();
    assert_eq!(answer["held"], json!([]));
    assert_eq!(kills(&server, "real-ace").await, 1);
}

async fn kills_of_builds_that_write_none_are_held_until_released(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", "900");
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    know(&server, &["Real-Foe"]);
    let at = now() - 3_600_000;
    let answer = ace.send(&server, &[fight(at).with("patch", "4.7.0").json()]).await;
    assert_eq!(reasons(&answer), ["unknown_kind"]);
    let log = format!("{}, branch=sc-alpha-4.4.0", log_of("Real-Ace").replace("log-", "new-"));
    let answer = server.send_from_log(&ace.key, &log, &[fight(at + 60_000).json()]).await.json();
    assert!(reasons(&answer)[0] == "unknown_kind", "{answer}");
    ace.take(&server, &[fight(at + 120_000).with("patch", "4.3.2").json()]).await;
    // The operator's word is enough.
    server.take(&server.key("operator"), &[fight(at + 180_000).with("patch", "4.7.0").json()]).await;
    assert_eq!(kills(&server, "real-ace").await, 2);
    let id = server.database.number("SELECT MIN(id) FROM events");
    let token = server.sign_in("900").await;
    let body = json!({"action": "release", "select": {"events": [id]}, "reason": "a video shows it"});
    let started = server.as_user(&token, Method::POST, "/api/admin/moderation", Some(&body)).await;
    assert_eq!(started.status, 200, "{}", started.text());
    let complete = "SELECT COUNT(*) FROM moderation WHERE state = 2";
    eventually("the action is complete", async || server.database.number(complete) == 1).await;
    assert_eq!(kills(&server, "real-ace").await, 3);
}

async fn more_fights_than_anybody_has_are_held(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let at = now() - DAY;
    let burst = |from: i64| (0..25).map(|n| kill("Real-Ace", NPC).pu().at(from + n * 2_000).json()).collect::<Vec<_>>();
    let answer = ace.send(&server, &burst(at)).await;
    assert_eq!(reasons(&answer), ["too_many_fights"; 5]);
    assert_eq!(answer["held"][0]["index"], 20);
    assert_eq!(stats(&server, "real-ace").await["pu_npc_kills"], 20);
    // Rates are those of the log's time: an hour later, the same rate counts again, in whatever order the batches arrive.
    assert_eq!(reasons(&ace.send(&server, &burst(at - 3_600_000)).await).len(), 5);
    // The crew of a destroyed ship is one fight.
    let crew: Vec<Value> = (0..12)
        .map(|n| {
            kill("Real-Ace", NPC)
                .pu()
                .with("damage_type", "VehicleDestruction")
                .at(at - 9_000_000)
                .id(&format!("c{n}"))
                .json()
        })
        .collect();
    let distinct: Vec<Value> = crew
        .into_iter()
        .enumerate()
        .map(|(n, mut event)| {
            event["victim"] = json!(format!("PU_Human_Enemy_GroundCombat_NPC_grunt_26360936604{n:02}"));
            event
        })
        .chain((1..20).map(|n| kill("Real-Ace", NPC).pu().at(at - 9_000_000 + n * 2_000).json()))
        .collect();
    assert_eq!(ace.send(&server, &distinct).await["held"], json!([]));
    // The operator is not limited.
    server.take(&server.key("operator"), &burst(at - 20 * DAY)).await;
}

async fn a_mission_counts_once(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let at = now() - DAY;
    let done = |n: i64, id: &str| {
        own("mission_complete", "Real-Ace")
            .with("contract_id", id)
            .with("contract_name", "zzhaul")
            .pu()
            .at(at + n)
            .json()
    };
    let mission = "8f4ba5a6-3a5e-4a5b-9f4e-0a4c3a8f1c55";
    ace.take(&server, &[done(0, mission)]).await;
    assert_eq!(reasons(&ace.send(&server, &[done(60_000, mission)]).await), ["repeated_contract"]);
    let many: Vec<Value> = (1..=41)
        .map(|n| done(n * 60_000 + 500, &format!("8f4ba5a6-3a5e-4a5b-9f4e-0a4c3a8f1c{n:02}")))
        .filter(|event| event["contract_id"] != mission)
        .collect();
    let answer = ace.send(&server, &many).await;
    assert!(reasons(&answer).iter().all(|reason| *reason == "too_many_contracts"), "{answer}");
    assert_eq!(server.read("/api/player/real-ace").await["player"]["missions_completed"], 40);
}

async fn a_player_in_two_logs_at_once_counts_in_the_first(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let at = now() - DAY;
    let log = |id: &str, from: i64, until: i64| {
        format!("id={id}, handle=Real-Ace, channel=LIVE, first={}, last={}", at + from, at + until)
    };
    let fought = |ms: i64| [kill("Real-Ace", NPC).pu().at(at + ms).json()];
    let send = async |id: &str, from: i64, until: i64, ms: i64| {
        let answer = server.send_from_log(&ace.key, &log(id, from, until), &fought(ms)).await.json();
        reasons(&answer).into_iter().map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(send("one", 0, 3_600_000, 60_000).await, [""; 0]);
    assert_eq!(send("two", 1_800_000, 7_200_000, 2_000_000).await, ["two_logs"]);
    assert_eq!(send("two", 1_800_000, 7_200_000, 5_000_000).await, [""; 0], "after the end of the first log");
    // The same log with another key of the account counts as the first one.
    let again = account_key(&server, "5001").await;
    let answer = server.send_from_log(&again, &log("one", 0, 3_600_000), &fought(90_000)).await.json();
    assert_eq!(answer["held"], json!([]));
}

async fn events_of_other_channels_count_nowhere(on: Backend) {
    let server = Server::start(on).await;
    let ptu = log_of("Real-Ace").replace("LIVE", "PTU");
    let operator = server.key("operator");
    let answer = server.send_from_log(&operator, &ptu, &[fight(now() - 60_000).json()]).await.json();
    assert_eq!(reasons(&answer), ["other_channel"]);
    assert_eq!(kills(&server, "real-ace").await, 0);
    assert_eq!(event(&server).await["reports"][0]["channel"], "PTU");
}

async fn invented_names_appear_nowhere_until_they_are_known(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    let counts = server.read("/api/stats/counts").await;
    let at = now() - DAY;
    let invented: Vec<Value> =
        (0..300).map(|n| kill("Real-Ace", &format!("Invented-{n}")).pu().at(at + n * 200_000).json()).collect();
    let answer = ace.send(&server, &invented).await;
    assert!(reasons(&answer).iter().all(|reason| ["provisional_name", "too_many_names"].contains(reason)), "{answer}");
    assert_eq!(reasons(&answer).len(), 300);
    assert_eq!(server.get("/api/player/invented-7").await.status, 404);
    assert_eq!(server.read("/api/search/players?q=invented").await["results"], json!([]));
    assert_eq!(server.read("/api/stats/counts").await, counts);
    assert_eq!(server.read("/api/activity").await["data"], json!([]));
    assert_eq!(kills(&server, "real-ace").await, 0);
    let id = server.database.number("SELECT MIN(id) FROM events");
    assert_eq!(server.get(&format!("/api/activity/{id}")).await.status, 404);
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(server.read("/api/search/players?q=invented").await["results"], json!([]));
    // The operator names one: its kill counts.
    server.take(&server.key("operator"), &[own("login", "Invented-7").at(at).json()]).await;
    reassessed(&server).await;
    assert_eq!(server.get("/api/player/invented-7").await.status, 200);
    assert_eq!(kills(&server, "real-ace").await, 1);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM players WHERE is_provisional"), 299);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM provisional_names"), 299);
    // More than 60 new names in an hour of the log are too many.
    let crowd: Vec<Value> =
        (0..70).map(|n| kill("Real-Ace", &format!("Crowd-{n}")).pu().at(at - DAY + n * 30_000).json()).collect();
    let answer = ace.send(&server, &crowd).await;
    assert_eq!(reasons(&answer).iter().filter(|reason| **reason == "too_many_names").count(), 10);
}

async fn the_games_site_makes_a_name_known(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    let game_site = server.with_game_site().await;
    game_site.citizen(&Citizen::new("Real-Foe", "Hello"));
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    server.database.run(&format!("UPDATE players SET site_read_at = {}", now()));
    let events = [fight(now() - 60_000).json(), kill("Real-Ace", "Invented-1").pu().at(now() - 30_000).json()];
    assert_eq!(reasons(&ace.send(&server, &events).await), ["provisional_name"; 2]);
    server.run_job("refresh").await;
    let known = "SELECT COUNT(*) FROM players WHERE handle_folded = 'real-foe' AND NOT is_provisional";
    eventually("the player is known", async || server.database.number(known) == 1).await;
    reassessed(&server).await;
    assert_eq!(kills(&server, "real-ace").await, 1);
    assert_eq!(server.get("/api/player/invented-1").await.status, 404);
}

async fn an_account_has_a_quota_a_day(on: Backend) {
    let (mut server, _discord) = site(on).await;
    server.run();
    let ace = owner(&server, "5001", "Real-Ace").await;
    ace.take(&server, &[kill("Real-Ace", NPC).pu().json()]).await;
    server.database.run("UPDATE key_days SET reports = 49999");
    let two = [own("login", "Real-Ace").json(), own("logout", "Real-Ace").json()];
    let refused = server.send_from_log(&ace.key, &log_of("Real-Ace"), &two).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (429, "RATE_LIMIT_EXCEEDED"), "{}", refused.text());
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&wait), "{wait}");
    ace.take(&server, &two[..1]).await;
    server.database.run("UPDATE key_days SET reports = 0");
    for part in 0..2 {
        let names: Vec<Value> = (0..500)
            .map(|n| kill("Real-Ace", &format!("Name-{part}-{n}")).pu().at(now() - DAY - n * 60_000).json())
            .collect();
        ace.send(&server, &names).await;
    }
    let next = server.send_from_log(&ace.key, &log_of("Real-Ace"), &two[1..]).await;
    assert_eq!(next.status.as_u16(), 429);
    assert!(next.json()["error"].as_str().unwrap().contains("1000 new names"), "{}", next.text());
    // The operator has no quota.
    server.take(&server.key("operator"), &two[1..]).await;
}

async fn voiding_the_only_party_leaves_a_strangers_report(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", "900");
    server.run();
    let (ace, stranger) = (owner(&server, "5001", "Real-Ace").await, owner(&server, "5002", "Other-1").await);
    know(&server, &["Real-Foe"]);
    claim(&server, "5002", "Other-1");
    let at = now() - 3_600_000;
    ace.take(&server, &[fight(at).json()]).await;
    stranger.send(&server, &[fight(at + 500).json()]).await;
    let key = server.database.number("SELECT ingest_key_id FROM events");
    server.command(&["moderate", "void", "--key", &key.to_string(), "--reason", "invented"]);
    assert_eq!(kills(&server, "real-ace").await, 0);
    assert_eq!(event(&server).await["event"]["grade"], "third_party");
    server.command(&["moderate", "undo", "1", "--reason", "a mistake"]);
    assert_eq!(kills(&server, "real-ace").await, 1);
    assert_eq!(event(&server).await["event"]["grade"], "self_reported");
}

//! Repeated kills: what the nightly job withholds and releases, and that boards, profiles and a recount show the same.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use apogee::domain::trust::{Kill, withheld};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use reqwest::Method;
use serde_json::{Value, json};

use super::{ADMIN, night};
use crate::support::*;

on_both!(
    an_alternate_account_feeds_two_of_fifty_kills,
    a_ring_counts_two_kills_per_pair,
    honest_kills_stay,
    a_late_event_changes_the_decision,
    voiding_a_kill_releases_another_one,
    a_completed_kill_joins_its_pair,
    another_share_decides_everything_again,
    a_restored_export_decides_the_same,
    many_nights_decide_like_one,
    the_first_run_is_in_the_night_after_the_first_start,
    a_run_continues_after_a_kill,
);

const WITHHELD: &str = "SELECT COUNT(*) FROM events WHERE reasons = 1024";

/// A running site on which the first night is still to come.
async fn site(on: Backend) -> (Server, mock_server::MockServer) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", ADMIN);
    server.run();
    (server, discord)
}

async fn claim(server: &Server, discord_id: &str, handle: &str) {
    server.sign_in(discord_id).await;
    server.database.run(&format!(
        "UPDATE users SET player_id = (SELECT id FROM players WHERE handle = '{handle}') WHERE discord_id = '{discord_id}'"
    ));
}

async fn stats(server: &Server, handle: &str) -> Value {
    server.read(&format!("/api/player/{handle}")).await["player"]["game_stats"].clone()
}

async fn kills(server: &Server, handle: &str) -> i64 {
    stats(server, handle).await["pu_player_kills"].as_i64().unwrap()
}

/// The figure of a player on the leaderboard.
async fn on_board(server: &Server, handle: &str) -> i64 {
    let board = server.read("/api/players/leaderboard?sortBy=pu_player_kills&limit=100").await;
    let rows = board["data"].as_array().or(board["players"].as_array()).unwrap();
    rows.iter().find(|row| row["handle"] == handle).map_or(0, |row| row["pu_player_kills"].as_i64().unwrap())
}

/// Profiles and boards, without what a restart changes.
async fn shown(server: &Server, handles: &[&str]) -> Value {
    let mut all = Vec::new();
    for handle in handles {
        let mut player = server.read(&format!("/api/player/{handle}")).await["player"].clone();
        for key in ["id", "created_at", "views", "profile_views"] {
            player.as_object_mut().unwrap().remove(key);
        }
        player["game_stats"].as_object_mut().unwrap().remove("last_updated");
        all.extend([player, json!(on_board(server, handle).await)]);
        for page in ["weapons", "history"] {
            all.push(server.read(&format!("/api/player/{handle}/{page}")).await);
        }
    }
    Value::Array(all)
}

async fn withheld_list(server: &Server) -> Value {
    let token = server.sign_in(ADMIN).await;
    let response = server.as_user(&token, Method::GET, "/api/admin/withheld", None).await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()
}

/// Kills in a row, ten minutes apart.
fn row_of_kills(from: i64, killer: &str, victim: &str, count: i64) -> Vec<Value> {
    (0..count).map(|n| kill(killer, victim).pu().with("weapon", "zzrifle").at(from + n * 600_000).json()).collect()
}

/// Kills of different people.
fn strangers(from: i64, killer: &str, count: i64) -> Vec<Value> {
    (0..count).map(|n| kill(killer, &format!("{killer}-S{n}")).pu().at(from + n * 60_000).json()).collect()
}

async fn an_alternate_account_feeds_two_of_fifty_kills(on: Backend) {
    let (mut server, _discord) = site(on).await;
    let (key, at) = (server.key("operator"), now() / 1000 * 1000 - 10 * DAY);
    server.take(&key, &strangers(at - DAY, "Real-Ace", 30)).await;
    server.take(&key, &row_of_kills(at, "Real-Ace", "Own-Alt", 50)).await;
    claim(&server, "5001", "Real-Ace").await;
    claim(&server, "5002", "Own-Alt").await;
    assert_eq!(kills(&server, "Real-Ace").await, 80, "kills count until the night");
    night(&server).await;
    assert_eq!((kills(&server, "Real-Ace").await, on_board(&server, "Real-Ace").await), (32, 32));
    assert_eq!(stats(&server, "Own-Alt").await["pu_player_deaths"], 2);
    let list = withheld_list(&server).await;
    assert_eq!((&list["total"], &list["share"]), (&json!(48), &json!(5)));
    assert_eq!(list["killers"], json!([{"handle": "Real-Ace", "withheld": 48, "counted": 32}]));
    assert_eq!(list["pairs"], json!([{"players": ["Real-Ace", "Own-Alt"], "withheld": 48}]));
    assert_eq!(list["circles"], json!([]));
    let people = ["Real-Ace", "Own-Alt"];
    let decided = shown(&server, &people).await;
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(shown(&server, &people).await, decided, "a recount gives the same figures");
    night(&server).await;
    assert_eq!(shown(&server, &people).await, decided, "the next night changes nothing");
    // Another fifty kills the next day count nothing, and the two of the quarter after that do.
    server.take(&key, &row_of_kills(at + DAY, "Real-Ace", "Own-Alt", 50)).await;
    assert_eq!(kills(&server, "Real-Ace").await, 82, "the first kill of a night does not wait for it");
    night(&server).await;
    assert_eq!(kills(&server, "Real-Ace").await, 32);
    // Without its claim, the alternate account is limited by the share of its killer alone.
    server.database.run("UPDATE users SET player_id = NULL WHERE discord_id = '5002'");
    night(&server).await;
    assert_eq!(kills(&server, "Real-Ace").await, 33);
}

async fn a_ring_counts_two_kills_per_pair(on: Backend) {
    let (server, _discord) = site(on).await;
    let (key, at) = (server.key("operator"), now() / 1000 * 1000 - 10 * DAY);
    let ring = ["Ring-A", "Ring-B", "Ring-C", "Ring-D"];
    for (n, member) in ring.into_iter().enumerate() {
        server.take(&key, &strangers(at - DAY, member, 70)).await;
        claim(&server, &format!("510{n}"), member).await;
    }
    night(&server).await;
    assert_eq!(server.database.number(WITHHELD), 0);
    let mut all = Vec::new();
    for round in 0..10 {
        for (n, killer) in ring.into_iter().enumerate() {
            let victim = ring[(n + 1) % ring.len()];
            all.push(kill(killer, victim).pu().at(at + round * 3_600_000 + n as i64 * 60_000).json());
        }
    }
    server.take(&key, &all).await;
    night(&server).await;
    // A circle has three members: the first repeat of the round that closes it counts.
    let counted = server.database.number("SELECT COUNT(*) FROM repeats WHERE state = 1");
    assert_eq!((server.database.number(WITHHELD), counted), (31, 1));
    let list = withheld_list(&server).await;
    assert_eq!(list["circles"], json!([{"players": ring, "withheld": 31}]));
    let killers = list["killers"].as_array().unwrap();
    assert_eq!(killers.len(), 4);
    assert!(killers.iter().all(|row| row["counted"] == 72 || row["counted"] == 73), "{list}");
    // Without the claim of one member, three are linked by 16 repeats, of which the first one counts. Of the 16 repeats of and against
    // the fourth, the share allows three to each killer.
    server.database.run("UPDATE users SET player_id = NULL WHERE discord_id = '5103'");
    night(&server).await;
    assert_eq!(server.database.number(WITHHELD), (16 - 1) + (16 - 3 - 3), "{}", withheld_list(&server).await);
}

async fn honest_kills_stay(on: Backend) {
    let (server, _discord) = site(on).await;
    let (key, at) = (server.key("operator"), now() / 1000 * 1000 - 10 * DAY);
    server.take(&key, &strangers(at - DAY, "Real-Ace", 40)).await;
    server.take(&key, &row_of_kills(at, "Real-Ace", "Old-Foe", 4)).await;
    // Matches in the arena, vehicles and NPCs are not compared.
    let others = (0..10).flat_map(|n| {
        let at = at + n * 600_000;
        [
            kill("Real-Ace", "Old-Foe").ac().at(at + 60_000).json(),
            loss("vehicle_destruction", "Real-Ace", "Old-Foe").pu().at(at + 120_000).json(),
            kill("Real-Ace", NPC).pu().at(at + 180_000).json(),
        ]
    });
    server.take(&key, &others.collect::<Vec<_>>()).await;
    let people = ["Real-Ace", "Old-Foe"];
    let before = shown(&server, &people).await;
    night(&server).await;
    assert_eq!(shown(&server, &people).await, before);
    assert_eq!(withheld_list(&server).await["total"], 0);
}

/// The times of withheld events, in hours after `at`.
fn withheld_hours(server: &Server, at: i64) -> Vec<i64> {
    let times = server
        .database
        .words("SELECT CAST(event_time AS TEXT) AS value FROM events WHERE reasons = 1024 ORDER BY event_time");
    times.iter().map(|time| (time.parse::<i64>().unwrap() - at) / 3_600_000).collect()
}

async fn a_late_event_changes_the_decision(on: Backend) {
    let (server, _discord) = site(on).await;
    let (key, at) = (server.key("operator"), now() / 1000 * 1000 - 10 * DAY);
    let hourly = |hours: &[i64]| -> Vec<Value> {
        hours.iter().map(|hour| kill("Real-Ace", "Old-Foe").pu().at(at + hour * 3_600_000).json()).collect()
    };
    server.take(&key, &hourly(&[10, 20, 30])).await;
    night(&server).await;
    assert_eq!(withheld_hours(&server, at), [30]);
    server.take(&key, &hourly(&[5])).await;
    night(&server).await;
    assert_eq!((withheld_hours(&server, at), kills(&server, "Real-Ace").await), (vec![20, 30], 2));
    // People that the killer fought before release a repeat, also if they are reported later.
    server.take(&key, &strangers(at - DAY, "Real-Ace", 19)).await;
    night(&server).await;
    assert_eq!((withheld_hours(&server, at), kills(&server, "Real-Ace").await), (vec![30], 22));
    // People whom it fought later do not.
    server.take(&key, &strangers(at + 2 * DAY, "Old-Foe", 30)).await;
    night(&server).await;
    assert_eq!(withheld_hours(&server, at), [30]);
}

async fn voiding_a_kill_releases_another_one(on: Backend) {
    let (mut server, _discord) = site(on).await;
    let (key, at) = (server.key("operator"), now() / 1000 * 1000 - 10 * DAY);
    server.take(&key, &row_of_kills(at, "Real-Ace", "Old-Foe", 4)).await;
    night(&server).await;
    let withheld_ids =
        || server.database.words("SELECT CAST(id AS TEXT) AS value FROM events WHERE reasons = 1024 ORDER BY id");
    assert_eq!(withheld_ids(), ["3", "4"]);
    server.command(&["moderate", "void", "--events", "1,4", "--reason", "invented"]);
    night(&server).await;
    assert_eq!((withheld_ids(), kills(&server, "Real-Ace").await), (vec![], 2));
    assert_eq!(
        server.database.number("SELECT COUNT(*) FROM events WHERE reasons = 2"),
        2,
        "the reason of an admin remains"
    );
    server.command(&["moderate", "undo", "1", "--reason", "not invented"]);
    night(&server).await;
    assert_eq!((withheld_ids(), kills(&server, "Real-Ace").await), (vec!["3".to_owned(), "4".to_owned()], 2));
    let decided = shown(&server, &["Real-Ace", "Old-Foe"]).await;
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(shown(&server, &["Real-Ace", "Old-Foe"]).await, decided);
}

async fn a_completed_kill_joins_its_pair(on: Backend) {
    let (server, _discord) = site(on).await;
    let at = now() / 1000 * 1000 - 10 * DAY;
    let mut events = row_of_kills(at, "Real-Ace", "Old-Foe", 4);
    let complete = events[0].clone();
    events[0].as_object_mut().unwrap().remove("game_mode");
    server.take(&server.key("operator"), &events).await;
    night(&server).await;
    assert_eq!((server.database.number(WITHHELD), kills(&server, "Real-Ace").await), (1, 2));
    // A second report fills the empty mode: the first kill was in the persistent universe, too.
    assert_eq!(server.send(&server.key("other"), &[complete]).await["duplicates"], 1);
    assert_eq!(kills(&server, "Real-Ace").await, 3);
    night(&server).await;
    assert_eq!((server.database.number(WITHHELD), kills(&server, "Real-Ace").await), (2, 2));
}

async fn another_share_decides_everything_again(on: Backend) {
    let (mut server, _discord) = site(on).await;
    let (key, at) = (server.key("operator"), now() / 1000 * 1000 - 10 * DAY);
    server.take(&key, &strangers(at - DAY, "Real-Ace", 59)).await;
    server.take(&key, &row_of_kills(at, "Real-Ace", "Old-Foe", 10)).await;
    night(&server).await;
    assert_eq!(kills(&server, "Real-Ace").await, 59 + 2 + 3);
    for (share, counted) in [(0, 0), (10, 6), (5, 3)] {
        server.stop();
        std::fs::write(server.data_dir().join("apogee.toml"), format!("[trust]\nrepeat-share = {share}\n")).unwrap();
        server.run();
        night(&server).await;
        assert_eq!(kills(&server, "Real-Ace").await, 59 + 2 + counted, "{share} %");
    }
}

async fn a_restored_export_decides_the_same(on: Backend) {
    let (server, _discord) = site(on).await;
    let (key, at) = (server.key("operator"), now() / 1000 * 1000 - 10 * DAY);
    server.take(&key, &row_of_kills(at, "Real-Ace", "Old-Foe", 10)).await;
    night(&server).await;
    let people = ["Real-Ace", "Old-Foe"];
    let expected = shown(&server, &people).await;
    let file = server.data_dir().join("all.ndjson");
    server.command(&["export", "all", file.to_str().unwrap()]);
    let mut restored = Server::prepare(on);
    let _restored_discord = restored.with_discord().await;
    restored.env("APOGEE_ADMIN_DISCORD_IDS", ADMIN);
    restored.command(&["import", "all", file.to_str().unwrap()]);
    restored.run();
    assert_eq!(shown(&restored, &people).await, expected);
    night(&restored).await;
    assert_eq!(shown(&restored, &people).await, expected);
    // Withheld kills of the export are released like others.
    restored.command(&["moderate", "void", "--events", "1", "--reason", "invented"]);
    night(&restored).await;
    assert_eq!((kills(&restored, "Real-Ace").await, restored.database.number(WITHHELD)), (2, 7));
}

const CROWD: i64 = 14;

/// Random kills among a few players over 300 days, in random order.
fn random_kills(rng: &mut ChaCha8Rng, count: usize) -> Vec<Value> {
    let start = now() / 1000 * 1000 - 320 * DAY;
    let mut kills: Vec<Value> = (0..count)
        .map(|_| {
            let killer = rng.random_range(0..CROWD);
            let victim = (killer + 1 + rng.random_range(0..(CROWD - 1) / 2)) % CROWD;
            let at = start + rng.random_range(0..300 * DAY / 60_000) * 60_000;
            kill(&format!("Crowd-{killer}"), &format!("Crowd-{victim}")).pu().at(at).json()
        })
        .collect();
    kills.dedup();
    kills.shuffle(rng);
    kills
}

/// What the rule withholds of the events in the database.
fn expected_withheld(server: &Server, share: u32) -> BTreeSet<i64> {
    let rows = server.database.words(
        "SELECT id || ',' || killer_id || ',' || victim_id || ',' || event_time AS value FROM events \
         WHERE reasons IN (0, 1024) AND game_mode = 1 AND category = 1",
    );
    let kill = |row: &String| {
        let numbers: Vec<i64> = row.split(',').map(|number| number.parse().unwrap()).collect();
        Kill { id: numbers[0], killer: numbers[1], victim: numbers[2], at: numbers[3] }
    };
    let claimed: HashSet<i64> = server
        .database
        .words("SELECT CAST(player_id AS TEXT) AS value FROM users WHERE player_id IS NOT NULL")
        .iter()
        .map(|id| id.parse().unwrap())
        .collect();
    withheld(&rows.iter().map(kill).collect::<Vec<_>>(), &claimed, share)
}

fn stored_withheld(server: &Server) -> BTreeSet<i64> {
    let ids = server.database.words("SELECT CAST(id AS TEXT) AS value FROM events WHERE reasons = 1024");
    ids.iter().map(|id| id.parse().unwrap()).collect()
}

async fn many_nights_decide_like_one(on: Backend) {
    let (mut server, _discord) = site(on).await;
    // With this share, both the share and the circles decide about many kills.
    std::fs::write(server.data_dir().join("apogee.toml"), "[trust]\nrepeat-share = 40\n").unwrap();
    server.restart();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let key = server.key("operator");
    let all = random_kills(&mut rng, 900);
    for (number, part) in all.chunks(150).enumerate() {
        server.send(&key, part).await;
        // Claims come and go, and admins void and restore events.
        let member = rng.random_range(0..CROWD);
        for member in [member, (member + 1) % CROWD, (member + 3) % CROWD] {
            claim(&server, &format!("52{member}"), &format!("Crowd-{member}")).await;
        }
        if number % 3 == 2 {
            server.database.run(&format!("UPDATE users SET player_id = NULL WHERE discord_id = '52{member}'"));
        }
        let id = rng.random_range(1..=part.len()).to_string();
        let action = if number % 2 == 0 { "void" } else { "hold" };
        server.command(&["moderate", action, "--events", &id, "--reason", "a test"]);
        if number == 4 {
            server.command(&["moderate", "undo", "1", "--reason", "a test"]);
        }
        night(&server).await;
        let expected = expected_withheld(&server, 40);
        assert!(!expected.is_empty());
        assert_eq!(stored_withheld(&server), expected, "night {number}");
    }
    let counted = server.database.number("SELECT COUNT(*) FROM repeats WHERE state = 1");
    assert!(counted > 0, "some repeats count");
    let handles: Vec<String> = (0..CROWD).map(|n| format!("Crowd-{n}")).collect();
    let handles: Vec<&str> = handles.iter().map(String::as_str).collect();
    let decided = shown(&server, &handles).await;
    server.stop();
    server.command(&["reindex"]);
    server.run();
    assert_eq!(shown(&server, &handles).await, decided, "a recount gives the same figures");
    // A site that receives everything before its first night decides the same.
    let forgotten = "DELETE FROM repeats; DELETE FROM repeat_changes; DELETE FROM repeat_claims; \
                     UPDATE repeat_state SET position = 0, share = NULL";
    server.database.run(forgotten);
    night(&server).await;
    assert_eq!(shown(&server, &handles).await, decided);
}

async fn the_first_run_is_in_the_night_after_the_first_start(on: Backend) {
    let mut server = Server::prepare(on);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM repeat_state WHERE ran_on IS NULL"), 1);
    let (key, at) = (server.key("operator"), now() - 10 * DAY);
    server.run();
    server.take(&key, &row_of_kills(at, "Real-Ace", "Old-Foe", 4)).await;
    server.restart();
    assert_eq!(kills(&server, "Real-Ace").await, 4);
    // A site that was stopped at midnight runs the job at its next start.
    server.stop();
    server.database.run("UPDATE repeat_state SET ran_on = ran_on - 1");
    server.run();
    let began = Instant::now();
    while server.database.number(WITHHELD) != 2 {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", server.log());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(kills(&server, "Real-Ace").await, 2);
}

async fn a_run_continues_after_a_kill(on: Backend) {
    let (mut server, _discord) = site(on).await;
    let (key, at) = (server.key("operator"), now() / 1000 * 1000 - 60 * DAY);
    let all = row_of_kills(at, "Real-Ace", "Old-Foe", 3_000);
    for part in all.chunks(500) {
        server.take(&key, part).await;
    }
    server.database.run("UPDATE repeat_state SET ran_on = 0");
    let token = server.sign_in(ADMIN).await;
    server.as_user(&token, Method::POST, "/api/admin/jobs/repeats/run", None).await;
    let began = Instant::now();
    while server.database.number(WITHHELD) == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", server.log());
    }
    server.kill();
    server.database.run("DELETE FROM leases");
    server.run();
    night(&server).await;
    assert_eq!((server.database.number(WITHHELD), kills(&server, "Real-Ace").await), (2_998, 2));
}

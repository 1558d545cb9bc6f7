//! `kill -9` during ingest: acknowledged events are stored exactly once.
//!
//! `APOGEE_KILLS` sets the number of kills (default 10).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::support::*;

on_both!(
    #[ignore = "daily: kills in a loop"]
    acknowledged_events_survive_every_kill
);

const SENDERS: usize = 3;
const BATCH: i64 = 25;

/// A batch, and whether it was acknowledged.
struct Sent {
    sender: usize,
    events: Vec<Value>,
    acknowledged: bool,
}

/// Batch `number` of a sender. Each event has an id; every fourth is a mission.
fn batch(sender: usize, number: i64, start: i64) -> Vec<Value> {
    let pilot = format!("Pilot-{sender}");
    let event = |n: i64| {
        let place = number * BATCH + n;
        let event = match n % 4 {
            0 => own("mission_complete", &pilot).with("contract_name", "zzhaul"),
            1 => kill(&pilot, &format!("Target-{sender}-{}", place % 50)).pu(),
            _ => kill(&pilot, NPC).pu().with("weapon", "zzrifle"),
        };
        event.at(start + place * 7_000).id(&format!("{sender}-{place}")).json()
    };
    (0..BATCH).map(event).collect()
}

/// Sends batches until the server stops; returns them and whether they were acknowledged.
async fn send_until_gone(
    url: String,
    key: String,
    sender: usize,
    first: i64,
    start: i64,
    stop: Arc<AtomicBool>,
) -> Vec<Sent> {
    let client = crate::support::server::client();
    let mut sent = Vec::new();
    for number in first.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let events = batch(sender, number, start);
        let response = client.post(&url).bearer_auth(&key).json(&json!({ "events": events })).send().await;
        // Only a complete response counts.
        let acknowledged = match response {
            Ok(response) if response.status() == 200 => response.json::<Value>().await.is_ok(),
            Ok(response) => panic!("{}", response.status()),
            Err(_) => false,
        };
        sent.push(Sent { sender, events, acknowledged });
        if !acknowledged {
            break;
        }
    }
    sent
}

fn ids(events: &[Value]) -> impl Iterator<Item = String> {
    events.iter().map(|event| event["event_id"].as_str().unwrap().to_owned())
}

fn stored(server: &Server) -> Vec<String> {
    server.database.words("SELECT event_id AS value FROM events ORDER BY id")
}

async fn acknowledged_events_survive_every_kill(on: Backend) {
    let kills: usize = std::env::var("APOGEE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let mut server = Server::process(on).await;
    let keys: Vec<String> = (0..SENDERS).map(|n| server.key(&format!("sender-{n}"))).collect();
    let start = now() - 60 * DAY;
    let mut chance = rand_chacha::ChaCha8Rng::seed_from_u64(7);
    let mut next = [0i64; SENDERS];
    let mut promised: BTreeSet<String> = BTreeSet::new();
    let mut unanswered = 0;
    for round in 0..kills {
        let stop = Arc::new(AtomicBool::new(false));
        let senders: Vec<_> = (0..SENDERS)
            .map(|n| {
                let url = server.url("/api/ingest/events");
                tokio::spawn(send_until_gone(url, keys[n].clone(), n, next[n], start, Arc::clone(&stop)))
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(chance.random_range(20..400))).await;
        server.kill();
        stop.store(true, Ordering::Relaxed);
        let mut open = Vec::new();
        for sender in senders {
            for sent in sender.await.unwrap() {
                next[sent.sender] += 1;
                if sent.acknowledged {
                    promised.extend(ids(&sent.events));
                } else {
                    open.push(sent);
                }
            }
        }
        unanswered += open.len();
        server.run();
        let there = stored(&server);
        let distinct: BTreeSet<String> = there.iter().cloned().collect();
        assert_eq!(there.len(), distinct.len(), "round {round}: an event is stored twice");
        let lost: Vec<_> = promised.difference(&distinct).collect();
        assert!(lost.is_empty(), "round {round}: acknowledged and lost: {lost:?}");
        // A batch is stored completely or not at all, and an unacknowledged one is accepted once when it is sent again.
        for sent in open {
            let known = ids(&sent.events).filter(|id| distinct.contains(id)).count();
            assert!(known == 0 || known == sent.events.len(), "round {round}: a partial batch, {known} events");
            let response = server.send(&keys[sent.sender], &sent.events).await;
            assert_eq!(response["duplicates"], known, "round {round}");
            assert_eq!(response["accepted"], sent.events.len() - known, "round {round}");
            promised.extend(ids(&sent.events));
        }
        ranks_and_search_are_right(&server, &next).await;
    }
    assert!(unanswered > 0, "no kill interrupted a batch: this run proves nothing");
    let all: BTreeSet<String> = stored(&server).into_iter().collect();
    assert_eq!(all, promised);
    if on == Backend::Sqlite {
        assert_eq!(server.database.words("SELECT integrity_check AS value FROM pragma_integrity_check"), ["ok"]);
        assert_eq!(server.database.number("SELECT COUNT(*) FROM pragma_foreign_key_check"), 0);
    }
}

/// The expected figures of each sender's pilot.
async fn ranks_and_search_are_right(server: &Server, sent: &[i64; SENDERS]) {
    let mut scores: Vec<(i64, String)> = Vec::new();
    for (sender, batches) in sent.iter().enumerate().filter(|(_, batches)| **batches > 0) {
        let pilot = format!("Pilot-{sender}");
        let missions = batches * (0..BATCH).filter(|n| n % 4 == 0).count() as i64;
        let player = server.read(&format!("/api/player/{pilot}")).await["player"].clone();
        assert_eq!(player["missions_completed"], missions, "{pilot}");
        assert_eq!(player["overall"], batches * BATCH - missions, "{pilot}");
        scores.push((batches * BATCH - missions, pilot.clone()));
        let found = server.read(&format!("/api/search/fast?q={pilot}")).await;
        assert_eq!(found["results"][0]["handle"], pilot.as_str());
        let targets = server.read(&format!("/api/search/fast?q=target-{sender}-1")).await;
        assert_eq!(targets["results"][0]["handle"], format!("Target-{sender}-1"));
    }
    let board = server.read("/api/players/top?limit=3").await;
    for row in board["players"].as_array().unwrap() {
        let own = row["overall"].as_i64().unwrap();
        let better = scores.iter().filter(|(score, _)| *score > own).count() as i64;
        assert_eq!(row["rank"], better + 1, "{row}");
    }
}

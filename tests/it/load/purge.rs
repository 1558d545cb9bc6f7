//! Blocking a key while the site is read and written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::StatusCode;

use super::requests::{Times, filled};
use crate::faults::env_or;
use crate::support::*;

const BATCH: usize = 1_000;
const PLAYERS: usize = 1_000;

fn invented(from: usize, at: i64) -> Vec<serde_json::Value> {
    let event = |n: usize| {
        let event = kill(&format!("Forged-{}", n % PLAYERS), NPC).pu().at(at + n as i64 * 7);
        event.id(&format!("forged-{n}")).json()
    };
    (from..from + BATCH).map(event).collect()
}

/// Repeats a request until `is_over`, with a pause; returns the durations.
async fn repeat(
    is_over: &AtomicBool,
    pause: Duration,
    mut request: impl AsyncFnMut(u64) -> StatusCode,
) -> Vec<Duration> {
    let mut times = Vec::new();
    while !is_over.load(Ordering::Acquire) {
        let began = Instant::now();
        assert_eq!(request(times.len() as u64).await, StatusCode::OK);
        times.push(began.elapsed());
        tokio::time::sleep(pause).await;
    }
    times
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "load"]
async fn a_key_with_100_000_events_is_blocked_while_the_site_is_served() {
    let server = Arc::new(filled());
    let (forger, writer) = (server.key("forger"), server.key("writer"));
    let count = env_or("APOGEE_PURGED_EVENTS", 100_000) as usize;
    let at = now() - 20 * DAY;
    for from in (0..count).step_by(BATCH) {
        server.take(&forger, &invented(from, at)).await;
    }
    let top = async || {
        let board = server.read("/api/players/leaderboard?sortBy=pve_kills&limit=100").await;
        board["players"].as_array().unwrap().iter().filter(|row| row["handle"].to_string().contains("Forged")).count()
    };
    assert!(top().await > 0, "invented kills lead the board");
    let key_id = server.database.number("SELECT id FROM ingest_keys WHERE name = 'forger'").to_string();
    let is_over = Arc::new(AtomicBool::new(false));
    let (reading, writing) = {
        let (reader, sender) = (Arc::clone(&server), Arc::clone(&server));
        let (read_over, write_over) = (Arc::clone(&is_over), Arc::clone(&is_over));
        let read = async move |n: u64| {
            reader.get(&format!("/api/players/leaderboard?page={}&limit=50", n % 20 + 1)).await.status
        };
        let write = async move |n: u64| {
            let event = kill(&format!("Honest-{n}"), NPC).pu().at(now() - DAY + n as i64).json();
            sender.try_send(&writer, &[event]).await.status
        };
        (
            tokio::spawn(async move { repeat(&read_over, Duration::from_millis(2), read).await }),
            tokio::spawn(async move { repeat(&write_over, Duration::from_millis(10), write).await }),
        )
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    let began = Instant::now();
    let blocking = Arc::clone(&server);
    let block = move || blocking.command(&["moderate", "block", "--key", &key_id, "--reason", "invented"]);
    tokio::task::spawn_blocking(block).await.unwrap();
    let took = began.elapsed();
    assert_eq!(top().await, 0, "the board is right at once");
    is_over.store(true, Ordering::Release);
    let (boards, writes) = (Times::of(reading.await.unwrap()), Times::of(writing.await.unwrap()));
    println!(
        "{count} events of one key blocked in {took:?}\n  boards meanwhile: {boards}\n  single events meanwhile: {writes}"
    );
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events WHERE state = 8"), count as i64);
    assert!(boards.at(0.99) <= Duration::from_millis(150), "boards: {boards}");
    assert!(writes.at(1.0) <= Duration::from_millis(250), "the writer was blocked: {writes}");
}

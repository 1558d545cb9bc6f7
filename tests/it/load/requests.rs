//! Load on the whole program: `make daily` runs these tests on the release binary.
//!
//! `APOGEE_SOAK_SECS` sets the duration of each part (default 20 s), `APOGEE_PLAYERS` and `APOGEE_EVENTS` the amount of data, and
//! `APOGEE_SOAK_DATA` names a data directory to copy instead of filling a new one.
//! The load generator runs on the same machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use crate::faults::env_or;
use crate::support::*;

/// Response times in ascending order.
pub struct Times(Vec<Duration>);

impl Times {
    pub fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    pub fn at(&self, share: f64) -> Duration {
        let place = (self.0.len() as f64 * share) as usize;
        self.0[place.min(self.0.len() - 1)]
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} answers, p50 {:?}, p95 {:?}, p99 {:?}, worst {:?}",
            self.0.len(),
            self.at(0.5),
            self.at(0.95),
            self.at(0.99),
            self.at(1.0)
        )
    }
}

/// A running site with demo data.
pub fn filled() -> Server {
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    match std::env::var("APOGEE_SOAK_DATA") {
        Ok(former) => crate::faults::run("cp", &["-a", &format!("{former}/."), server.data_dir().to_str().unwrap()]),
        Err(_) => fill(&server),
    }
    let began = Instant::now();
    server.run();
    let took = began.elapsed();
    let count = |table| server.database.number(&format!("SELECT COUNT(*) FROM {table}"));
    println!("ready {took:?} after the start, {} players, {} events", count("players"), count("events"));
    server
}

fn fill(server: &Server) {
    let (players, events) = (env_or("APOGEE_PLAYERS", 10_000), env_or("APOGEE_EVENTS", 100_000));
    server.command(&["demo", "--players", &players.to_string(), "--guilds", "500", "--events", &events.to_string()]);
}

fn batch(sender: u64, number: u64, count: u64) -> Vec<serde_json::Value> {
    let from = now() - 20 * DAY;
    let event = |n: u64| {
        let place = number * count + n;
        let event = kill(&format!("Load-{sender}-{}", place % 400), NPC).pu().at(from + place as i64 * 7);
        event.id(&format!("{sender}-{place}")).json()
    };
    (0..count).map(event).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "load"]
async fn t03_maximum_ingest_rate() {
    let server = Arc::new(filled());
    let key = server.key("reader");
    let secs = env_or("APOGEE_SOAK_SECS", 20);
    let taken = Arc::new(AtomicU64::new(0));
    let mut sending = tokio::task::JoinSet::new();
    let began = Instant::now();
    for sender in 0..4 {
        let (server, key, taken) = (Arc::clone(&server), key.clone(), Arc::clone(&taken));
        sending.spawn(async move {
            let mut times = Vec::new();
            for number in 0.. {
                if began.elapsed().as_secs() >= secs {
                    break;
                }
                let events = batch(sender, number, 500);
                let sent = Instant::now();
                let response = server.try_send(&key, &events).await;
                times.push(sent.elapsed());
                assert_eq!(response.status, StatusCode::OK, "{}", response.text());
                taken.fetch_add(500, Ordering::Relaxed);
            }
            times
        });
    }
    let mut reads = Vec::new();
    while began.elapsed().as_secs() < secs {
        let sent = Instant::now();
        let request = server.request(Method::GET, "/api/players/leaderboard");
        assert_eq!(server.execute(request).await.status, StatusCode::OK);
        reads.push(sent.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let acks = Times::of(sending.join_all().await.into_iter().flatten().collect());
    let rate = taken.load(Ordering::Relaxed) / secs;
    println!(
        "T03: {rate} events a second in batches of 500 for {secs} s: {acks}; boards meanwhile: {}",
        Times::of(reads)
    );
}

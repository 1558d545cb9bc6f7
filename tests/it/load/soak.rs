//! T04 and T56: thousands of live streams for a long time, and mixed load with faults; `make daily` runs both.
//!
//! `APOGEE_SOAK_SECS` sets the duration (default 20 s), `APOGEE_STREAMS` the number of streams.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use memchr::memmem;
use reqwest::{Client, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use crate::faults::env_or;
use crate::support::*;

const SUBSCRIBE: &[u8] = b"GET /api/live?topics=activity HTTP/1.1\r\nHost: x\r\n\r\n";
const MESSAGE: &[u8] = b"event: activity";

/// Messages received by all streams. One thread serves all of them.
#[derive(Default)]
struct Seen {
    /// When each event was sent, in order.
    sent: Vec<Instant>,
    /// The number of messages by latency in milliseconds; the last element counts all longer ones.
    took: Vec<u64>,
    ready: u64,
    ended: u64,
}

impl Seen {
    fn note(&mut self, number: usize) {
        let took = self.sent.get(number).map_or(0, |at| at.elapsed().as_millis() as usize);
        let place = took.min(self.took.len() - 1);
        self.took[place] += 1;
    }

    /// The latency that this share of messages did not exceed, in milliseconds.
    fn at(&self, share: f64) -> usize {
        let wanted = (self.took.iter().sum::<u64>() as f64 * share) as u64;
        let mut sum = 0;
        self.took.iter().position(|count| (sum += count, sum >= wanted).1).unwrap_or(self.took.len())
    }
}

/// Reads a stream until it ends. Searches bytes, because the client shares the processor with the server.
async fn read(address: String, seen: Rc<RefCell<Seen>>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(SUBSCRIBE).await.unwrap();
    let (mut rest, mut count) = (Vec::with_capacity(4_096), 0);
    loop {
        if stream.read_buf(&mut rest).await.unwrap_or(0) == 0 {
            seen.borrow_mut().ended += 1;
            return;
        }
        let mut from = 0;
        while let Some(length) = memmem::find(&rest[from..], b"\n\n") {
            let block = &rest[from..from + length];
            if memmem::find(block, b"retry: ").is_some() {
                seen.borrow_mut().ready += 1;
            }
            if memmem::find(block, MESSAGE).is_some() {
                seen.borrow_mut().note(count);
                count += 1;
            }
            from += length + 2;
        }
        rest.drain(..from);
    }
}

#[test]
#[ignore = "load"]
fn t04_thousands_of_streams_receive_ten_events_a_second() {
    let (count, secs) = (env_or("APOGEE_STREAMS", 10_000), env_or("APOGEE_SOAK_SECS", 20));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(LocalSet::new().run_until(async {
        let server = Server::process(Backend::Sqlite).await;
        let key = server.key("reader");
        let address = server.address.strip_prefix("http://").unwrap().to_owned();
        let seen = Rc::new(RefCell::new(Seen { took: vec![0; 5_000], ..Seen::default() }));
        let before = server.memory_mib();
        for n in 0..count {
            tokio::task::spawn_local(read(address.clone(), Rc::clone(&seen)));
            // Limits the number of pending connections.
            while n - seen.borrow().ready.min(n) > 200 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        eventually("all streams", async || seen.borrow().ready == count).await;
        let open = server.memory_mib();
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        let (began, mut sent) = (Instant::now(), 0);
        while began.elapsed().as_secs() < secs {
            ticks.tick().await;
            seen.borrow_mut().sent.push(Instant::now());
            let event = kill("Ann-1", NPC).pu().at(now() - 20 * DAY + sent * 7_000).id(&format!("t04-{sent}"));
            server.take(&key, &[event.json()]).await;
            sent += 1;
        }
        let all = sent as u64 * count;
        eventually("the last message", async || seen.borrow().took.iter().sum::<u64>() == all).await;
        let seen = seen.borrow();
        println!(
            "T04: {count} streams, {sent} events in {secs} s, all {all} messages came: p50 {} ms, p95 {} ms, p99 {} ms; \
             memory {before} MiB, {open} with the streams, {} at the end; {} streams ended",
            seen.at(0.5),
            seen.at(0.95),
            seen.at(0.99),
            server.memory_mib(),
            seen.ended
        );
        assert_eq!(seen.ended, 0);
        assert!(sent as u64 >= secs * 9, "{sent} events in {secs} s");
    }));
}

/// Counters shared by all clients of the fault test.
#[derive(Default)]
struct Tally {
    is_over: AtomicBool,
    /// A fault is active, or was a moment ago.
    is_fault: AtomicBool,
    answered: AtomicU64,
    refused_in_faults: AtomicU64,
    acknowledged: AtomicU64,
}

impl Tally {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Records a response. `None` means that the connection was closed without one.
    fn note(&self, status: Option<StatusCode>, what: &str) -> bool {
        if status == Some(StatusCode::OK) {
            self.answered.fetch_add(1, Ordering::Relaxed);
            return true;
        }
        let may_retry = status.is_none_or(|status| status == StatusCode::SERVICE_UNAVAILABLE);
        assert!(may_retry && self.is_fault.load(Ordering::Relaxed), "{what}: {status:?} without a fault");
        self.refused_in_faults.fetch_add(1, Ordering::Relaxed);
        false
    }
}

/// A visitor that opens 30 pages per second.
async fn look(client: Client, address: String, tally: Arc<Tally>) {
    let paths = ["/api/player/Soak-1", "/api/players/leaderboard", "/api/activity", "/api/search/fast?q=soak"];
    let mut ticks = tokio::time::interval(Duration::from_millis(33));
    for n in 0.. {
        ticks.tick().await;
        if tally.is_over() {
            return;
        }
        let path = paths[n % paths.len()];
        let status = client.get(format!("{address}{path}")).send().await.ok().map(|response| response.status());
        tally.note(status, path);
    }
}

/// Sends 500 events twice a second, and repeats rejected batches until they are accepted.
async fn fight(client: Client, address: String, key: String, tally: Arc<Tally>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(500));
    let mut number = 0;
    while !tally.is_over() {
        ticks.tick().await;
        let event = |n: i64| {
            let place = number * 500 + n;
            kill(&format!("Soak-{}", place % 50), NPC)
                .pu()
                .at(now() - 20 * DAY + place * 7)
                .id(&format!("soak-{place}"))
                .json()
        };
        let body = serde_json::json!({ "events": (0..500).map(event).collect::<Vec<_>>() });
        let request = client.post(format!("{address}/api/ingest/events")).bearer_auth(&key).json(&body);
        let status = request.send().await.ok().map(|response| response.status());
        if tally.note(status, "a batch") {
            tally.acknowledged.fetch_add(500, Ordering::Relaxed);
            number += 1;
        }
    }
}

/// Locks the database, as another program could.
fn lock_for(server: &Server, held: Duration) {
    use diesel::connection::SimpleConnection;
    use diesel::prelude::*;
    let path = server.database.url.strip_prefix("sqlite:").unwrap();
    let mut other = SqliteConnection::establish(path).unwrap();
    other.batch_execute("PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE").unwrap();
    std::thread::sleep(held);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "load"]
async fn t56_mixed_load_with_faults() {
    const ROUNDS: u64 = 6;
    let secs = env_or("APOGEE_SOAK_SECS", 60);
    let mut server = Server::process(Backend::Sqlite).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Soak-1", 5, now() - 30 * DAY)).await;
    let (tally, address) = (Arc::new(Tally::default()), server.address.clone());
    let mut busy = tokio::task::JoinSet::new();
    for _ in 0..10 {
        busy.spawn(look(server.client.clone(), address.clone(), Arc::clone(&tally)));
    }
    busy.spawn(fight(server.client.clone(), address.clone(), key, Arc::clone(&tally)));
    let log = server.data_dir().join("apogee.db-wal");
    let log = || std::fs::metadata(&log).map_or(0, |meta| meta.len() >> 20);
    let mut states = Vec::new();
    for round in 0..ROUNDS {
        tokio::time::sleep(Duration::from_secs(secs / ROUNDS)).await;
        states.push((server.memory_mib(), server.open_files(), log()));
        tally.is_fault.store(true, Ordering::Relaxed);
        if round % 2 == 0 {
            server.kill();
            let listen = address.strip_prefix("http://").unwrap();
            server.run_at(listen);
        } else {
            lock_for(&server, Duration::from_secs(8));
        }
        // Everything requested during the fault has been answered.
        tokio::time::sleep(Duration::from_secs(8)).await;
        tally.is_fault.store(false, Ordering::Relaxed);
    }
    tally.is_over.store(true, Ordering::Relaxed);
    while let Some(one) = busy.join_next().await {
        one.unwrap();
    }
    let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let acknowledged = read(&tally.acknowledged);
    println!(
        "T56: {} answers and {acknowledged} events in {secs} s with {ROUNDS} faults, {} refused in them; \
         memory, files and log (MiB) before each: {states:?}",
        read(&tally.answered),
        read(&tally.refused_in_faults)
    );
    let stored = server.database.number("SELECT COUNT(*) FROM events WHERE event_id LIKE 'soak-%'");
    let distinct = server.database.number("SELECT COUNT(DISTINCT event_id) FROM events WHERE event_id LIKE 'soak-%'");
    assert_eq!(stored, distinct);
    assert!(stored as u64 >= acknowledged, "{stored} stored of {acknowledged}");
    assert_eq!(server.database.words("SELECT integrity_check AS value FROM pragma_integrity_check"), ["ok"]);
}

//! Events per second into an empty database, with ranks, search and live feed, compared with plain batched inserts.
//!
//! Run with `cargo bench --bench ingest`; with `APOGEE_BENCH_PG=postgres://…` (an empty database) on PostgreSQL too.
//! `APOGEE_BENCH_EVENTS` sets the number of events per figure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use apogee::config::{Flags, Settings};
use apogee::demo::Universe;
use apogee::domain::events::Event;
use apogee::domain::times::EpochMillis;
use apogee::domain::trust::{Reporter, Scope};
use apogee::features::bootstrap;
use apogee::features::ingest::accept;
use apogee::features::keys::{self, KeyOwner};
use diesel::connection::SimpleConnection;
use diesel::{Connection, RunQueryDsl};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let count = std::env::var("APOGEE_BENCH_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000);
        let events = events(count);
        println!("{} events of 10,000 players\n", events.len());
        println!(
            "{:<34} {:>10} {:>9} {:>9} {:>9} {:>10}",
            "", "events/s", "ack p50", "ack p99", "writers", "bytes/event"
        );
        ceiling(&events, 500);
        for (batch, writers) in [(1, 1), (1, 64), (100, 4), (500, 4), (1_000, 4)] {
            let share = if batch == 1 { events.len() / 10 } else { events.len() };
            sqlite(&events[..share], batch, writers, Sender::Operator).await;
        }
        sqlite(&events, 500, 4, Sender::Account).await;
        match std::env::var("APOGEE_BENCH_PG") {
            Ok(url) => {
                for (batch, writers) in [(1, 1), (1, 8), (100, 4), (500, 4), (1_000, 4)] {
                    let share = if batch == 1 { events.len() / 20 } else { events.len() };
                    postgres(&url, &events[..share], batch, writers, Sender::Operator).await;
                }
                postgres(&url, &events, 500, 4, Sender::Account).await;
            }
            Err(_) => println!("PostgreSQL is not measured: APOGEE_BENCH_PG is not set"),
        }
    });
}

/// Whose key uploads the events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    Operator,
    Account,
}

fn events(count: u64) -> Vec<String> {
    let now = EpochMillis::now();
    let universe = Universe::new(11, 10_000, 400, count, now);
    universe.events().map(|event: Event| serde_json::to_string(&event).expect("an event is JSON")).collect()
}

/// Inserts of rows with the same indexes on the same machine, one transaction per batch.
fn ceiling(events: &[String], batch: usize) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut conn =
        diesel::SqliteConnection::establish(&dir.path().join("x.db").display().to_string()).expect("a database");
    conn.batch_execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE e (id INTEGER PRIMARY KEY, identity BLOB NOT NULL UNIQUE, \
         at BIGINT NOT NULL, killer BIGINT, text TEXT NOT NULL); CREATE INDEX e_at ON e (at, id); CREATE INDEX e_killer ON e (killer, at);",
    )
    .expect("tables");
    let began = Instant::now();
    for (turn, chunk) in events.chunks(batch).enumerate() {
        conn.transaction::<_, diesel::result::Error, _>(|conn| {
            for (n, event) in chunk.iter().enumerate() {
                let number = (turn * batch + n) as i64;
                let identity = number.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64).to_le_bytes().to_vec();
                diesel::sql_query("INSERT INTO e (identity, at, killer, text) VALUES ($1, $2, $3, $4)")
                    .bind::<diesel::sql_types::Binary, _>(identity)
                    .bind::<diesel::sql_types::BigInt, _>(number)
                    .bind::<diesel::sql_types::BigInt, _>(number % 10_000)
                    .bind::<diesel::sql_types::Text, _>(event)
                    .execute(conn)?;
            }
            Ok(())
        })
        .expect("inserts");
    }
    let rate = events.len() as f64 / began.elapsed().as_secs_f64();
    println!("{:<34} {rate:>10.0}", format!("plain SQLite inserts, {batch} a batch"));
}

async fn sqlite(events: &[String], batch: usize, writers: usize, sender: Sender) {
    let dir = tempfile::tempdir().expect("a directory");
    let url = format!("sqlite:{}", dir.path().join("apogee.db").display());
    let size = measure(&url, dir.path(), events, batch, writers, sender, "SQLite").await;
    let bytes = std::fs::metadata(dir.path().join("apogee.db")).map_or(0, |m| m.len());
    println!(" {:>10}", bytes / size.max(1) as u64);
}

async fn postgres(url: &str, events: &[String], batch: usize, writers: usize, sender: Sender) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut conn = diesel::PgConnection::establish(url).expect("the Postgres of APOGEE_BENCH_PG");
    conn.batch_execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public").expect("an empty database");
    let size = measure(url, dir.path(), events, batch, writers, sender, "Postgres").await;
    #[derive(diesel::QueryableByName)]
    struct Size {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        bytes: i64,
    }
    let found: Size = diesel::sql_query("SELECT pg_database_size(current_database()) AS bytes")
        .get_result(&mut conn)
        .expect("a size");
    println!(" {:>10}", found.bytes / size.max(1) as i64);
}

async fn measure(
    url: &str,
    dir: &std::path::Path,
    events: &[String],
    batch: usize,
    writers: usize,
    sender: Sender,
    name: &str,
) -> usize {
    let flags = Flags::default().with("data-dir", dir.display().to_string()).with("database-url", url);
    let settings = Settings::load(&flags).expect("settings");
    let opened = tokio::task::spawn_blocking(move || bootstrap::open(settings, String::new()));
    let app = Arc::new(opened.await.expect("a thread").expect("an app"));
    let (key_id, _) = keys::create(&app.store, "bench", KeyOwner::Operator).await.expect("a key");
    let scope = if sender == Sender::Account { Scope::Account(1) } else { Scope::Operator };
    let reporter = Reporter { key_id, scope };
    let bodies: Vec<bytes::Bytes> =
        events.chunks(batch).map(|chunk| bytes::Bytes::from(format!("{{\"events\":[{}]}}", chunk.join(",")))).collect();
    let bodies = Arc::new(bodies);
    let next = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let began = Instant::now();
    let mut tasks = Vec::new();
    for _ in 0..writers {
        let (app, bodies, next) = (Arc::clone(&app), Arc::clone(&bodies), Arc::clone(&next));
        tasks.push(tokio::spawn(async move {
            let mut acks: Vec<Duration> = Vec::new();
            while let Some(body) = bodies.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                let sent = Instant::now();
                accept(&app, reporter, None, body.clone(), None).await.expect("an accepted batch");
                acks.push(sent.elapsed());
            }
            acks
        }));
    }
    let mut acks = Vec::new();
    for task in tasks {
        acks.extend(task.await.expect("a writer"));
    }
    let rate = events.len() as f64 / began.elapsed().as_secs_f64();
    acks.sort();
    let at = |share: f64| acks[((acks.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    print!(
        "{:<34} {rate:>10.0} {:>6.1} ms {:>6.1} ms {writers:>9}",
        format!("{name}, {batch} a batch{}", if sender == Sender::Account { ", account key" } else { "" }),
        at(0.5),
        at(0.99)
    );
    events.len()
}

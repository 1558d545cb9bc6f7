//! Events per second into an empty database, with ranks, search and live feed, compared with plain batched inserts.
//!
//! Run with `cargo bench --bench ingest`; with `APOGEE_BENCH_PG=postgres://…` (an empty database) on PostgreSQL too.
//! `APOGEE_BENCH_EVENTS` sets the number of events per figure, `APOGEE_BENCH_BATCH` selects one size of batches, and
//! `APOGEE_BENCH_STORED` is the number of events that are stored before. The processor time, of all threads per event, depends least on
//! what else the machine does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use apogee::app::App;
use apogee::config::{Flags, Settings};
use apogee::demo::Universe;
use apogee::domain::clock;
use apogee::domain::events::{Event, GameMode, Identifier};
use apogee::domain::log_header::LogHeader;
use apogee::domain::times::EpochMillis;
use apogee::domain::trust::{Account, Reporter};
use apogee::error::AppError;
use apogee::features::bootstrap;
use apogee::features::ingest::accept;
use apogee::features::keys::{self, KeyOwner};
use apogee::http::event_batch;
use apogee::store::players::{self, NewPlayer};
use apogee::store::users::{self, NewUser};
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
            "{:<34} {:>10} {:>9} {:>9} {:>9} {:>9} {:>11}",
            "", "events/s", "ack p50", "ack p99", "writers", "processor", "bytes/event"
        );
        let only: Option<usize> = std::env::var("APOGEE_BENCH_BATCH").ok().and_then(|n| n.parse().ok());
        let is_selected = |batch: usize| only.is_none_or(|only| only == batch);
        ceiling(&events, 500);
        for (batch, writers) in [(1, 1), (1, 64), (100, 4), (500, 4), (1_000, 4)] {
            if !is_selected(batch) {
                continue;
            }
            let share = if batch == 1 { events.len() / 10 } else { events.len() };
            sqlite(&events[..share], batch, writers, Sender::Operator).await;
        }
        if is_selected(500) {
            sqlite(&own_events(count), 500, 4, Sender::Account).await;
        }
        match std::env::var("APOGEE_BENCH_PG") {
            Ok(url) => {
                for (batch, writers) in [(1, 1), (1, 8), (100, 4), (500, 4), (1_000, 4)] {
                    if !is_selected(batch) {
                        continue;
                    }
                    let share = if batch == 1 { events.len() / 20 } else { events.len() };
                    postgres(&url, &events[..share], batch, writers).await;
                }
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

/// Stores other events of as many players.
async fn store_events(app: &Arc<App>, key_id: i64, count: u64) {
    let universe = Universe::new(12, 10_000, 400, count, clock::now());
    let mut events = universe.events().peekable();
    while events.peek().is_some() {
        let batch = events.by_ref().take(1_000).map(Ok).collect();
        accept(app, Reporter::operator(key_id), None, batch).await.expect("an accepted batch");
    }
}

fn events(count: u64) -> Vec<String> {
    let now = clock::now();
    let universe = Universe::new(11, 10_000, 400, count, now);
    universe.events().map(|event: Event| serde_json::to_string(&event).expect("an event is JSON")).collect()
}

/// The number of events that each account sends: one batch from one log.
const EVENTS_OF_ACCOUNT: usize = 500;

fn handle_of(account: usize) -> String {
    format!("Bench-{account}")
}

/// Events of accounts that own their logs, within the limits: seats, kills of NPCs and of each other, and contracts.
fn own_events(count: u64) -> Vec<String> {
    let now = clock::now();
    let accounts = (count as usize).div_ceil(EVENTS_OF_ACCOUNT);
    let event = |account: usize, n: usize| {
        let day = (account % 25 + 1) as i64 * 86_400_000;
        let at = EpochMillis(now.0 - day + n as i64 * 20_000 + account as i64);
        let (own, entity) = (handle_of(account), account * EVENTS_OF_ACCOUNT + n + 1_000_000_000_000);
        let fight = |victim: String| Event {
            killer: Some(own.clone()),
            victim: Some(victim),
            weapon: Some(format!("behr_rifle_ballistic_01_{entity}")),
            ..Event::new(Identifier::Kill, at)
        };
        let personal = |identifier| Event { player_name: Some(own.clone()), ..Event::new(identifier, at) };
        let event = match n % 10 {
            _ if n == 0 => personal(Identifier::Login),
            1 | 5 => fight(format!("PU_Human_Enemy_GroundCombat_NPC_grunt_{entity}")),
            3 => fight(handle_of((account + n) % accounts)),
            7 => Event {
                contract_id: Some(format!("8f4ba5a6-3a5e-4a5b-9f4e-{entity:012x}")),
                contract_name: Some("HaulCargo_AToB_RawOre_Iron_Stanton1_SupplyGrade".to_owned()),
                ..personal(Identifier::MissionComplete)
            },
            odd if odd % 2 == 0 => {
                Event { vehicle_name: Some(format!("AEGS_Gladius_{entity}")), ..personal(Identifier::SeatEntered) }
            }
            _ => Event { vehicle_name: Some(format!("AEGS_Gladius_{entity}")), ..personal(Identifier::SeatExited) },
        };
        Event {
            event_id: Some(format!("{account}:{n}")),
            game_mode: Some(GameMode::Pu),
            patch: Some("4.3.2".into()),
            ..event
        }
    };
    let all = (0..accounts).flat_map(|account| (0..EVENTS_OF_ACCOUNT).map(move |n| (account, n)));
    all.map(|(account, n)| serde_json::to_string(&event(account, n)).expect("an event is JSON")).collect()
}

/// An account that has claimed its player, and the log that it sends.
async fn add_account(app: &App, account: usize) -> (Reporter, Option<LogHeader>) {
    let handle = handle_of(account);
    let (name, now) = (handle.clone(), clock::now().0);
    let user_id = app
        .store
        .write(move |tx| {
            let new = NewUser {
                discord_id: (account + 1).to_string(),
                discord_username: name.clone(),
                discord_global_name: None,
                discord_avatar: None,
                discord_discriminator: None,
                discord_email: None,
                at: now,
            };
            let user_id = users::upsert(tx, &new)?.id;
            let player = NewPlayer {
                handle: name.clone(),
                handle_folded: name.to_lowercase(),
                player_name: name.clone(),
                player_geid: None,
                guild_id: None,
                created_at: now,
                is_listed: true,
            };
            let player_id = players::insert_missing(tx, &[player])?.first().map(|player| player.id);
            users::set_player(tx, user_id, player_id)?;
            Ok::<_, AppError>(user_id)
        })
        .await
        .expect("an account");
    let (key_id, _) = keys::create(&app.store, "bench", KeyOwner::User(user_id)).await.expect("a key");
    let log =
        format!("id=log-{account}, handle={handle}, branch=sc-alpha-4.3.2, channel=LIVE, first=1, last=9999999999999");
    let reporter = Reporter { key_id, account: Account::User(user_id) };
    (reporter, Some(LogHeader::parse(&log).expect("a header")))
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
    println!(" {:>11}", bytes / size.max(1) as u64);
}

async fn postgres(url: &str, events: &[String], batch: usize, writers: usize) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut conn = diesel::PgConnection::establish(url).expect("the Postgres of APOGEE_BENCH_PG");
    conn.batch_execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public").expect("an empty database");
    let size = measure(url, dir.path(), events, batch, writers, Sender::Operator, "Postgres").await;
    #[derive(diesel::QueryableByName)]
    struct Size {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        bytes: i64,
    }
    let found: Size = diesel::sql_query("SELECT pg_database_size(current_database()) AS bytes")
        .get_result(&mut conn)
        .expect("a size");
    println!(" {:>11}", found.bytes / size.max(1) as i64);
}

/// Processor time of this process so far; zero where there is no `/proc`. See proc_pid_stat(5).
fn processor_time() -> Duration {
    const TICKS_PER_SECOND: u64 = 100;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = after_name.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND)
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
    if let Some(stored) = std::env::var("APOGEE_BENCH_STORED").ok().and_then(|n| n.parse().ok()) {
        store_events(&app, key_id, stored).await;
    }
    let mut uploads = Vec::new();
    for (account, chunk) in events.chunks(batch).enumerate() {
        let body = bytes::Bytes::from(format!("{{\"events\":[{}]}}", chunk.join(",")));
        let (reporter, log) = match sender {
            Sender::Operator => (Reporter::operator(key_id), None),
            Sender::Account => add_account(&app, account).await,
        };
        uploads.push((reporter, log, body));
    }
    let uploads = Arc::new(uploads);
    let next = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let (began, processor) = (Instant::now(), processor_time());
    let mut tasks = Vec::new();
    for _ in 0..writers {
        let (app, uploads, next) = (Arc::clone(&app), Arc::clone(&uploads), Arc::clone(&next));
        tasks.push(tokio::spawn(async move {
            let mut acks: Vec<Duration> = Vec::new();
            while let Some(upload) = uploads.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                let (reporter, log, body) = upload.clone();
                let sent = Instant::now();
                let parsed = event_batch::parse(&body, None).expect("a batch");
                let answer = accept(&app, reporter, log, parsed).await.expect("an accepted batch");
                assert!(answer.rejected.is_empty(), "every event counts");
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
    let processor = (processor_time() - processor).as_secs_f64() * 1e6 / events.len() as f64;
    acks.sort();
    let at = |share: f64| acks[((acks.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    print!(
        "{:<34} {rate:>10.0} {:>6.1} ms {:>6.1} ms {writers:>9} {processor:>6.1} µs",
        format!("{name}, {batch} a batch{}", if sender == Sender::Account { ", account key" } else { "" }),
        at(0.5),
        at(0.99)
    );
    events.len()
}

//! Open leaderboards: the time from the commit of an event until every open page has its row, and the requests that open
//! leaderboards cause.
//!
//! Run with `make bench-live` or `cargo bench --bench boards`. `APOGEE_BENCH_BOARDS` (2,000), `APOGEE_BENCH_EVENTS` (100 a second)
//! and `APOGEE_BENCH_SECONDS` (30) set the size. Each client subscribes to the topics of the players' page. Ten times a second a
//! batch of kills arrives: one by the leader, which every client waits for, the others by one of the best thousand players. Client
//! and server share the machine.

mod streams;

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use memchr::memmem;
use rand::{Rng, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

const TOPICS: &str = "counts,board:players:overall,board:players:pu_player_kills&heartbeat=event";
const BATCHES_A_SECOND: u64 = 10;
/// Upper limit of an event name, and of the text after a name in a row.
const TAIL: usize = 1 << 10;

fn main() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let boards = number("APOGEE_BENCH_BOARDS", 2_000) as usize;
    let (events, seconds) = (number("APOGEE_BENCH_EVENTS", 100), number("APOGEE_BENCH_SECONDS", 30));
    let dir = tempfile::tempdir().expect("a directory");
    let demo = ["demo", "--players", "20000", "--guilds", "300", "--events", "200000"];
    let filled = streams::program(dir.path()).args(demo).output();
    assert!(filled.expect("the program").status.success(), "the universe");
    let (mut site, address, key) = streams::start(dir.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(LocalSet::new().run_until(measure(address, &key, boards, events, seconds)));
    let _ = site.kill();
    let _ = site.wait();
}

/// Sends one request on a new connection.
async fn call(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(request.as_bytes()).await.expect("a sent request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.starts_with("HTTP/1.1 2"), "{answer}");
    answer
}

async fn get(address: SocketAddr, path: &str) -> String {
    let answer = call(address, &format!("GET {path} HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\r\n")).await;
    answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
}

/// Number of page requests that the server has answered.
async fn page_requests(address: SocketAddr) -> f64 {
    let figures = get(address, "/metrics").await;
    let lines = figures.lines().filter(|line| line.starts_with("apogee_requests_total"));
    lines
        .filter(|line| line.contains("class=\"read\""))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        .sum()
}

/// The leader, the leader's score, and the best thousand handles.
async fn best(address: SocketAddr) -> (String, u64, Vec<String>) {
    let mut handles = Vec::new();
    let mut score = 0;
    for page in 1..=10 {
        let body = get(address, &format!("/api/players/leaderboard?limit=100&page={page}")).await;
        let json: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        let rows = json["players"].as_array().expect("rows");
        if page == 1 {
            score = rows[0]["overall"].as_u64().expect("a score");
        }
        handles.extend(rows.iter().map(|row| row["handle"].as_str().expect("a handle").to_owned()));
    }
    (handles[0].clone(), score, handles)
}

/// The leader's kills that the clients have received.
struct Seen {
    /// The text before the leader's score in a row.
    name: Vec<u8>,
    first_score: u64,
    /// When each kill of the leader was acknowledged.
    committed: RefCell<Vec<Instant>>,
    /// The number of these kills that each client has received, and each delay.
    seen: RefCell<Vec<usize>>,
    took: RefCell<Vec<f64>>,
    ready: Cell<usize>,
    bytes: Cell<usize>,
    /// Number of messages after which a page loads again.
    resets: Cell<usize>,
}

impl Seen {
    fn look(&self, reader: usize, text: &[u8]) {
        self.resets.set(self.resets.get() + memmem::find_iter(text, b"event: reset").count());
        let Some(score) = memmem::rfind_iter(text, &self.name).find_map(|at| score_after(&text[at..])) else { return };
        let committed = self.committed.borrow();
        let shown = usize::try_from(score.saturating_sub(self.first_score)).expect("a few").min(committed.len());
        let mut seen = self.seen.borrow_mut();
        for at in seen[reader]..shown {
            self.took.borrow_mut().push(committed[at].elapsed().as_secs_f64() * 1e3);
        }
        seen[reader] = seen[reader].max(shown);
    }
}

fn score_after(row: &[u8]) -> Option<u64> {
    let from = memmem::find(&row[..row.len().min(TAIL)], b"\"overall\":")? + 10;
    let digits = row[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    // A text that is cut off in the middle is repeated with the next part.
    (from + digits < row.len()).then(|| std::str::from_utf8(&row[from..from + digits]).ok()?.parse().ok()).flatten()
}

async fn read(address: SocketAddr, number: usize, seen: Rc<Seen>) {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!("GET /api/live?topics={TOPICS} HTTP/1.1\r\nhost: bench\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("a sent request");
    let look = |all: &[u8], length: usize| {
        seen.bytes.set(seen.bytes.get() + length);
        seen.look(number, all);
    };
    streams::read(&stream, TAIL, || seen.ready.set(seen.ready.get() + 1), look).await;
    panic!("the server ended a stream");
}

async fn measure(address: SocketAddr, key: &str, boards: usize, events: u64, seconds: u64) {
    let (leader, score, handles) = best(address).await;
    let seen = Rc::new(Seen {
        name: format!("\"handle\":\"{leader}\"").into_bytes(),
        first_score: score,
        committed: RefCell::default(),
        seen: RefCell::new(vec![0; boards]),
        took: RefCell::default(),
        ready: Cell::new(0),
        bytes: Cell::new(0),
        resets: Cell::new(0),
    });
    let readers: Vec<_> =
        (0..boards).map(|number| tokio::task::spawn_local(read(address, number, Rc::clone(&seen)))).collect();
    while seen.ready.get() < boards {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (before, bytes, began) = (page_requests(address).await, seen.bytes.get(), Instant::now());
    publish(address, key, &leader, &handles, &seen, (events, seconds)).await;
    let all = seen.committed.borrow().len();
    let end = Instant::now() + Duration::from_secs(10);
    while seen.seen.borrow().iter().any(|count| *count < all) {
        assert!(Instant::now() < end, "not every client received the last of {all}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let took_all = began.elapsed().as_secs_f64();
    let requests = page_requests(address).await - before;
    let sent = (seen.bytes.get() - bytes) as f64 / took_all / boards as f64 / 1e3;
    readers.iter().for_each(|reader| reader.abort());
    let mut took = seen.took.borrow().clone();
    took.sort_by(f64::total_cmp);
    let at = |part: f64| took[((took.len() - 1) as f64 * part) as usize];
    println!("{boards} open boards, {events} events a second for {seconds} s; from commit to row (ms)");
    println!("{:>8} {:>8} {:>8} {:>12} {:>8} {:>14}", "p50", "p99", "last", "requests/s", "resets", "KB/s a board");
    println!(
        "{:>8.0} {:>8.0} {:>8.0} {:>12.1} {:>8} {:>14.1}",
        at(0.5),
        at(0.99),
        at(1.0),
        requests / took_all,
        seen.resets.get(),
        sent
    );
}

async fn publish(
    address: SocketAddr,
    key: &str,
    leader: &str,
    handles: &[String],
    seen: &Seen,
    (events, seconds): (u64, u64),
) {
    let mut chance = rand::rngs::StdRng::seed_from_u64(1);
    let mut ticks = tokio::time::interval(Duration::from_millis(1_000 / BATCHES_A_SECOND));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock after 1970");
    let from = now.as_millis() as u64 - 86_400_000;
    for batch in 0..seconds * BATCHES_A_SECOND {
        ticks.tick().await;
        let list: Vec<String> = (0..events / BATCHES_A_SECOND)
            .map(|n| {
                let killer = if n == 0 { leader } else { &handles[chance.random_range(1..handles.len())] };
                let at = from + (batch * events + n) * 7;
                format!(
                    r#"{{"identifier":"kill","event_id":"{batch}-{n}","event_time":{at},"game_mode":"PU","killer":"{killer}","victim":"NPC_Bench_{n}","victim_is_npc":true,"weapon":"behr_rifle_ballistic_01"}}"#
                )
            })
            .collect();
        let body = format!(r#"{{"events":[{}]}}"#, list.join(","));
        let head = format!(
            "POST /api/ingest/events HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        call(address, &(head + &body)).await;
        seen.committed.borrow_mut().push(Instant::now());
    }
}

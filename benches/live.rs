//! The live stream: the delay until the last of its subscribers has an event, the events per second that all of them receive,
//! memory per subscriber, and the time until all are connected again after they lost their streams together; compared with nginx
//! and nchan under the same client.
//!
//! Run with `make bench-live`, or `cargo bench --bench live` after `cargo build --release`. `APOGEE_BENCH_READERS` (10,000) and
//! `APOGEE_BENCH_ROUNDS` (20) set the size. Client and server share the machine.

mod streams;

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command};
use std::rc::Rc;
use std::time::{Duration, Instant};

use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// A text in every event, so that clients of both servers count the same thing.
const MARKER: &[u8] = b"zz-mark";
/// Number of events that the slowest client may lag behind.
const WINDOW: u64 = 2_000;
const SUSTAINED_READERS: usize = 1_000;
const SUSTAINED: Duration = Duration::from_secs(8);
const PUBLISHERS: usize = 4;
const BACK_ROUNDS: usize = 3;
/// Number of events per request; nchan takes one.
const BATCH: u64 = 50;

fn main() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (readers, rounds) = (number("APOGEE_BENCH_READERS", 10_000), number("APOGEE_BENCH_ROUNDS", 20));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    println!("one event to {readers} readers, median of {rounds} rounds (ms); events/s to {SUSTAINED_READERS} readers");
    println!(
        "{:<10} {:>8} {:>8} {:>8} {:>10} {:>12} {:>12} {:>12}",
        "", "p50", "p99", "last", "worst last", "KB a reader", "events/s", "all back (s)"
    );
    for start in [start_apogee as fn(&Path) -> Option<Site>, start_nginx] {
        let dir = tempfile::tempdir().expect("a directory");
        let Some(mut site) = start(dir.path()) else { continue };
        runtime.block_on(LocalSet::new().run_until(measure(&site, readers, rounds)));
        site.stop();
    }
}

/// A running server, with its requests.
struct Site {
    name: &'static str,
    address: SocketAddr,
    process: Child,
    /// The head of a subscriber's request.
    subscribe: String,
    /// Builds a request that publishes a number of events, numbered from the first argument.
    publish: Box<dyn Fn(u64, u64) -> Vec<u8>>,
    batch: u64,
}

impl Site {
    fn stop(&mut self) {
        // Listed first, so that the workers of nginx are included.
        let signal = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status();
        if !signal.is_ok_and(|status| status.success()) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }

    /// Memory of the process and its children, in KB.
    fn memory(&self) -> f64 {
        let own = self.process.id().to_string();
        let mut sum = 0.0;
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Ok(status) = std::fs::read_to_string(entry.path().join("status")) else { continue };
            let field = |name: &str| {
                status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()).unwrap_or("0")
            };
            if field("Pid:") == own || field("PPid:") == own {
                sum += field("VmRSS:").parse::<f64>().unwrap_or(0.0);
            }
        }
        sum
    }
}

fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock after 1970");
    since.as_millis() as u64
}

fn start_apogee(dir: &Path) -> Option<Site> {
    let (process, address, key) = streams::start(dir);
    let began = now_ms() - 86_400_000;
    let publish = move |first: u64, count: u64| {
        let events: Vec<String> = (first..first + count)
            .map(|n| {
                let at = began + n;
                format!(
                    r#"{{"identifier":"kill","event_id":"{n}","event_time":{at},"game_mode":"PU","killer":"Pilot-{}","victim":"Target-{}","weapon":"behr_rifle_ballistic_01","text":"zz-mark"}}"#,
                    n % 50,
                    n % 97
                )
            })
            .collect();
        request(
            "/api/ingest/events",
            &format!("authorization: Bearer {key}\r\n"),
            &format!(r#"{{"events":[{}]}}"#, events.join(",")),
        )
    };
    let subscribe = "GET /api/live?topics=activity HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n\r\n".into();
    Some(Site { name: "apogee", address, process, subscribe, publish: Box::new(publish), batch: BATCH })
}

fn start_nginx(dir: &Path) -> Option<Site> {
    let module = "/usr/lib/nginx/modules/ngx_nchan_module.so";
    if !Path::new(module).exists() {
        println!("nginx with nchan is not measured: {module} does not exist (packages nginx and libnginx-mod-nchan)");
        return None;
    }
    let address: SocketAddr =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port");
    let conf = format!(
        "load_module {module};\ndaemon off;\nworker_processes auto;\nworker_rlimit_nofile 20000;\npid {0}/pid;\nerror_log {0}/error.log error;\n\
         events {{ worker_connections 19000; }}\n\
         http {{ access_log off; client_body_temp_path {0}/body; proxy_temp_path {0}/p; fastcgi_temp_path {0}/f; uwsgi_temp_path {0}/u; scgi_temp_path {0}/s;\n\
         keepalive_requests 100000000; nchan_shared_memory_size 256M;\n\
         server {{ listen {address} backlog=4096;\n\
         location = /pub {{ nchan_publisher; nchan_channel_id feed; nchan_message_buffer_length 16384; }}\n\
         location = /sub {{ nchan_subscriber eventsource; nchan_channel_id feed; nchan_subscriber_first_message newest; }} }} }}\n",
        dir.display()
    );
    std::fs::write(dir.join("nginx.conf"), conf).expect("settings");
    let process =
        Command::new("nginx").arg("-p").arg(dir).arg("-c").arg(dir.join("nginx.conf")).spawn().expect("nginx");
    while std::net::TcpStream::connect(address).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    // As long as a row of the feed.
    let publish = |first: u64, _| {
        let row = format!(r#"{{"id":"{first}","text":"zz-mark","row":"{}"}}"#, "x".repeat(720));
        request("/pub", "", &row)
    };
    let subscribe = "GET /sub HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n\r\n".into();
    Some(Site { name: "nchan", address, process, subscribe, publish: Box::new(publish), batch: 1 })
}

fn request(path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// A connection that sends one request after the other.
struct Publisher {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Publisher {
    async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Self { stream, buffer: Vec::new() }
    }

    async fn send(&mut self, request: &[u8]) {
        self.stream.write_all(request).await.expect("a sent request");
        self.buffer.clear();
        loop {
            assert!(
                self.stream.read_buf(&mut self.buffer).await.expect("an answer") > 0,
                "the server closed the connection"
            );
            let Some(head) = memmem::find(&self.buffer, b"\r\n\r\n") else { continue };
            let text = String::from_utf8_lossy(&self.buffer[..head]).to_ascii_lowercase();
            assert!(text.starts_with("http/1.1 2"), "{text}");
            let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            if self.buffer.len() >= head + 4 + length.unwrap_or(0) {
                return;
            }
        }
    }
}

/// Number of marks that each client has received, and when the last one arrived.
#[derive(Default)]
struct Seen {
    counts: RefCell<Vec<u64>>,
    times: RefCell<Vec<Instant>>,
    /// Number of clients that have at least the target number of marks.
    goal: Cell<u64>,
    there: Cell<usize>,
    ready: Cell<usize>,
    wake: tokio::sync::Notify,
}

impl Seen {
    fn by(readers: usize) -> Rc<Self> {
        let (counts, times) = (vec![0; readers], vec![Instant::now(); readers]);
        Rc::new(Self { counts: RefCell::new(counts), times: RefCell::new(times), ..Self::default() })
    }

    fn slowest(&self) -> u64 {
        self.counts.borrow().iter().copied().min().unwrap_or(0)
    }

    /// Counts clients as they reach this number of marks.
    fn aim(&self, goal: u64) {
        self.goal.set(goal);
        self.there.set(self.counts.borrow().iter().filter(|count| **count >= goal).count());
    }

    async fn until(&self, is_enough: impl Fn(&Self) -> bool) {
        while !is_enough(self) {
            let waited = tokio::time::timeout(Duration::from_secs(60), self.wake.notified()).await;
            assert!(waited.is_ok(), "{} of {} readers after a minute", self.there.get(), self.counts.borrow().len());
        }
    }
}

async fn read(mut stream: TcpStream, number: usize, seen: Rc<Seen>) {
    let open = || {
        seen.ready.set(seen.ready.get() + 1);
        seen.wake.notify_waiters();
    };
    let look = |all: &[u8], _| {
        let marks = memmem::find_iter(all, MARKER).count() as u64;
        if marks > 0 {
            count(&seen, number, marks);
        }
    };
    // The overlap is shorter than a mark, which would otherwise be counted twice.
    streams::read(&stream, MARKER.len() - 1, open, look).await;
    let _ = stream.shutdown().await;
}

fn count(seen: &Seen, number: usize, marks: u64) {
    let goal = seen.goal.get();
    let mut counts = seen.counts.borrow_mut();
    let before = counts[number];
    counts[number] += marks;
    seen.times.borrow_mut()[number] = Instant::now();
    if before < goal && counts[number] >= goal {
        seen.there.set(seen.there.get() + 1);
        if seen.there.get() == counts.len() {
            seen.wake.notify_waiters();
        }
    }
}

struct Readers {
    seen: Rc<Seen>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Readers {
    async fn open(site: &Site, count: usize) -> Self {
        let seen = Seen::by(count);
        let mut tasks = Vec::with_capacity(count);
        for number in 0..count {
            let mut stream = TcpStream::connect(site.address).await.expect("a connection");
            stream.write_all(site.subscribe.as_bytes()).await.expect("a sent request");
            tasks.push(tokio::task::spawn_local(read(stream, number, Rc::clone(&seen))));
            if number % 100 == 99 {
                // A listening socket queues no more connections.
                let wanted = number + 1;
                seen.until(|seen| seen.ready.get() >= wanted).await;
            }
        }
        seen.until(|seen| seen.ready.get() == count).await;
        Self { seen, tasks }
    }

    fn close(self) {
        self.tasks.iter().for_each(|task| task.abort());
    }
}

async fn measure(site: &Site, readers: usize, rounds: usize) {
    let mut publisher = Publisher::open(site.address).await;
    let mut sent = 0;
    // Warm-up, and a first event where a channel must exist.
    for _ in 0..20 {
        publisher.send(&(site.publish)(sent, 1)).await;
        sent += 1;
    }
    let before = site.memory();
    let all = Readers::open(site, readers).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut results: Vec<[f64; 3]> = Vec::new();
    let mut memory = 0.0_f64;
    for round in 0..rounds {
        // nchan sends the newest message to a new subscriber.
        let base = all.seen.slowest();
        all.seen.aim(base + 1);
        let began = Instant::now();
        publisher.send(&(site.publish)(sent, 1)).await;
        sent += 1;
        all.seen.until(|seen| seen.there.get() == readers).await;
        let mut took: Vec<f64> =
            all.seen.times.borrow().iter().map(|at| at.duration_since(began).as_secs_f64() * 1e3).collect();
        took.sort_by(f64::total_cmp);
        // The first event warms up the path.
        if round > 0 {
            results.push([took[readers / 2], took[readers * 99 / 100], took[readers - 1]]);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        memory = memory.max((site.memory() - before) / readers as f64);
    }
    all.close();
    let mut back: Vec<f64> = Vec::new();
    for _ in 0..BACK_ROUNDS {
        tokio::time::sleep(Duration::from_secs(1)).await;
        back.push(reconnect_all(site, readers).await.as_secs_f64());
    }
    back.sort_by(f64::total_cmp);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let median = |place: usize| {
        let mut column: Vec<f64> = results.iter().map(|result| result[place]).collect();
        column.sort_by(f64::total_cmp);
        column[column.len() / 2]
    };
    let worst = results.iter().map(|result| result[2]).fold(0.0, f64::max);
    let rate = sustained(site, sent).await;
    println!(
        "{:<10} {:>8.1} {:>8.1} {:>8.1} {:>10.1} {:>12.1} {:>12.0} {:>12.1}",
        site.name,
        median(0),
        median(1),
        median(2),
        worst,
        memory,
        rate,
        back[back.len() / 2]
    );
}

/// Time until all clients are connected again when they reconnect at the same moment.
async fn reconnect_all(site: &Site, count: usize) -> Duration {
    let seen = Seen::by(count);
    let began = Instant::now();
    let come = |number| {
        let (seen, address, request) = (Rc::clone(&seen), site.address, site.subscribe.clone());
        tokio::task::spawn_local(async move {
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            stream.write_all(request.as_bytes()).await.expect("a sent request");
            read(stream, number, seen).await;
        })
    };
    let tasks: Vec<_> = (0..count).map(come).collect();
    seen.until(|seen| seen.ready.get() == count).await;
    let took = began.elapsed();
    tasks.iter().for_each(|task| task.abort());
    took
}

/// Events per second that every client received, with publishers that wait for the slowest.
async fn sustained(site: &Site, first: u64) -> f64 {
    let readers = Readers::open(site, SUSTAINED_READERS).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let base = readers.seen.slowest();
    let (sent, began) = (Cell::new(0_u64), Instant::now());
    let publish = async || {
        let mut publisher = Publisher::open(site.address).await;
        while began.elapsed() < SUSTAINED {
            if sent.get() > readers.seen.slowest() - base + WINDOW {
                tokio::time::sleep(Duration::from_millis(2)).await;
                continue;
            }
            let from = sent.get();
            sent.set(from + site.batch);
            publisher.send(&(site.publish)(first + from, site.batch)).await;
        }
    };
    let all: Vec<_> = (0..PUBLISHERS).map(|_| publish()).collect();
    futures_util::future::join_all(all).await;
    readers.seen.aim(base + sent.get());
    readers.seen.until(|seen| seen.there.get() == SUSTAINED_READERS).await;
    let rate = sent.get() as f64 / began.elapsed().as_secs_f64();
    readers.close();
    rate
}

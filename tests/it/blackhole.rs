//! T14, T37: PostgreSQL, or who reads a stream, is there, and no packet comes back: `make faults`, as root.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use crate::faults::{Cluster, events, run, until};
use crate::support::*;

/// Longer than any answer may take here: the promise is five seconds, and the machine may be busy.
const BOUND: Duration = Duration::from_secs(12);
/// How long packets are swallowed.
const DARK: Duration = Duration::from_secs(25);

/// The hardware address of the far end.
const THERE: &str = "02:00:00:00:09:02";

/// A network namespace at the end of a line that can be cut.
struct Line {
    namespace: String,
    here: String,
    there: String,
}

impl Line {
    fn lay() -> Self {
        let id = std::process::id();
        let (namespace, here, there) = (format!("apogee-{id}"), format!("ap{id}a"), format!("ap{id}b"));
        let line = Self { namespace, here, there };
        run("ip", &["netns", "add", &line.namespace]);
        run("ip", &["link", "add", &line.here, "type", "veth", "peer", "name", &line.there, "netns", &line.namespace]);
        run("ip", &["address", "add", "10.231.9.1/30", "dev", &line.here]);
        run("ip", &["link", "set", &line.here, "up"]);
        line.inside(&["link", "set", &line.there, "address", THERE]);
        line.inside(&["address", "add", "10.231.9.2/30", "dev", &line.there]);
        line.inside(&["link", "set", "lo", "up"]);
        line.inside(&["link", "set", &line.there, "up"]);
        // Known for good: this machine must not find out that nobody answers.
        run("ip", &["neighbour", "replace", "10.231.9.2", "lladdr", THERE, "dev", &line.here, "nud", "permanent"]);
        line
    }

    fn inside(&self, args: &[&str]) {
        run("ip", &[&["-n", self.namespace.as_str()], args].concat());
    }

    /// From now on packets are swallowed over there: nobody is told that there is no way.
    fn cut(&self) {
        self.inside(&["route", "add", "blackhole", "10.231.9.1/32"]);
    }

    fn mend(&self) {
        self.inside(&["route", "delete", "blackhole", "10.231.9.1/32"]);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let gone = Command::new("ip").args(["netns", "delete", &self.namespace]).status();
        if !gone.is_ok_and(|status| status.success()) {
            eprintln!("the namespace {} could not be removed", self.namespace);
        }
    }
}

/// An answer that came in time.
struct Told {
    took: Duration,
    is_write: bool,
    is_done: bool,
}

impl Told {
    /// One request, of a kind by its number: it is done, or told to come again.
    async fn ask(server: &Server, key: &str, n: usize) -> Self {
        let paths =
            ["/api/player/ann-1", "/api/activity", "/api/players/leaderboard?sortBy=playtime", "/api/ready", "/"];
        let began = Instant::now();
        let path = paths.get(n % (paths.len() + 1));
        let answer = match path {
            Some(path) => server.get(path).await,
            None => server.try_send(key, &events(now() - 40 * DAY, 5)).await,
        };
        let took = began.elapsed();
        assert!(took < BOUND, "{path:?} took {took:?}");
        let is_done = answer.status == StatusCode::OK;
        let is_told_when = answer.status == 503 && answer.headers.contains_key("retry-after");
        assert!(is_done || is_told_when, "{path:?}: {} {}", answer.status, answer.text());
        Self { took, is_write: path.is_none(), is_done }
    }

    /// A dozen at once, of every kind: all connections are in use.
    async fn ask_all(server: &Server, key: &str) -> Vec<Self> {
        futures_util::future::join_all((0..12).map(|n| Self::ask(server, key, n))).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cuts a line to a PostgreSQL of its own, which takes root"]
async fn t14_a_database_that_swallows_packets_holds_nobody_up_and_is_found_again() {
    let line = Line::lay();
    let cluster = Cluster::start_at("10.231.9.2", Some(&line.namespace));
    let mut server = Server::on(&cluster.url(), &[]);
    server.run();
    let key = server.key("reader");
    server.take(&key, &events(now() - DAY, 10)).await;
    Told::ask_all(&server, &key).await;
    line.cut();
    let (began, mut told) = (Instant::now(), Vec::new());
    while began.elapsed() < DARK {
        told.extend(Told::ask_all(&server, &key).await);
        assert_eq!(server.get("/api/health").await.status, StatusCode::OK, "the process lives");
    }
    assert!(told.iter().all(|one| !one.is_done || !one.is_write), "nothing can be stored");
    let from_memory = told.iter().filter(|one| one.is_done).count();
    let longest = told.iter().map(|one| one.took).max().unwrap();
    println!("T14: {} answers in the dark, {from_memory} from memory, the longest after {longest:?}", told.len());
    assert!(from_memory < told.len());
    line.mend();
    let took = until(30, "full service", async || {
        let is_read = server.request(Method::GET, "/api/player/ann-1").send().await.is_ok_and(|a| a.status() == 200);
        is_read && server.try_send(&key, &events(now() - 2 * DAY, 1)).await.status == 200
    })
    .await;
    println!("T14: full service {took:?} after packets came through again");
    assert!(Told::ask_all(&server, &key).await.iter().all(|one| one.is_done));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cuts a line to a reader, which takes root"]
async fn t37_the_place_of_a_reader_that_is_gone_without_a_word_is_free_within_a_minute() {
    let line = Line::lay();
    let mut server = Server::prepare(Backend::Sqlite);
    server.run_at("0.0.0.0:0");
    let port = server.address.rsplit(':').next().unwrap();
    let stream = format!("http://10.231.9.1:{port}/api/live?topics=activity");
    let mut reader = Command::new("ip");
    reader.args(["netns", "exec", &line.namespace, "curl", "--silent", "--no-buffer", &stream]).stdout(Stdio::null());
    let mut reader = reader.spawn().unwrap();
    until(10, "the stream", async || crate::live_connections::open_streams(&server).await == 1).await;
    line.cut();
    let took = until(90, "a free place", async || crate::live_connections::open_streams(&server).await == 0).await;
    println!("T37: the place of a reader that was cut off is free after {took:?}");
    assert!(reader.try_wait().unwrap().is_none(), "it would read on");
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert!(took.as_secs() <= 60, "{took:?}");
}

//! T14, T37: the network to PostgreSQL, or to a client of the live stream, drops all packets. `make faults`, as root.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use crate::faults::{Cluster, events, run, wait_until};
use crate::support::*;

/// Limit of a response: the promise is five seconds; the rest is a margin for a busy machine.
const MAX_RESPONSE_TIME: Duration = Duration::from_secs(12);
/// How long packets are dropped.
const BLACKHOLE_TIME: Duration = Duration::from_secs(25);

/// The hardware address of the remote end.
const REMOTE_MAC: &str = "02:00:00:00:09:02";

/// A network namespace behind a link that can be cut.
struct Link {
    namespace: String,
    here: String,
    there: String,
}

impl Link {
    fn lay() -> Self {
        let id = std::process::id();
        let (namespace, here, there) = (format!("apogee-{id}"), format!("ap{id}a"), format!("ap{id}b"));
        let line = Self { namespace, here, there };
        run("ip", &["netns", "add", &line.namespace]);
        run("ip", &["link", "add", &line.here, "type", "veth", "peer", "name", &line.there, "netns", &line.namespace]);
        run("ip", &["address", "add", "10.231.9.1/30", "dev", &line.here]);
        run("ip", &["link", "set", &line.here, "up"]);
        line.inside(&["link", "set", &line.there, "address", REMOTE_MAC]);
        line.inside(&["address", "add", "10.231.9.2/30", "dev", &line.there]);
        line.inside(&["link", "set", "lo", "up"]);
        line.inside(&["link", "set", &line.there, "up"]);
        // A static entry, so that this machine does not notice the missing ARP replies.
        run("ip", &["neighbour", "replace", "10.231.9.2", "lladdr", REMOTE_MAC, "dev", &line.here, "nud", "permanent"]);
        line
    }

    fn inside(&self, args: &[&str]) {
        run("ip", &[&["-n", self.namespace.as_str()], args].concat());
    }

    /// Drops packets at the remote end, so that nothing reports the host as unreachable.
    fn cut(&self) {
        self.inside(&["route", "add", "blackhole", "10.231.9.1/32"]);
    }

    fn mend(&self) {
        self.inside(&["route", "delete", "blackhole", "10.231.9.1/32"]);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let gone = Command::new("ip").args(["netns", "delete", &self.namespace]).status();
        if !gone.is_ok_and(|status| status.success()) {
            eprintln!("the namespace {} could not be removed", self.namespace);
        }
    }
}

/// A response that arrived in time.
struct Outcome {
    took: Duration,
    is_write: bool,
    is_done: bool,
}

impl Outcome {
    /// Sends one request, of a kind by its number: it succeeds or asks the client to try again.
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
        assert!(took < MAX_RESPONSE_TIME, "{path:?} took {took:?}");
        let is_done = answer.status == StatusCode::OK;
        let is_told_when = answer.status == 503 && answer.headers.contains_key("retry-after");
        assert!(is_done || is_told_when, "{path:?}: {} {}", answer.status, answer.text());
        Self { took, is_write: path.is_none(), is_done }
    }

    /// A dozen concurrent requests of every kind, which use all connections.
    async fn ask_all(server: &Server, key: &str) -> Vec<Self> {
        futures_util::future::join_all((0..12).map(|n| Self::ask(server, key, n))).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cuts a line to a PostgreSQL of its own, which takes root"]
async fn t14_a_database_that_swallows_packets_holds_nobody_up_and_is_found_again() {
    let line = Link::lay();
    let cluster = Cluster::start_at("10.231.9.2", Some(&line.namespace));
    let mut server = Server::on(&cluster.url(), &[]);
    server.run();
    let key = server.key("reader");
    server.take(&key, &events(now() - DAY, 10)).await;
    Outcome::ask_all(&server, &key).await;
    line.cut();
    let (began, mut outcomes) = (Instant::now(), Vec::new());
    while began.elapsed() < BLACKHOLE_TIME {
        outcomes.extend(Outcome::ask_all(&server, &key).await);
        assert_eq!(server.get("/api/health").await.status, StatusCode::OK, "the process lives");
    }
    assert!(outcomes.iter().all(|one| !one.is_done || !one.is_write), "nothing can be stored");
    let from_memory = outcomes.iter().filter(|one| one.is_done).count();
    let longest = outcomes.iter().map(|one| one.took).max().unwrap();
    println!("T14: {} answers in the dark, {from_memory} from memory, the longest after {longest:?}", outcomes.len());
    assert!(from_memory < outcomes.len());
    line.mend();
    let took = wait_until(30, "full service", async || {
        let is_read = server.request(Method::GET, "/api/player/ann-1").send().await.is_ok_and(|a| a.status() == 200);
        is_read && server.try_send(&key, &events(now() - 2 * DAY, 1)).await.status == 200
    })
    .await;
    println!("T14: full service {took:?} after packets came through again");
    assert!(Outcome::ask_all(&server, &key).await.iter().all(|one| one.is_done));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cuts a line to a reader, which takes root"]
async fn t37_the_place_of_a_reader_that_is_gone_without_a_word_is_free_within_a_minute() {
    let line = Link::lay();
    let mut server = Server::prepare(Backend::Sqlite);
    server.run_at("0.0.0.0:0");
    let port = server.address.rsplit(':').next().unwrap();
    let stream = format!("http://10.231.9.1:{port}/api/live?topics=activity");
    let mut reader = Command::new("ip");
    reader.args(["netns", "exec", &line.namespace, "curl", "--silent", "--no-buffer", &stream]).stdout(Stdio::null());
    let mut reader = reader.spawn().unwrap();
    wait_until(10, "the stream", async || crate::live::connections::open_streams(&server).await == 1).await;
    line.cut();
    let took =
        wait_until(90, "a free place", async || crate::live::connections::open_streams(&server).await == 0).await;
    println!("T37: the place of a reader that was cut off is free after {took:?}");
    assert!(reader.try_wait().unwrap().is_none(), "it would read on");
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert!(took.as_secs() <= 60, "{took:?}");
}

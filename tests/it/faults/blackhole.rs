//! T14, T37: the network to PostgreSQL, or to a client of the live stream, drops all packets. `make daily`, as root.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use crate::faults::{Cluster, events, run};
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
    fn create() -> Self {
        let id = std::process::id();
        let (namespace, here, there) = (format!("apogee-{id}"), format!("ap{id}a"), format!("ap{id}b"));
        let link = Self { namespace, here, there };
        run("ip", &["netns", "add", &link.namespace]);
        run("ip", &["link", "add", &link.here, "type", "veth", "peer", "name", &link.there, "netns", &link.namespace]);
        run("ip", &["address", "add", "10.231.9.1/30", "dev", &link.here]);
        run("ip", &["link", "set", &link.here, "up"]);
        link.inside(&["link", "set", &link.there, "address", REMOTE_MAC]);
        link.inside(&["address", "add", "10.231.9.2/30", "dev", &link.there]);
        link.inside(&["link", "set", "lo", "up"]);
        link.inside(&["link", "set", &link.there, "up"]);
        // A static entry, so that this machine does not notice the missing ARP replies.
        run("ip", &["neighbour", "replace", "10.231.9.2", "lladdr", REMOTE_MAC, "dev", &link.here, "nud", "permanent"]);
        link
    }

    fn inside(&self, args: &[&str]) {
        run("ip", &[&["-n", self.namespace.as_str()], args].concat());
    }

    /// Drops packets at the remote end, so that nothing reports the host as unreachable.
    fn cut(&self) {
        self.inside(&["route", "add", "blackhole", "10.231.9.1/32"]);
    }

    fn restore(&self) {
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
    async fn send(server: &Server, key: &str, n: usize) -> Self {
        let paths =
            ["/api/player/ann-1", "/api/activity", "/api/players/leaderboard?sortBy=playtime", "/api/ready", "/"];
        let began = Instant::now();
        let path = paths.get(n % (paths.len() + 1));
        let response = match path {
            Some(path) => server.get(path).await,
            None => server.try_send(key, &events(now() - 40 * DAY, 5)).await,
        };
        let took = began.elapsed();
        assert!(took < MAX_RESPONSE_TIME, "{path:?} took {took:?}");
        let is_done = response.status == StatusCode::OK;
        let may_retry = response.status == 503 && response.headers.contains_key("retry-after");
        assert!(is_done || may_retry, "{path:?}: {} {}", response.status, response.text());
        Self { took, is_write: path.is_none(), is_done }
    }

    /// A dozen concurrent requests of every kind, which use all connections.
    async fn send_all(server: &Server, key: &str) -> Vec<Self> {
        futures_util::future::join_all((0..12).map(|n| Self::send(server, key, n))).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "blocks the network to a separate PostgreSQL, which takes root"]
async fn t14_requests_end_in_time_while_the_database_is_unreachable() {
    let link = Link::create();
    let cluster = Cluster::start_at("10.231.9.2", Some(&link.namespace));
    let mut server = Server::on(&cluster.url(), &[]).into_process();
    server.run();
    let key = server.key("reader");
    server.take(&key, &events(now() - DAY, 10)).await;
    Outcome::send_all(&server, &key).await;
    link.cut();
    let (began, mut outcomes) = (Instant::now(), Vec::new());
    while began.elapsed() < BLACKHOLE_TIME {
        outcomes.extend(Outcome::send_all(&server, &key).await);
        assert_eq!(server.get("/api/health").await.status, StatusCode::OK, "the process remains healthy");
    }
    assert!(outcomes.iter().all(|one| !one.is_done || !one.is_write), "no write succeeds");
    let from_memory = outcomes.iter().filter(|one| one.is_done).count();
    let longest = outcomes.iter().map(|one| one.took).max().unwrap();
    println!(
        "T14: {} responses without the database, {from_memory} from memory, the longest after {longest:?}",
        outcomes.len()
    );
    assert!(from_memory < outcomes.len());
    link.restore();
    let began = Instant::now();
    eventually("full service", async || {
        let is_read = server.request(Method::GET, "/api/player/ann-1").send().await.is_ok_and(|a| a.status() == 200);
        is_read && server.try_send(&key, &events(now() - 2 * DAY, 1)).await.status == 200
    })
    .await;
    let took = began.elapsed();
    println!("T14: full service {took:?} after packets are delivered again");
    assert!(took.as_secs() < 30, "{took:?}");
    assert!(Outcome::send_all(&server, &key).await.iter().all(|one| one.is_done));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "blocks the network to a client, which takes root"]
async fn t37_the_permit_of_an_unreachable_client_is_released_within_a_minute() {
    let link = Link::create();
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    server.run_at("0.0.0.0:0");
    let port = server.address.rsplit(':').next().unwrap();
    let stream = format!("http://10.231.9.1:{port}/api/live?topics=activity");
    let mut reader = Command::new("ip");
    reader.args(["netns", "exec", &link.namespace, "curl", "--silent", "--no-buffer", &stream]).stdout(Stdio::null());
    let mut reader = reader.spawn().unwrap();
    eventually("the stream", async || crate::live::connections::open_streams(&server).await == 1).await;
    link.cut();
    let began = Instant::now();
    eventually("a released permit", async || crate::live::connections::open_streams(&server).await == 0).await;
    let took = began.elapsed();
    println!("T37: the permit of the unreachable client was released after {took:?}");
    assert!(reader.try_wait().unwrap().is_none(), "the client is still connected");
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert!(took.as_secs() <= 60, "{took:?}");
}

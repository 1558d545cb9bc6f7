//! The live stream byte for byte: framing, reused connections, and clients that disconnect, stop reading or keep sending.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::support::*;

const SECOND: Duration = Duration::from_secs(1);
/// The difference between the ids of two events.
const STEP: i64 = 1 << 20;
const SUBSCRIBE: &str = "GET /api/live?topics=activity HTTP/1.1\r\nHost: x\r\n\r\n";

/// A connection and the bytes it has received.
struct Connection {
    tcp: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    fn open(server: &Server) -> Self {
        Self::of(TcpStream::connect(address(server)).unwrap())
    }

    fn of(tcp: TcpStream) -> Self {
        tcp.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        Self { tcp, received: Vec::new() }
    }

    /// An open stream: its first bytes were received.
    fn stream(server: &Server) -> Self {
        let mut connection = Self::open(server);
        connection.say(SUBSCRIBE);
        connection.until("retry: 3000\n\n");
        connection
    }

    fn say(&mut self, text: &str) {
        self.tcp.write_all(text.as_bytes()).unwrap();
    }

    /// Reads once: `None` after the timeout, `Some(0)` at the end.
    fn more(&mut self) -> Option<usize> {
        let mut part = [0; 16 << 10];
        match self.tcp.read(&mut part) {
            Ok(length) => {
                self.received.extend_from_slice(&part[..length]);
                Some(length)
            }
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => None,
            Err(_) => Some(0),
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.received).into_owned()
    }

    /// Head and body of the only response so far.
    fn response(&self) -> (String, String) {
        let text = self.text();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.to_ascii_lowercase(), body.to_owned())
    }

    /// Reads until the text arrives.
    fn until(&mut self, what: &str) {
        let end = Instant::now() + HANG;
        while !self.text().contains(what) {
            assert!(self.more() != Some(0) && Instant::now() < end, "no {what:?} in {:?}", self.text());
        }
    }

    /// Reads until the connection is closed.
    fn read_out(&mut self) {
        let end = Instant::now() + HANG;
        while self.more() != Some(0) {
            assert!(Instant::now() < end, "not closed: {:?}", self.text());
        }
    }
}

fn address(server: &Server) -> SocketAddr {
    server.address.strip_prefix("http://").unwrap().parse().unwrap()
}

/// Decodes a chunked body; nothing may follow its last chunk.
fn joined(body: &str) -> String {
    let (mut left, mut whole) = (body, String::new());
    loop {
        let (length, rest) = left.split_once("\r\n").unwrap_or_else(|| panic!("no length: {left:?}"));
        let length = usize::from_str_radix(length, 16).unwrap_or_else(|_| panic!("{length:?} in {body:?}"));
        let (chunk, rest) = rest.split_at(length);
        whole.push_str(chunk);
        left = rest.strip_prefix("\r\n").unwrap_or_else(|| panic!("no end of a chunk: {rest:?}"));
        if length == 0 {
            assert_eq!(left, "", "bytes after the last chunk");
            return whole;
        }
    }
}

/// The messages of a new stream, without the id that precedes them: states that the site has already published raise it.
fn messages(body: &str) -> &str {
    let (id, messages) = body
        .strip_prefix("retry: 3000\n\nid: ")
        .and_then(|text| text.split_once("\n\n"))
        .expect("a stream begins with its id");
    assert!((0..STEP).contains(&id.parse().unwrap()), "{id}");
    messages
}

/// A heartbeat may arrive between any two messages.
fn without_heartbeats(body: &str) -> String {
    body.replace(": still here\n\n", "")
}

pub async fn open_streams(server: &Server) -> usize {
    let figures = server.get("/metrics").await.text();
    let line = figures.lines().find_map(|line| line.strip_prefix("apogee_live_readers ")).unwrap();
    line.trim().parse().unwrap()
}

async fn until_none_is_open(server: &Server) {
    eventually("the permits of disconnected clients are released", async || open_streams(server).await == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_on_a_reused_connection_is_complete_and_shutdown_sends_the_last_chunk() {
    let mut server = Server::process(Backend::Sqlite).await;
    let key = server.key("reader");
    let mut connection = Connection::open(&server);
    for _ in 0..3 {
        connection.received.clear();
        connection.say("GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n");
        connection.until("}");
    }
    connection.received.clear();
    connection.say(SUBSCRIBE);
    connection.until("retry: 3000\n\n");
    server.take(&key, &npc_kills("Ann-1", 30, now() - DAY)).await;
    connection.until(&format!("id: {}\n", 30 * STEP));
    server.signal("-TERM");
    connection.read_out();
    let (head, body) = connection.response();
    assert!(head.starts_with("http/1.1 200") && head.contains("transfer-encoding: chunked"), "{head}");
    assert!(head.contains("connection: close"), "the connection is closed after the stream: {head}");
    let body = without_heartbeats(&joined(&body));
    assert!(messages(&body).starts_with(&format!("id: {STEP}\n")), "{body}");
    assert_eq!(body.matches("event: activity\n").count(), 30);
    let retry: u64 = body.trim_end().rsplit_once("retry: ").unwrap().1.parse().unwrap();
    assert!((1_000..5_000).contains(&retry), "{retry}");
    server.wait_for_end();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_http_1_0_client_receives_an_unchunked_stream() {
    let mut server = Server::process(Backend::Sqlite).await;
    let key = server.key("reader");
    let mut connection = Connection::open(&server);
    connection.say("GET /api/live?topics=activity HTTP/1.0\r\nHost: x\r\n\r\n");
    connection.until("retry: 3000\n\n");
    server.take(&key, &npc_kills("Ann-1", 2, now() - DAY)).await;
    connection.until(&format!("id: {}\n", 2 * STEP));
    server.signal("-TERM");
    connection.read_out();
    let (head, body) = connection.response();
    let body = without_heartbeats(&body);
    assert!(!head.contains("transfer-encoding"), "{head}");
    assert!(messages(&body).starts_with(&format!("id: {STEP}\nevent: activity\ndata: {{")), "{body}");
    assert!(body.ends_with("\n\n") && !body.contains('\r'), "{body}");
    server.wait_for_end();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_before_a_stream_are_served_and_pipelined_bytes_are_ignored() {
    let server = Server::start(Backend::Sqlite).await;
    let key = server.key("reader");
    let health = "GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut connection = Connection::open(&server);
    connection.say(&format!("{health}{health}{SUBSCRIBE}{health}"));
    connection.until("retry: 3000\n\n");
    connection.say(health);
    server.take(&key, &npc_kills("Ann-1", 1, now() - DAY)).await;
    connection.until(&format!("id: {STEP}\n"));
    let text = connection.text();
    assert_eq!(text.matches("HTTP/1.1 200").count(), 3, "{text}");
    // A head may arrive in pieces.
    let mut slow = Connection::open(&server);
    for piece in ["GET /api/live?topics=activity HTTP/1.1\r\nHo", "st: x\r\n", "\r\n"] {
        slow.say(piece);
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    slow.until("retry: 3000\n\n");
    // A client that keeps sending is disconnected.
    connection.say(&"x".repeat(40 << 10));
    connection.read_out();
    drop(slow);
    until_none_is_open(&server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disconnected_client_frees_its_permit_without_a_heartbeat() {
    let server = Server::start(Backend::Sqlite).await;
    for _ in 0..3 {
        let (gone, half) = (Connection::stream(&server), Connection::stream(&server));
        assert_eq!(open_streams(&server).await, 2);
        drop(gone);
        // A heartbeat to this one succeeds, so only its end of sending shows that it is gone.
        half.tcp.shutdown(std::net::Shutdown::Write).unwrap();
        until_none_is_open(&server).await;
        // Closed with unread bytes: the system resets the connection.
        let mut unread = Connection::open(&server);
        unread.say(SUBSCRIBE);
        eventually("the stream is open", async || open_streams(&server).await == 1).await;
        drop(unread);
        until_none_is_open(&server).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "daily: depends on the clock"]
async fn t37_a_client_that_stops_reading_is_disconnected_within_ten_seconds() {
    let server = Server::start(Backend::Sqlite).await;
    let key = server.key("reader");
    // A small receive buffer, so that the test needs fewer events.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4 << 10).unwrap();
    socket.connect(&address(&server).into()).unwrap();
    let mut stalled = Connection::of(socket.into());
    stalled.say(SUBSCRIBE);
    let mut reader = Stream::open(&server, "activity", None).await;
    assert_eq!(open_streams(&server).await, 2);
    let mut slowest = Duration::ZERO;
    for batch in 0..10 {
        server.take(&key, &npc_kills("Ann-1", 200, now() - DAY + batch * 5_000_000)).await;
        let began = Instant::now();
        while reader.next(5 * SECOND).await.expect("other subscribers receive the events").id < (batch + 1) * 200 * STEP
        {
        }
        slowest = slowest.max(began.elapsed());
    }
    assert!(slowest < 2 * SECOND, "{slowest:?}");
    let began = Instant::now();
    eventually("a client that does not read is disconnected", async || open_streams(&server).await == 1).await;
    assert!(began.elapsed() < 12 * SECOND, "after {:?}", began.elapsed());
    stalled.read_out();
    assert!(stalled.received.len() < 1 << 20, "{} bytes were buffered for it", stalled.received.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "daily: measures memory, connections or time"]
async fn a_subscriber_uses_less_than_ten_kilobytes() {
    const READERS: usize = 2_000;
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    std::fs::write(server.data_dir().join("apogee.toml"), "[limits]\nstreams-in-all = 4000\n").unwrap();
    server.run();
    // Allocations of the first streams are not counted.
    drop((0..100).map(|_| Connection::stream(&server)).collect::<Vec<_>>());
    until_none_is_open(&server).await;
    let before = server.memory_mib();
    let open: Vec<Connection> = (0..READERS).map(|_| Connection::stream(&server)).collect();
    assert_eq!(open_streams(&server).await, READERS);
    let more = server.memory_mib().saturating_sub(before);
    assert!(more * 1_024 < READERS as u64 * 10, "{more} MiB for {READERS} readers");
    drop(open);
    until_none_is_open(&server).await;
}

/// The maximum length of the accept queue.
#[cfg(target_os = "linux")]
fn system_backlog() -> usize {
    std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap().trim().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "daily: measures memory, connections or time"]
async fn the_accept_backlog_is_the_maximum_of_the_system() {
    let mut server = Server::process(Backend::Sqlite).await;
    let wanted = system_backlog().min(900);
    assert!(wanted > 128, "the system's limit is {wanted}, so this test would prove nothing");
    // A stopped server accepts no connections; the kernel queues them.
    server.signal("-STOP");
    let waiting: Vec<_> =
        (0..wanted).map_while(|_| TcpStream::connect_timeout(&address(&server), SECOND / 2).ok()).collect();
    server.signal("-CONT");
    assert_eq!(waiting.len(), wanted);
    drop(waiting);
    server.stop();
}

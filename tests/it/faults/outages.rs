//! Outages of the disk and of PostgreSQL. `make daily` runs the tests that take minutes or need root.
//!
//! Figures are printed; limits are asserted with a margin for a busy machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use crate::support::*;

/// A number from the environment, which sets the length of a run.
pub fn env_or(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub fn events(from: i64, count: i64) -> Vec<serde_json::Value> {
    (0..count).map(|n| kill("Ann-1", NPC).pu().at(from + n * 7_000).id(&format!("{from}-{n}")).json()).collect()
}

pub fn run(command: &str, args: &[&str]) {
    let output = Command::new(command).args(args).output().unwrap();
    assert!(output.status.success(), "{command} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A small tmpfs mounted on a directory, unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn over(dir: &Path, size: &str) -> Self {
        run("mount", &["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs", dir.to_str().unwrap()]);
        Self(dir.to_owned())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t09_a_missing_or_damaged_index_is_rebuilt() {
    let mut server = Server::process(Backend::Sqlite).await;
    let key = server.key("reader");
    server.take(&key, &events(now() - DAY, 10)).await;
    let index = server.data_dir().join("search");
    for damage in ["gone", "emptied", "torn"] {
        server.stop();
        match damage {
            "gone" => std::fs::remove_dir_all(&index).unwrap(),
            _ => {
                for item in std::fs::read_dir(&index).unwrap() {
                    let path = item.unwrap().path();
                    if path.is_file() {
                        let half = if damage == "torn" { std::fs::metadata(&path).unwrap().len() / 2 } else { 0 };
                        std::fs::File::options().write(true).open(path).unwrap().set_len(half).unwrap();
                    }
                }
            }
        }
        server.run();
        let found = server.read("/api/search/fast?q=ann").await;
        assert_eq!(found["results"][0]["handle"], "Ann-1", "{damage}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "mounts a small disk, which takes root"]
async fn t08_a_full_disk_rejects_writes_until_space_is_free() {
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    let disk = SmallDisk::over(&server.data_dir(), "40m");
    server.run();
    let key = server.key("reader");
    let filler = server.data_dir().join("filler");
    std::fs::write(&filler, vec![1; 26 << 20]).unwrap();
    let (mut acknowledged, mut from) = (0, now() - 300 * DAY);
    let full = loop {
        let response = server.try_send(&key, &events(from, 500)).await;
        from += DAY;
        if response.status != StatusCode::OK {
            break response;
        }
        acknowledged += response.json()["accepted"].as_i64().unwrap();
    };
    assert_eq!((full.status.as_u16(), full.code().as_str()), (503, "OVERLOADED"));
    assert!(full.text().contains("disk is full") && full.headers.contains_key("retry-after"), "{}", full.text());
    for path in ["/api/health", "/api/player/ann-1", "/api/activity"] {
        assert_eq!(server.get(path).await.status, StatusCode::OK, "{path}");
    }
    let refused = server.try_command(&["backup", server.data_dir().join("b.tar.zst").to_str().unwrap()]);
    assert!(refused.error.contains("twice the size"));
    std::fs::remove_file(&filler).unwrap();
    let began = Instant::now();
    eventually("writing again", async || {
        let response = server.try_send(&key, &events(now() - DAY, 1)).await;
        response.status == StatusCode::OK
    })
    .await;
    let took = began.elapsed();
    println!("T08: {acknowledged} events acknowledged before the disk was full; writing again after {took:?}");
    assert!(took.as_secs() < 10, "{took:?}");
    let stored = server.database.number("SELECT COUNT(*) FROM events");
    assert!(stored > acknowledged, "{stored} stored of {acknowledged}");
    assert_eq!(server.database.words("SELECT integrity_check AS value FROM pragma_integrity_check"), ["ok"]);
    server.stop();
    drop(disk);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "waits ten seconds"]
async fn t11_a_database_lock_delays_requests_without_loss() {
    use diesel::connection::SimpleConnection;
    use diesel::prelude::*;
    let server = Server::process(Backend::Sqlite).await;
    let key = server.key("reader");
    let path = server.database.url.strip_prefix("sqlite:").unwrap().to_owned();
    let mut other = SqliteConnection::establish(&path).unwrap();
    other.batch_execute("BEGIN EXCLUSIVE").unwrap();
    let held = Instant::now();
    let (mut waited, mut deferred) = (0, 0);
    let mut n = 0;
    while held.elapsed() < Duration::from_secs(10) {
        assert_eq!(server.get("/api/patch").await.status, StatusCode::OK, "reads succeed");
        let response = server.try_send(&key, &events(now() - DAY + n * 100_000, 5)).await;
        match response.status {
            StatusCode::OK => waited += 1,
            StatusCode::SERVICE_UNAVAILABLE => {
                assert!(response.headers.contains_key("retry-after"));
                deferred += 1;
            }
            other => panic!("{other}"),
        }
        n += 1;
    }
    other.batch_execute("ROLLBACK").unwrap();
    for again in 0..n {
        assert_eq!(server.try_send(&key, &events(now() - DAY + again * 100_000, 5)).await.status, StatusCode::OK);
    }
    println!("T11: of {n} batches {waited} waited and {deferred} were deferred");
    assert!(deferred > 0);
}

/// A PostgreSQL server of this test that can be stopped.
pub struct Cluster {
    home: tempfile::TempDir,
    address: String,
    port: u16,
    /// The network namespace of the server, if it is not the machine's.
    namespace: Option<String>,
}

impl Cluster {
    fn start() -> Self {
        Self::start_at("127.0.0.1", None)
    }

    /// Starts a server at an address, in a network namespace.
    pub fn start_at(address: &str, namespace: Option<&str>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        run("chown", &["postgres", home.path().to_str().unwrap()]);
        let cluster = Self { home, address: address.into(), port, namespace: namespace.map(Into::into) };
        cluster.command("initdb", &["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8"]);
        let mut guests =
            std::fs::File::options().append(true).open(cluster.home.path().join("data/pg_hba.conf")).unwrap();
        std::io::Write::write_all(&mut guests, b"host all all 10.0.0.0/8 trust\n").unwrap();
        cluster.up();
        cluster
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@{}:{}/postgres", self.address, self.port)
    }

    fn command(&self, name: &str, args: &[&str]) {
        let bins = std::fs::read_dir("/usr/lib/postgresql").unwrap().map(|e| e.unwrap().path());
        let bin = bins.max().unwrap().join("bin").join(name);
        let data = self.home.path().join("data");
        let inside: &[&str] = match &self.namespace {
            Some(namespace) => &["ip", "netns", "exec", namespace],
            None => &["env"],
        };
        // The server inherits open files; a pipe would never be closed.
        let status = Command::new(inside[0])
            .args(&inside[1..])
            .args(["runuser", "-u", "postgres", "--", bin.to_str().unwrap(), "-D", data.to_str().unwrap()])
            .args(args)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{name}");
    }

    fn up(&self) {
        let options =
            format!("-p {} -k {} -c listen_addresses={}", self.port, self.home.path().display(), self.address);
        self.command("pg_ctl", &["-w", "-l", self.home.path().join("log").to_str().unwrap(), "-o", &options, "start"]);
    }

    fn down(&self) {
        self.command("pg_ctl", &["-m", "immediate", "stop"]);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let pid = std::fs::read_to_string(self.home.path().join("data/postmaster.pid")).unwrap_or_default();
        if let Some(id) = pid.lines().next() {
            let _ = Command::new("kill").args(["-QUIT", id]).status();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "starts a separate PostgreSQL, which takes root"]
async fn t13_the_server_reconnects_to_a_restarted_database_under_load() {
    let cluster = Cluster::start();
    let mut server = Server::on(&cluster.url(), &[]).into_process();
    server.run();
    let key = server.key("reader");
    let server = Arc::new(server);
    let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let load = {
        let (server, stop, acknowledged) = (Arc::clone(&server), Arc::clone(&stop), Arc::clone(&acknowledged));
        tokio::spawn(async move {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                let batch = events(now() - 30 * DAY + n * 100_000, 5);
                let status = server.try_send(&key, &batch).await.status;
                assert!(status == 200 || status == 503, "{status}");
                if status == 200 {
                    acknowledged.fetch_add(5, Ordering::Relaxed);
                }
                n += 1;
            }
        })
    };
    eventually("the first batches", async || acknowledged.load(Ordering::Relaxed) > 50).await;
    cluster.down();
    eventually("reporting that it is not ready", async || server.get("/api/ready").await.status == 503).await;
    assert_eq!(server.get("/api/health").await.status, StatusCode::OK);
    cluster.up();
    let before = acknowledged.load(Ordering::Relaxed);
    let began = Instant::now();
    eventually("full service", async || {
        server.get("/api/ready").await.status == 200 && acknowledged.load(Ordering::Relaxed) > before
    })
    .await;
    let took = began.elapsed();
    println!("T13: full service {took:?} after PostgreSQL accepted connections again");
    assert!(took.as_secs() < 20, "{took:?}");
    stop.store(true, Ordering::Relaxed);
    load.await.unwrap();
    let reported = server.read("/api/player/ann-1").await["player"]["overall"].as_u64().unwrap();
    assert!(reported >= acknowledged.load(Ordering::Relaxed), "{reported}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "hundreds of connections"]
async fn t20_shutdown_with_open_streams_is_quick_and_loses_nothing() {
    let count = env_or("APOGEE_STREAMS", 500);
    let mut server = Server::process(Backend::Sqlite).await;
    let key = server.key("reader");
    server.take(&key, &events(now() - DAY, 5)).await;
    let mut streams = Vec::new();
    for _ in 0..count {
        streams.push(server.request(Method::GET, "/api/live?topics=activity").send().await.unwrap());
    }
    let (sender, body) = tokio::sync::mpsc::channel::<Result<bytes::Bytes, std::io::Error>>(1);
    let upload = server.request(Method::POST, "/api/ingest/events").bearer_auth(&key);
    let stream = reqwest::Body::wrap_stream(tokio_stream::wrappers::ReceiverStream::new(body));
    let upload = tokio::spawn(upload.body(stream).send());
    sender.send(Ok(bytes::Bytes::from_static(b"{\"events\":"))).await.unwrap();
    server.take(&key, &events(now() - 2 * DAY, 5)).await;
    let began = Instant::now();
    server.signal("-TERM");
    tokio::task::spawn_blocking(move || {
        server.wait_for_end();
        println!("T20: with {count} streams and a body in progress, stopped after {:?}", began.elapsed());
        assert!(began.elapsed().as_secs() < 20);
        server.run();
        assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), 10);
    })
    .await
    .unwrap();
    drop(sender);
    let _ = upload.await.unwrap();
    for stream in streams {
        // Every request ends in time.
        let _ = tokio::time::timeout(Duration::from_secs(10), stream.bytes()).await.unwrap();
    }
}

/// Writes for `secs` seconds while a read transaction stays open, at most `max_rate` batches of 500 per second. Returns the largest
/// size of the log, and its size soon after the transaction ended, in MiB.
async fn log_size_with_a_reader(secs: u64, max_rate: u32) -> (u64, u64) {
    use diesel::connection::SimpleConnection;
    use diesel::prelude::*;
    let server = Server::process(Backend::Sqlite).await;
    let key = server.key("reader");
    let path = server.database.url.strip_prefix("sqlite:").unwrap().to_owned();
    let mut reader = SqliteConnection::establish(&path).unwrap();
    reader.batch_execute("BEGIN; SELECT COUNT(*) FROM events").unwrap();
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / max_rate);
    let (began, mut n) = (Instant::now(), 0);
    while began.elapsed().as_secs() < secs {
        ticks.tick().await;
        server.take(&key, &events(now() - 300 * DAY + n * 4_000_000, 500)).await;
        n += 1;
    }
    let wal = || std::fs::metadata(format!("{path}-wal")).map_or(0, |meta| meta.len() >> 20);
    let most = wal();
    reader.batch_execute("COMMIT").unwrap();
    let ended = Instant::now();
    eventually("a small log again", async || {
        server.take(&key, &events(now() - 20 * DAY + n * 10_000, 1)).await;
        n += 1;
        wal() <= 64
    })
    .await;
    let took = ended.elapsed();
    println!("T10: {n} batches of 500 in {secs} s: {most} MiB beside a reader, {} MiB {took:?} later", wal());
    assert!(took.as_secs() < 60, "{took:?}");
    (most, wal())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a minute of writing"]
async fn t10_the_log_shrinks_after_a_long_read_transaction() {
    // A thousand events per second: about 300 players in continuous fights.
    let (most, _) = log_size_with_a_reader(60, 2).await;
    assert!(most <= 256, "{most}");
    // As fast as possible: the log shrinks only after the read transaction.
    log_size_with_a_reader(60, 1_000).await;
}

//! The nginx and Caddy snippets, unchanged except for ports, names and certificates: `make daily`.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use crate::api::rate_limits::{connect, exchange, strict};
use crate::support::*;

/// A proxy in front of a site.
struct Proxy {
    process: Child,
    address: String,
    _home: tempfile::TempDir,
}

/// A snippet of `packaging/`.
fn snippet(name: &str) -> String {
    let path = format!("{}/packaging/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Proxy {
    async fn nginx(server: &Server) -> Self {
        let home = tempfile::tempdir().unwrap();
        let (plain, tls) = (free_port(), free_port());
        let site = server.address.strip_prefix("http://").unwrap();
        let snippet: String = snippet("nginx.conf")
            .replace("server 127.0.0.1:8080", &format!("server {site}"))
            .replace("listen 80;", &format!("listen 127.0.0.1:{plain};"))
            .replace("listen 443 ssl http2;", &format!("listen 127.0.0.1:{tls};"))
            .lines()
            .filter(|line| !line.contains("ssl_certificate"))
            .fold(String::new(), |text, line| text + line + "\n");
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {}/{name};\n", home.path().display()))
            .concat();
        let config = format!(
            "daemon off; pid {0}/pid; error_log {0}/error.log; events {{ worker_connections 512; }}\n\
             http {{ access_log off; {temporary} {snippet} }}",
            home.path().display()
        );
        std::fs::write(home.path().join("nginx.conf"), config).unwrap();
        let mut command = Command::new("/usr/sbin/nginx");
        command.arg("-p").arg(home.path()).arg("-c").arg(home.path().join("nginx.conf"));
        Self::start(command, format!("http://127.0.0.1:{tls}"), home, server).await
    }

    async fn caddy(server: &Server) -> Self {
        let home = tempfile::tempdir().unwrap();
        let address = format!("http://127.0.0.1:{}", free_port());
        // Another Caddy may use the default admin port.
        let config = format!("{{\n\tadmin off\n}}\n{}", snippet("Caddyfile"));
        std::fs::write(home.path().join("Caddyfile"), config).unwrap();
        let mut command = Command::new("/usr/bin/caddy");
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(home.path().join("Caddyfile"));
        command.env("HOME", home.path()).env("SITE", &address);
        command.env("UPSTREAMS", server.address.strip_prefix("http://").unwrap());
        Self::start(command, address, home, server).await
    }

    async fn start(mut command: Command, address: String, home: tempfile::TempDir, server: &Server) -> Self {
        let process = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn();
        let process = process.expect("this test needs nginx and caddy: tests/install.sh nginx caddy");
        let proxy = Self { process, address, _home: home };
        eventually("the start of the proxy", async || {
            server.client.get(format!("{}/api/health", proxy.address)).send().await.is_ok_and(|a| a.status() == 200)
        })
        .await;
        proxy
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // SIGTERM also ends its workers.
        let id = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.process.wait();
    }
}

/// Runs each of these bodies behind each proxy.
macro_rules! behind_each {
    ($($name:ident),+ $(,)?) => {
        $(
            mod $name {
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                #[ignore = "needs nginx"]
                async fn behind_nginx() {
                    super::$name(async |server| super::Proxy::nginx(server).await).await;
                }
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                #[ignore = "needs caddy"]
                async fn behind_caddy() {
                    super::$name(async |server| super::Proxy::caddy(server).await).await;
                }
            }
        )+
    };
}

behind_each!(
    t38_a_proxy_forwards_events_without_delay,
    t45_behind_a_proxy_clients_are_counted_and_spoofed_headers_ignored,
    t33_no_request_is_smuggled_through_a_proxy,
);

async fn t38_a_proxy_forwards_events_without_delay(proxy: impl AsyncFn(&Server) -> Proxy) {
    let server = Server::process(Backend::Sqlite).await;
    let proxy = proxy(&server).await;
    let key = server.key("reader");
    let request = server.client.get(format!("{}/api/live?topics=activity", proxy.address));
    let mut stream = request.header("accept-encoding", "br, gzip").send().await.unwrap();
    assert_eq!(stream.status(), StatusCode::OK);
    assert!(stream.headers().get("content-encoding").is_none_or(|encoding| encoding == "identity"));
    server.take(&key, &npc_kills("Ann-1", 1, now() - DAY)).await;
    let (sent, mut received) = (Instant::now(), String::new());
    while !received.contains("event: activity") {
        let piece = tokio::time::timeout(Duration::from_secs(10), stream.chunk())
            .await
            .expect("the proxy delays the event")
            .unwrap();
        received.push_str(&String::from_utf8_lossy(&piece.expect("the stream continues")));
    }
    println!("T38: through a proxy after {:?}", sent.elapsed());
}

async fn t45_behind_a_proxy_clients_are_counted_and_spoofed_headers_ignored(proxy: impl AsyncFn(&Server) -> Proxy) {
    let server = strict(Backend::Sqlite, "reads = 6").await;
    let proxy = proxy(&server).await;
    let request_from = async |claimed: &str| {
        let request = server.client.request(Method::GET, format!("{}/api/patch", proxy.address));
        request.header("x-forwarded-for", claimed).send().await.unwrap().status()
    };
    let mut refused = 0;
    for n in 0..12 {
        // Each request claims another address.
        if request_from(&format!("198.51.100.{n}")).await == StatusCode::TOO_MANY_REQUESTS {
            refused += 1;
        }
    }
    assert!(refused >= 5, "{refused}");
}

async fn t33_no_request_is_smuggled_through_a_proxy(proxy: impl AsyncFn(&Server) -> Proxy) {
    let server = Server::process(Backend::Sqlite).await;
    let proxy = proxy(&server).await;
    let hidden = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
    let head = "POST /api/analytics/track HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    for (what, request) in [
        (
            "both a length and chunked encoding",
            format!("{head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        ),
        ("two lengths", format!("{head}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{{}}{hidden}")),
        ("an unknown encoding", format!("{head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}")),
    ] {
        let response = exchange(&proxy.address, request.as_bytes());
        assert_eq!(response.matches("HTTP/1.1 ").count(), 1, "{what}: {response}");
        assert!(!response.contains("apogee_requests_total"), "{what}: {response}");
    }
    // Metrics are for loopback only, and clients behind a proxy are not on loopback.
    let status = server.client.get(format!("{}/metrics", proxy.address)).send().await.unwrap().status();
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "idles for a minute"]
async fn idle_connections_outlive_the_keep_alive_of_proxies() {
    let server = Server::process(Backend::Sqlite).await;
    let mut stream = connect(&server.address);
    for rest in [0, 61] {
        tokio::time::sleep(Duration::from_secs(rest)).await;
        stream.write_all(b"GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut received = String::new();
        while !received.ends_with('}') {
            let mut bytes = [0; 2_048];
            let length = stream.read(&mut bytes).unwrap();
            assert!(length > 0, "closed after {rest} s of idling");
            received += &String::from_utf8_lossy(&bytes[..length]);
        }
        assert!(received.starts_with("HTTP/1.1 200"), "{received}");
    }
}

//! The snippet for nginx, run as it is but for ports, names and certificates: `make faults`.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use crate::guard::{exchange, strict};
use crate::support::*;

/// nginx in front of a site.
struct Nginx {
    process: Child,
    address: String,
    _home: tempfile::TempDir,
}

impl Nginx {
    async fn before(server: &Server) -> Self {
        let home = tempfile::tempdir().unwrap();
        let port = || std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (plain, tls) = (port(), port());
        let site = server.address.strip_prefix("http://").unwrap();
        let snippet = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/nginx.conf")).unwrap();
        let snippet: String = snippet
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
        let process = Command::new("/usr/sbin/nginx")
            .arg("-p")
            .arg(home.path())
            .arg("-c")
            .arg(home.path().join("nginx.conf"))
            .stderr(Stdio::null())
            .spawn()
            .expect("this test needs nginx: tests/install.sh nginx");
        let nginx = Self { process, address: format!("http://127.0.0.1:{tls}"), _home: home };
        crate::faults::until(10, "the start of nginx", async || {
            server.client.get(format!("{}/api/health", nginx.address)).send().await.is_ok_and(|a| a.status() == 200)
        })
        .await;
        nginx
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its workers go with it.
        let id = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nginx"]
async fn t38_events_come_through_nginx_as_they_happen() {
    let server = Server::start(Backend::Sqlite).await;
    let nginx = Nginx::before(&server).await;
    let key = server.key("reader");
    let request = server.client.get(format!("{}/api/live?topics=activity", nginx.address));
    let mut stream = request.header("accept-encoding", "br, gzip").send().await.unwrap();
    assert_eq!(stream.status(), StatusCode::OK);
    assert!(stream.headers().get("content-encoding").is_none_or(|encoding| encoding == "identity"));
    server.take(&key, &npc_kills("Ann-1", 1, now() - DAY)).await;
    let (sent, mut told) = (Instant::now(), String::new());
    while !told.contains("event: activity") {
        let piece =
            tokio::time::timeout(Duration::from_secs(10), stream.chunk()).await.expect("it is held back").unwrap();
        told.push_str(&String::from_utf8_lossy(&piece.expect("the stream goes on")));
    }
    println!("T38: through nginx after {:?}", sent.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nginx"]
async fn t45_behind_nginx_visitors_count_and_what_they_claim_does_not() {
    let server = strict(Backend::Sqlite, "reads = 6").await;
    let nginx = Nginx::before(&server).await;
    let ask = async |claimed: &str| {
        let request = server.client.request(Method::GET, format!("{}/api/patch", nginx.address));
        request.header("x-forwarded-for", claimed).send().await.unwrap().status()
    };
    let mut refused = 0;
    for n in 0..12 {
        // Each claims to be somebody else.
        if ask(&format!("198.51.100.{n}")).await == StatusCode::TOO_MANY_REQUESTS {
            refused += 1;
        }
    }
    assert!(refused >= 5, "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nginx"]
async fn t33_nothing_is_smuggled_past_nginx() {
    let server = Server::start(Backend::Sqlite).await;
    let nginx = Nginx::before(&server).await;
    let hidden = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
    let head = "POST /api/analytics/track HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    for (what, request) in [
        (
            "length and chunks",
            format!("{head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        ),
        ("two lengths", format!("{head}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{{}}{hidden}")),
        ("an odd encoding", format!("{head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}")),
    ] {
        let (told, _) = exchange(&nginx.address, request.as_bytes());
        assert_eq!(told.matches("HTTP/1.1 ").count(), 1, "{what}: {told}");
        assert!(!told.contains("apogee_requests_total"), "{what}: {told}");
    }
    // Figures are for this machine alone, and who comes through a proxy is not on it.
    let status = server.client.get(format!("{}/metrics", nginx.address)).send().await.unwrap().status();
    assert_eq!(status, StatusCode::NOT_FOUND);
}

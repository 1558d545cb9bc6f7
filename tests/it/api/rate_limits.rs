//! Checks before every route: limits by address and account, timeouts, malformed requests, metrics.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use reqwest::{Method, StatusCode};

use crate::support::*;

/// A site that limits loopback too and trusts a proxy on it.
pub async fn strict(on: Backend, limits: &str) -> Server {
    let mut server = Server::prepare(on);
    let file = format!("trusted-proxies = [\"127.0.0.1\"]\n[limits]\nloopback = true\n{limits}\n");
    std::fs::write(server.data_dir().join("apogee.toml"), file).unwrap();
    server.run();
    server
}

async fn from(server: &Server, address: &str, path: &str) -> Response {
    server.execute(server.request(Method::GET, path).header("x-forwarded-for", address)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t45_an_address_over_its_limit_gets_retry_after_and_is_then_blocked() {
    let server = strict(Backend::Sqlite, "reads = 2\npages = 10\nblock-after = 5").await;
    let (ours, other) = ("198.51.100.7", "198.51.100.8");
    // The third of a minute, half of which would have to pass first.
    for _ in 0..2 {
        assert_eq!(from(&server, ours, "/api/patch").await.status, StatusCode::OK);
    }
    let refused = from(&server, ours, "/api/patch").await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (429, "RATE_LIMIT_EXCEEDED"));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=31).contains(&wait), "{wait}");
    assert_eq!(refused.header("x-content-type-options"), Some("nosniff"));
    // Addresses to the left of the proxy's own entry are ignored.
    let spoofed = from(&server, &format!("203.0.113.1, {ours}"), "/api/patch").await;
    assert_eq!(spoofed.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(from(&server, other, "/api/patch").await.status, StatusCode::OK, "other addresses are not affected");
    for _ in 0..4 {
        from(&server, ours, "/api/patch").await;
    }
    let out = from(&server, ours, "/api/players/top").await;
    assert_eq!((out.status.as_u16(), out.code().as_str()), (403, "SUSPICIOUS_ACCESS_BLOCKED"));
    let wait: u64 = out.header("retry-after").unwrap().parse().unwrap();
    assert!((540..=600).contains(&wait), "{wait}");
    assert_eq!(from(&server, ours, "/api/health").await.status, StatusCode::OK, "health checks are not limited");
    // Browsers get an HTML page with the request id of the log.
    let request = server.request(Method::GET, "/players").header("x-forwarded-for", ours).header("accept", "text/html");
    let page = server.execute(request).await;
    assert_eq!(page.status, StatusCode::FORBIDDEN);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.text().contains(page.header("x-request-id").unwrap()), "{}", page.text());
    let figures = server.get("/metrics").await.text();
    assert!(figures.contains("apogee_blocks_total 1"), "{figures}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_limited_over_all_addresses() {
    let server = strict(Backend::Sqlite, "ingests = 3").await;
    let key = server.key("reader");
    let send = |n: u8| {
        let request = server.request(Method::POST, "/api/ingest/events").bearer_auth(&key).body("{\"events\":[]}");
        server.execute(request.header("x-forwarded-for", format!("198.51.100.{n}")))
    };
    for n in 0..3 {
        assert_eq!(send(n).await.status, StatusCode::OK);
    }
    let refused = send(9).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.text().contains("account"), "{}", refused.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t04_live_streams_are_limited_in_total_and_per_address() {
    let server = strict(Backend::Sqlite, "streams-in-all = 4\nstreams-per-address = 2\nstreams = 100000").await;
    let open = async |address: &str| {
        let request = server.request(Method::GET, "/api/live?topics=counts").header("x-forwarded-for", address);
        request.send().await.unwrap()
    };
    let first = open("198.51.100.1").await;
    let _second = open("198.51.100.1").await;
    assert_eq!(first.status(), StatusCode::OK);
    let third = open("198.51.100.1").await;
    assert_eq!(third.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(third.headers().contains_key("retry-after"));
    let _more = [open("198.51.100.2").await, open("198.51.100.3").await];
    let full = open("198.51.100.4").await;
    assert_eq!(full.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(full.headers().contains_key("retry-after"));
    // A disconnected client's permit is released.
    drop(first);
    eventually("the permit is released", async || open("198.51.100.4").await.status() == StatusCode::OK).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_encoded_path_takes_a_stream_permit() {
    let server = strict(Backend::Sqlite, "streams-in-all = 1").await;
    let _open = from_stream(&server, "/api/l%69ve?topics=counts").await;
    for path in ["/api/live?topics=counts", "/%61pi/%6Cive?topics=counts"] {
        let refused = from_stream(&server, path).await;
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE, "{path}");
    }
}

async fn from_stream(server: &Server, path: &str) -> reqwest::Response {
    server.request(Method::GET, path).header("x-forwarded-for", "198.51.100.1").send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_encoded_path_has_the_class_of_its_route() {
    let server = strict(Backend::Sqlite, "reads = 2\nwrites = 3\nuploads = 1").await;
    for spellings in [
        ["/api/patch", "/%61pi/patch", "/api/p%61tch"].as_slice(),
        ["/api/player/ann-1", "/api/%70layer/ann-1", "/api/player/%61nn-1"].as_slice(),
    ] {
        let address = format!("198.51.100.{}", spellings[0].len());
        let responses = [
            from(&server, &address, spellings[0]).await.status,
            from(&server, &address, spellings[1]).await.status,
            from(&server, &address, spellings[2]).await.status,
        ];
        assert_eq!(responses[2], StatusCode::TOO_MANY_REQUESTS, "{spellings:?}: {responses:?}");
        assert!(!responses[..2].contains(&StatusCode::TOO_MANY_REQUESTS), "{spellings:?}: {responses:?}");
    }
    let post = |path: &'static str, address: &'static str| {
        server.execute(server.request(Method::POST, path).header("x-forwarded-for", address))
    };
    assert_eq!(post("/api/upl%6Fad/profile-image", "203.0.113.1").await.status, StatusCode::UNAUTHORIZED);
    let second = post("/%61pi/upload/profile-image", "203.0.113.1").await;
    assert_eq!(
        second.status,
        StatusCode::TOO_MANY_REQUESTS,
        "the limit of uploads applies, not that of pages or writes"
    );
    // Unknown paths below /api/webhooks count, although webhooks do not.
    for n in 0..4 {
        let status = post("/api/webhooks/nobody", "203.0.113.2").await.status;
        let expected = if n < 3 { StatusCode::NOT_FOUND } else { StatusCode::TOO_MANY_REQUESTS };
        assert_eq!(status, expected, "call {n}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_encoded_path_returns_the_same_page() {
    let server = Server::start(Backend::Sqlite).await;
    server.take(&server.key("reader"), &npc_kills("Ann-1", 1, now() - DAY)).await;
    for path in ["/player/%41nn-1", "/%70layer/Ann-1", "/pl%61yers"] {
        assert_eq!(server.get(path).await.status, StatusCode::OK, "{path}");
    }
    assert_eq!(
        server.get("/%61pi/nothing").await.code(),
        "NOT_FOUND",
        "errors below /api are JSON in any spelling of the path"
    );
    assert_eq!(server.get("/%61ssets/%69ndex-gone.js").await.code(), "NOT_FOUND");
}

/// A site on a dual-stack socket sees a proxy on the same machine as `::ffff:127.0.0.1`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trusted_proxy_on_an_ipv6_socket_forwards_its_clients() {
    let mut server = Server::prepare(Backend::Sqlite);
    let file = "trusted-proxies = [\"127.0.0.1\"]\n[limits]\nreads = 2\n";
    std::fs::write(server.data_dir().join("apogee.toml"), file).unwrap();
    server.run_at("[::]:0");
    server.address = server.address.replace("[::]", "127.0.0.1");
    for status in [StatusCode::OK, StatusCode::OK, StatusCode::TOO_MANY_REQUESTS] {
        assert_eq!(from(&server, "198.51.100.7", "/api/patch").await.status, status);
    }
    assert_eq!(from(&server, "::ffff:198.51.100.7", "/api/patch").await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(from(&server, "198.51.100.8", "/api/patch").await.status, StatusCode::OK);
    assert_eq!(server.get("/metrics").await.status, StatusCode::OK, "a direct call from loopback");
    assert_eq!(from(&server, "198.51.100.8", "/metrics").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_reject_an_untrusted_loopback_proxy() {
    let open = Server::start(Backend::Sqlite).await;
    let trusting = strict(Backend::Sqlite, "").await;
    let status = async |server: &Server, header: Option<(&'static str, &'static str)>| {
        let request = server.request(Method::GET, "/metrics");
        let request = header.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        server.execute(request).await.status.as_u16()
    };
    for name in ["x-forwarded-for", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "via"] {
        assert_eq!(status(&open, Some((name, "127.0.0.1"))).await, 404, "{name}");
    }
    assert_eq!(status(&open, Some(("forwarded", "for=127.0.0.1"))).await, 404);
    assert_eq!((status(&open, None).await, status(&trusting, None).await), (200, 200));
    assert_eq!(status(&trusting, Some(("x-forwarded-for", "198.51.100.1"))).await, 404);
    assert_eq!(status(&trusting, Some(("x-forwarded-for", "127.0.0.1"))).await, 200);
}

/// Sends bytes and returns everything received until the connection is closed.
pub fn exchange(address: &str, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    // The server may close the connection before everything is sent.
    let _ = stream.write_all(bytes);
    let mut received = Vec::new();
    let _ = stream.read_to_end(&mut received);
    String::from_utf8_lossy(&received).into_owned()
}

pub fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(HANG)).unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t33_ambiguous_requests_are_rejected() {
    let server = Server::start(Backend::Sqlite).await;
    let hidden = "GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n";
    let head = "POST /api/analytics/track HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    for (what, request) in [
        (
            "length and chunks",
            format!("{head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        ),
        ("two lengths", format!("{head}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{{}}{hidden}")),
        ("a signed length", format!("{head}Content-Length: +2\r\n\r\n{{}}{hidden}")),
        ("an odd encoding", format!("{head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}")),
        ("a huge chunk", format!("{head}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{hidden}")),
        ("a folded header", format!("{head}X-A: b\r\n c: d\r\nContent-Length: 2\r\n\r\n{{}}{hidden}")),
        ("a space before the colon", format!("{head}Content-Length : 2\r\n\r\n{{}}{hidden}")),
    ] {
        let response = exchange(&server.address, request.as_bytes());
        assert!(response.starts_with("HTTP/1.1 400"), "{what}: {response}");
        assert_eq!(response.matches("HTTP/1.1 ").count(), 1, "{what}: a second response to one request: {response}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t30_slow_heads_are_cut_off_while_other_requests_are_served() {
    let server = Server::start(Backend::Sqlite).await;
    let mut slow: Vec<TcpStream> = (0..200).map(|_| connect(&server.address)).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /api/health HTTP/1.1\r\nHost: x\r\nX-Slow: ").unwrap();
    }
    assert_eq!(server.get("/api/patch").await.status, StatusCode::OK);
    tokio::task::spawn_blocking(move || {
        for mut stream in slow {
            // Another byte does not extend the timeout.
            let _ = stream.write_all(b"x");
            let mut received = Vec::new();
            let ended = stream.read_to_end(&mut received).map_err(|error| error.kind());
            assert!(!matches!(ended, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "the connection stays open");
            let response = String::from_utf8_lossy(&received).into_owned();
            assert!(response.is_empty() || response.starts_with("HTTP/1.1 408"), "{response}");
        }
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t34_no_path_escapes_the_file_directory() {
    let server = Server::start(Backend::Sqlite).await;
    std::fs::create_dir_all(server.data_dir().join("static")).unwrap();
    std::fs::write(server.data_dir().join("static/.hidden"), "hush").unwrap();
    std::fs::write(server.data_dir().join("static/own.txt"), "own").unwrap();
    assert_eq!(server.get("/static/own.txt").await.text(), "own");
    let secret = std::fs::read_to_string(server.data_dir().join("secret")).unwrap();
    for path in [
        "/static/../secret",
        "/static/..%2fsecret",
        "/static/%2e%2e/secret",
        "/static/..%5csecret",
        "/static/.hidden",
        "/static/%00",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/pages/..%2f..%2fsecret",
        "/assets/index-gone.js",
        "/assets/..%2findex.html",
    ] {
        let response = exchange(
            &server.address,
            format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes(),
        );
        assert!(response.starts_with("HTTP/1.1 404") || response.starts_with("HTTP/1.1 400"), "{path}: {response}");
        assert!(
            !response.contains(&secret) && !response.contains("hush") && !response.contains("<!doctype"),
            "{path}: {response}"
        );
    }
    for range in ["bytes=", "bytes=-", "bytes=9-1", "bytes=0-0,2-3", "lines=1-2", "bytes=99999999999999999999-"] {
        let request = server.request(Method::GET, "/static/own.txt").header("range", range);
        let status = server.execute(request).await.status.as_u16();
        assert!([200, 206, 416].contains(&status), "{range}: {status}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t53_scanners_add_no_series_to_the_metrics() {
    let server = Server::start(Backend::Sqlite).await;
    let series = async || server.get("/metrics").await.text().lines().filter(|line| !line.starts_with('#')).count();
    let before = series().await;
    for n in 0..300 {
        server.get(&format!("/wp-admin/{n}.php")).await;
        server.get(&format!("/api/{n}")).await;
    }
    assert_eq!(series().await, before);
    let figures = server.get("/metrics").await.text();
    let counted = |line: &str| figures.lines().find_map(|l| l.strip_prefix(line)?.trim().parse::<u64>().ok());
    assert!(counted("apogee_requests_total{class=\"read\",status=\"4xx\"}").unwrap() >= 300, "{figures}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_response_has_a_unique_request_id() {
    let server = Server::start(Backend::Sqlite).await;
    let mut seen = std::collections::BTreeSet::new();
    for path in ["/", "/api/patch", "/api/nothing", "/static/none", "/players", "/metrics"] {
        let response = server.get(path).await;
        assert!(seen.insert(response.header("x-request-id").unwrap().to_owned()), "{path}");
    }
}

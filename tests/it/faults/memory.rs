//! T31, T48: oversized requests neither fill the memory nor delay others.

use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use crate::support::pictures::*;
use crate::support::*;

/// The maximum increase of memory.
const RISE_MIB: u64 = 64;

/// A gigabyte of zeros, compressed by zstd to some kilobytes.
fn packed_gigabyte() -> Vec<u8> {
    let mut packed = zstd::Encoder::new(Vec::new(), 1).unwrap();
    let piece = vec![b' '; 1 << 20];
    for _ in 0..1024 {
        packed.write_all(&piece).unwrap();
    }
    packed.finish().unwrap()
}

/// A quarter of a gigabyte, compressed by gzip.
fn gzipped_zeros() -> Vec<u8> {
    let packed = Command::new("sh").args(["-c", "head -c 268435456 /dev/zero | gzip -9"]).output().unwrap();
    assert!(packed.stdout.len() < 1 << 20, "the compressed body is within the limit");
    packed.stdout
}

/// A site with a user that may upload pictures.
async fn site() -> (Server, mock_server::MockServer, String, String) {
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    let discord = server.with_discord().await;
    std::fs::write(server.data_dir().join("apogee.toml"), "[limits]\nenabled = false\n").unwrap();
    server.run();
    let (token, key) = (server.sign_in("7001").await, server.key("reader"));
    server.give_player("7001", "Pic-Owner");
    (server, discord, token, key)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "daily: measures memory, connections or time"]
async fn t31_oversized_bodies_are_rejected_without_buffering() {
    let (server, _discord, token, key) = site().await;
    let path = "/api/ingest/events";
    // Lets the server allocate what its ordinary work needs before the measurement.
    for _ in 0..4 {
        server.upload(&token, "profile-image", &photograph()).await;
        server.take(&key, &npc_kills("Ann-1", 500, now() - DAY * i64::from(rand::random::<u8>()))).await;
    }
    let before = server.memory_mib();
    server.reset_peak();
    for (encoding, body) in [("zstd", packed_gigabyte()), ("gzip", gzipped_zeros())] {
        for _ in 0..3 {
            let request = server.request(Method::POST, path).bearer_auth(&key).header("content-encoding", encoding);
            let response = server.execute(request.body(body.clone())).await;
            assert_eq!(response.status, StatusCode::PAYLOAD_TOO_LARGE, "{encoding}: {}", response.text());
        }
    }
    // A connection that is closed while the body is being sent counts as a rejection.
    let refused = async |request: reqwest::RequestBuilder| match request.send().await {
        Ok(response) => assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE),
        Err(error) => assert!(error.is_request() || error.is_body(), "{error:?}"),
    };
    let large = vec![b' '; 100 << 20];
    for _ in 0..3 {
        refused(server.request(Method::POST, path).bearer_auth(&key).body(large.clone())).await;
        let body = form(&[("image", &large)]);
        refused(server.form_request("/api/upload/profile-image", body).bearer_auth(&token)).await;
        refused(server.request(Method::POST, "/api/player/settings").bearer_auth(&token).body(large.clone())).await;
    }
    // These requests only declare their size; the connections stay open for a while.
    let said: Vec<_> = [path, "/api/analytics/track", "/api/player/settings"]
        .map(|path| {
            let mut stream = std::net::TcpStream::connect(server.address.strip_prefix("http://").unwrap()).unwrap();
            write!(stream, "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4294967296\r\n\r\n{{").unwrap();
            stream
        })
        .into();
    let bomb = png_of_size(100_000, 100_000);
    assert!(server.send_picture(&token, "profile-image", &bomb).await.status.is_client_error());
    let peak = server.peak_memory_mib();
    drop(said);
    println!("T31: {before} MiB before, {peak} MiB at the most");
    assert!(peak < before + RISE_MIB, "{before} MiB before, {peak} MiB at the most");
    server.read("/api/player/Ann-1").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "daily: measures memory, connections or time"]
async fn t48_twenty_concurrent_uploads_do_not_delay_reads() {
    let (server, _discord, _token, key) = site().await;
    server.take(&key, &npc_kills("Ann-1", 100, now() - DAY)).await;
    // An account uploads one picture at a time.
    let mut tokens = Vec::new();
    for n in 0..20 {
        let id = format!("80{n:02}");
        tokens.push(server.sign_in(&id).await);
        server.give_player(&id, &format!("Pic-Owner-{n}"));
    }
    let heavy = file(&flag(4_000, 3_000), image::ImageFormat::Png);
    let sending = futures_util::future::join_all(tokens.iter().enumerate().map(|(n, token)| {
        let image = if n % 4 == 0 { png_of_size(100_000, 100_000) } else { heavy.clone() };
        let server = &server;
        async move { server.send_picture(token, "profile-image", &image).await.status }
    }));
    let reading = async {
        let (began, mut times) = (Instant::now(), Vec::new());
        while began.elapsed() < Duration::from_secs(4) {
            let sent = Instant::now();
            server.read("/api/player/Ann-1").await;
            times.push(sent.elapsed());
        }
        times.sort();
        times
    };
    let (statuses, times) = tokio::join!(sending, reading);
    assert!(statuses.iter().all(|s| matches!(s.as_u16(), 200 | 400 | 413 | 503)), "{statuses:?}");
    let p99 = times[times.len() * 99 / 100];
    println!("T48: {} reads beside 20 uploads, p99 {p99:?}", times.len());
    assert!(p99 < Duration::from_secs(2), "{p99:?}");
}

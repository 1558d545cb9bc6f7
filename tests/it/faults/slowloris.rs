//! T30: thousands of clients that send one byte per second do not delay others. `APOGEE_SLOW` sets their number (default 1,000).

use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::faults::env_or;
use crate::support::*;

/// Sends a beginning, then one byte per second until the connection is closed; returns the duration and the response.
async fn trickle(address: String, beginning: String, byte: u8) -> (Duration, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(beginning.as_bytes()).await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    let began = Instant::now();
    let drops = tokio::spawn(async move {
        while writing.write_all(&[byte]).await.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let mut received = Vec::new();
    // A closed connection may return an error.
    let _ = reading.read_to_end(&mut received).await;
    drops.abort();
    (began.elapsed(), String::from_utf8_lossy(&received).into_owned())
}

/// The 99th percentile of response times of consecutive requests over this time.
async fn p99(server: &Server, secs: u64) -> Duration {
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed().as_secs() < secs {
        let sent = Instant::now();
        assert_eq!(server.get("/api/players/leaderboard").await.status, StatusCode::OK);
        times.push(sent.elapsed());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "thousands of connections for half a minute"]
async fn t30_thousands_of_slow_clients_are_cut_off_and_others_are_served() {
    let server = Server::process(Backend::Sqlite).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 3, now() - DAY)).await;
    let address = server.address.strip_prefix("http://").unwrap().to_owned();
    let alone = p99(&server, 3).await;
    let count = env_or("APOGEE_SLOW", 1_000);
    let (mut heads, mut bodies) = (tokio::task::JoinSet::new(), tokio::task::JoinSet::new());
    let head = "GET /api/health HTTP/1.1\r\nHost: x\r\nX-Slow: ".to_owned();
    let body = format!(
        "{} /api/ingest/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Length: 100000\r\n\r\n",
        Method::POST
    );
    for _ in 0..count {
        heads.spawn(trickle(address.clone(), head.clone(), b'x'));
        bodies.spawn(trickle(address.clone(), body.clone(), b' '));
    }
    let beside = p99(&server, 20).await;
    for (what, ended, longest) in [("heads", heads.join_all().await, 15), ("bodies", bodies.join_all().await, 45)] {
        let worst = ended.iter().map(|(took, _)| *took).max().unwrap();
        for (_, response) in &ended {
            let status = response.get(..12).unwrap_or_default();
            assert!(["", "HTTP/1.1 400", "HTTP/1.1 408"].contains(&status), "{response}");
        }
        println!("T30: {} {what}, the last one cut off after {worst:?}", ended.len());
        assert!(worst.as_secs() < longest);
    }
    println!("T30: leaderboards p99 {beside:?} meanwhile, {alone:?} alone");
}

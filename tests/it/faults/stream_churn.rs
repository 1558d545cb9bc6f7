//! T37: clients that open and close live streams thousands of times: `make daily`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::faults::env_or;
use crate::support::*;

/// Opens a stream and closes it, by a reset or as a browser does.
fn connect_and_disconnect(address: &str, is_reset: bool) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(b"GET /api/live?topics=activity,counts HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let (mut received, mut piece) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&received).contains("retry: 3000") {
        let length = stream.read(&mut piece).unwrap();
        assert!(length > 0, "{}", String::from_utf8_lossy(&received));
        received.extend_from_slice(&piece[..length]);
    }
    if is_reset {
        socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "ten thousand rounds"]
async fn t37_stream_churn_leaks_nothing() {
    let rounds = env_or("APOGEE_ROUNDS", 10_000);
    let server = Server::process(Backend::Sqlite).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 5, now() - DAY)).await;
    let (files, memory) = (server.open_files(), server.memory_mib());
    let address = server.address.strip_prefix("http://").unwrap().to_owned();
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let address = address.clone();
            std::thread::spawn(move || (0..rounds / 8).for_each(|n| connect_and_disconnect(&address, n % 2 == 0)))
        })
        .collect();
    // Events are published meanwhile.
    let mut n = 0;
    while clients.iter().any(|thread| !thread.is_finished()) {
        server.take(&key, &npc_kills("Ann-1", 5, now() - 300 * DAY + n * 1_000_000)).await;
        n += 1;
    }
    clients.into_iter().for_each(|thread| thread.join().unwrap());
    let began = Instant::now();
    eventually("releasing every permit", async || {
        let figures = server.get("/metrics").await.text();
        figures.contains("\napogee_live_readers 0\n") && server.open_files() <= files + 8
    })
    .await;
    let took = began.elapsed();
    let (files_after, memory_after) = (server.open_files(), server.memory_mib());
    println!(
        "T37: {rounds} rounds; all permits released {took:?} after the last; files {files} to {files_after}, \
         memory {memory} to {memory_after} MiB"
    );
    assert!(took.as_secs() < 60, "{took:?}");
    assert!(memory_after < memory + 64, "{memory} to {memory_after} MiB");
}

//! A small single-threaded HTTP client for load: persistent connections, one request at a time on each, every response timed.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Outcome;
use super::report::p50_p99;

pub const CONNECTIONS: usize = 64;

/// The result of a load.
pub struct Load {
    pub times: Vec<Duration>,
    pub per_sec: f64,
    /// Number of responses other than 200 and 304.
    pub failed: usize,
    pub unchanged: usize,
}

impl Load {
    pub fn text(&mut self) -> String {
        let failed = if self.failed > 0 { format!(", {} FAILED", self.failed) } else { String::new() };
        format!("{}, {:.0}/s{failed}", p50_p99(&mut self.times), self.per_sec)
    }
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

/// A GET request as a browser sends it, with additional header lines.
pub fn get(path: &str, more: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: bench\r\naccept: */*\r\n{more}\r\n").into_bytes()
}

pub fn escaped(text: &str) -> String {
    text.bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() || b == b'_' || b == b'-' { char::from(b).into() } else { format!("%{b:02X}") }
        })
        .collect()
}

/// Repeats the requests until `count` are answered, over 64 connections.
pub fn load(address: SocketAddr, requests: &[Vec<u8>], count: usize) -> Outcome<Load> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let next = AtomicUsize::new(0);
        let began = Instant::now();
        let connections = (0..CONNECTIONS).map(|_| connection(address, requests, &next, count));
        let parts = futures_util::future::join_all(connections).await;
        let secs = began.elapsed().as_secs_f64();
        let mut all = Load { times: Vec::with_capacity(count), per_sec: 0.0, failed: 0, unchanged: 0 };
        for part in parts {
            let part = part?;
            all.times.extend(part.times);
            all.failed += part.failed;
            all.unchanged += part.unchanged;
        }
        all.per_sec = all.times.len() as f64 / secs;
        Ok(all)
    })
}

/// Sends a single request.
pub fn send(address: SocketAddr, request: &[u8]) -> Outcome<Answer> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(request).await?;
        read(&mut stream, &mut Vec::new()).await
    })
}

async fn connection(address: SocketAddr, requests: &[Vec<u8>], next: &AtomicUsize, count: usize) -> Outcome<Load> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(1 << 16);
    let mut done = Load { times: Vec::new(), per_sec: 0.0, failed: 0, unchanged: 0 };
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return Ok(done);
        }
        let began = Instant::now();
        stream.write_all(&requests[number % requests.len()]).await?;
        let answer = read(&mut stream, &mut buffer).await?;
        done.times.push(began.elapsed());
        done.failed += usize::from(answer.status != 200 && answer.status != 304);
        done.unchanged += usize::from(answer.status == 304);
    }
}

async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Outcome<Answer> {
    buffer.clear();
    let head_end = loop {
        if let Some(at) = memchr::memmem::find(buffer, b"\r\n\r\n") {
            break at + 4;
        }
        more(stream, buffer).await?;
    };
    let head = String::from_utf8_lossy(&buffer[..head_end]).to_ascii_lowercase();
    let status = head.get(9..12).and_then(|text| text.parse().ok()).ok_or("no status")?;
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let mut at = head_end;
    let mut body = Vec::new();
    if let Some(len) = field("content-length:") {
        let end = at + len.parse::<usize>()?;
        while buffer.len() < end {
            more(stream, buffer).await?;
        }
        body.extend_from_slice(&buffer[at..end]);
    } else if field("transfer-encoding:") == Some("chunked") {
        loop {
            let line_end = loop {
                if let Some(found) = memchr::memmem::find(&buffer[at..], b"\r\n") {
                    break at + found;
                }
                more(stream, buffer).await?;
            };
            let size = usize::from_str_radix(std::str::from_utf8(&buffer[at..line_end])?, 16)?;
            let end = line_end + 2 + size + 2;
            while buffer.len() < end {
                more(stream, buffer).await?;
            }
            body.extend_from_slice(&buffer[line_end + 2..end - 2]);
            at = end;
            if size == 0 {
                break;
            }
        }
    }
    Ok(Answer { status, head, body })
}

async fn more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Outcome<()> {
    match stream.read_buf(buffer).await? {
        0 => Err("the connection was closed".into()),
        _ => Ok(()),
    }
}

//! A mock HTTP server: it responds as the test specifies and records requests.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A recorded request; header names are lowercase.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Status, headers and body.
pub type Response = (u16, Vec<(&'static str, String)>, Vec<u8>);

#[derive(Clone)]
pub struct MockHttp {
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl MockHttp {
    pub async fn start(response: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let this = Self { url: format!("http://{}", listener.local_addr().unwrap()), requests: Arc::default() };
        let (requests, response) = (Arc::clone(&this.requests), Arc::new(response));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (requests, response) = (Arc::clone(&requests), Arc::clone(&response));
                tokio::spawn(async move { serve(socket, &requests, response.as_ref()).await });
            }
        });
        this
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(
    mut socket: TcpStream,
    log: &Mutex<Vec<Request>>,
    response: &(dyn Fn(&Request) -> Response + Send + Sync),
) {
    let Some(request) = read(&mut socket).await else { return };
    let (status, headers, body) = response(&request);
    log.lock().unwrap().push(request);
    let mut head = format!("HTTP/1.1 {status} X\r\nConnection: close\r\n");
    if status != 304 {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let _ = socket.write_all(format!("{head}\r\n").as_bytes()).await;
    let _ = socket.write_all(&body).await;
}

async fn read(socket: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(n, _)| n == "content-length").and_then(|(_, v)| v.parse().ok()).unwrap_or(0);
    while bytes.len() < end + length {
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Request { path, headers, body: String::from_utf8_lossy(&bytes[end..end + length]).into_owned() })
}

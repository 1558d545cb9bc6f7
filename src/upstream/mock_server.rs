//! Loopback HTTP server for tests. Its responses can be complete, truncated, one byte at a time, or missing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request that the server received.
#[derive(Debug, Clone)]
pub(crate) struct RecordedRequest {
    pub method: String,
    /// Path with query.
    pub path: String,
    /// Header names are in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl RecordedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Response to one request.
#[derive(Debug, Clone)]
pub(crate) enum MockResponse {
    Full {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// `Content-Length` exceeds the bytes that are sent before the connection is closed.
    Truncated {
        body: Vec<u8>,
    },
    /// Endless body, one byte every 10 ms.
    SlowBody,
    /// The connection remains open without a response.
    NoResponse,
    /// The connection is closed without a response.
    CloseConnection,
}

impl MockResponse {
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::status(200, body)
    }

    pub(crate) fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Full { status, headers: Vec::new(), body: body.into() }
    }

    pub(crate) fn with_header(mut self, name: &str, value: impl ToString) -> Self {
        if let Self::Full { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_string()));
        }
        self
    }
}

/// The server. It stops with the runtime of the test.
pub(crate) struct MockServer {
    pub url: String,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl MockServer {
    /// Starts a server. `respond` receives each request and its number, starting at 0.
    pub(crate) async fn start(
        respond: impl Fn(&RecordedRequest, usize) -> MockResponse + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, respond) = (Arc::clone(&requests), Arc::new(respond));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (log, respond) = (Arc::clone(&log), Arc::clone(&respond));
                tokio::spawn(async move { serve(socket, &log, respond.as_ref()).await });
            }
        });
        Self { url, requests }
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn request_count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

async fn serve(
    mut socket: TcpStream,
    log: &Mutex<Vec<RecordedRequest>>,
    respond: &(dyn Fn(&RecordedRequest, usize) -> MockResponse + Send + Sync),
) {
    let Some(request) = read_request(&mut socket).await else { return };
    let number = {
        let mut log = log.lock().unwrap();
        log.push(request.clone());
        log.len() - 1
    };
    match respond(&request, number) {
        MockResponse::Full { status, headers, body } => {
            let mut head = format!("HTTP/1.1 {status} X\r\nConnection: close\r\n");
            if status != 204 && status != 304 {
                head += &format!("Content-Length: {}\r\n", body.len());
            }
            for (name, value) in headers {
                head += &format!("{name}: {value}\r\n");
            }
            let _ = socket.write_all(format!("{head}\r\n").as_bytes()).await;
            let _ = socket.write_all(&body).await;
        }
        MockResponse::Truncated { body } => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len() + 1000);
            let _ = socket.write_all(head.as_bytes()).await;
            let _ = socket.write_all(&body).await;
        }
        MockResponse::SlowBody => {
            let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n").await;
            while socket.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        MockResponse::NoResponse => std::future::pending().await,
        MockResponse::CloseConnection => {}
    }
}

async fn read_request(socket: &mut TcpStream) -> Option<RecordedRequest> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(n, _)| n == "content-length").and_then(|(_, v)| v.parse().ok()).unwrap_or(0);
    while bytes.len() < head_end + length {
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(RecordedRequest { method, path, headers, body: bytes[head_end..head_end + length].to_vec() })
}

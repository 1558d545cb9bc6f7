//! A site that answers well, late, wrongly and not at all: a stand-in on loopback that speaks the ingest call.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// How the site takes the next calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Well,
    /// 503 with a `Retry-After` of zero seconds.
    Overloaded,
    KeyUnknown,
    /// Takes the events and breaks off before it has answered.
    BreaksOffAfter,
    /// Breaks off without having taken anything.
    BreaksOffBefore,
    /// Takes no more than so many events at once.
    TakesAtMost(usize),
    /// Answers 400 to every batch that holds this kind.
    CannotRead(&'static str),
    /// Takes all events but those of this kind.
    Rejects(&'static str),
    /// The same, because their time is ahead of its clock.
    IsBehind(&'static str),
}

#[derive(Default)]
struct Seen {
    ids: BTreeMap<String, u64>,
    calls: u64,
}

pub struct Site {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
    mood: Arc<Mutex<Mood>>,
    running: Option<(Arc<Mutex<bool>>, JoinHandle<()>)>,
}

pub const KEY: &str = "apogee-test-key";

impl Site {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut site = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
            mood: Arc::new(Mutex::new(Mood::Well)),
            running: None,
        };
        site.listen(listener);
        site
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn be(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Goes away: connections are refused until it comes back.
    pub fn go(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            *stop.lock().unwrap() = true;
            let _ = TcpStream::connect(self.address);
            thread.join().unwrap();
        }
    }

    /// Comes back where it was.
    pub fn come(&mut self) {
        if self.running.is_none() {
            self.listen(TcpListener::bind(self.address).unwrap());
        }
    }

    /// Every event it has, and how often it was sent.
    pub fn ids(&self) -> BTreeMap<String, u64> {
        self.seen.lock().unwrap().ids.clone()
    }

    pub fn calls(&self) -> u64 {
        self.seen.lock().unwrap().calls
    }

    fn listen(&mut self, listener: TcpListener) {
        let stop = Arc::new(Mutex::new(false));
        let (seen, mood, stopped) = (self.seen.clone(), self.mood.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if *stopped.lock().unwrap() {
                    return;
                }
                // A reader that is killed breaks off too; the site lives on.
                let _ = stream.and_then(|stream| answer(stream, &seen, *mood.lock().unwrap()));
            }
        });
        self.running = Some((stop, thread));
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.go();
    }
}

fn answer(mut stream: TcpStream, seen: &Mutex<Seen>, mood: Mood) -> std::io::Result<()> {
    stream.set_read_timeout(Some(std::time::Duration::from_secs(5)))?;
    let mut lines = BufReader::new(stream.try_clone()?);
    let (mut first, mut length, mut key, mut is_gzip) = (String::new(), 0usize, String::new(), false);
    if lines.read_line(&mut first)? == 0 {
        // A reader that stops breaks off a connection it has only just made.
        return Ok(());
    }
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "authorization" => key = value.trim().to_owned(),
            "content-encoding" => is_gzip = value.trim() == "gzip",
            _ => {}
        }
    }
    if first.starts_with("GET /api/reader/grammar ") {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body)?;
    seen.lock().unwrap().calls += 1;
    assert!(first.starts_with("POST /api/ingest/events "), "{first}");
    assert_eq!(key, format!("Bearer {KEY}"));
    assert!(is_gzip);
    let mut text = String::new();
    flate2::read::GzDecoder::new(body.as_slice()).read_to_string(&mut text)?;
    assert!(text.len() <= 1024 * 1024);
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.len() <= 1000);
    let kinds = |kind: &str| {
        events.iter().enumerate().filter(|(_, e)| e["identifier"] == kind).map(|(at, _)| at).collect::<Vec<_>>()
    };

    let error = |text: &str| json!({"success": false, "error": text, "code": "X"});
    let (status, body) = match mood {
        Mood::Overloaded => ("503 Service Unavailable\r\nRetry-After: 0", error("busy")),
        Mood::KeyUnknown => ("401 Unauthorized", error("this key is not known")),
        Mood::BreaksOffBefore => return Ok(()),
        Mood::TakesAtMost(most) if events.len() > most => ("413 Payload Too Large", error("too large")),
        Mood::CannotRead(kind) if !kinds(kind).is_empty() => ("400 Bad Request", error("cannot be read")),
        _ => {
            let refused = match mood {
                Mood::Rejects(kind) | Mood::IsBehind(kind) => kinds(kind),
                _ => Vec::new(),
            };
            let (accepted, duplicates) = store(seen, &events, &refused);
            if mood == Mood::BreaksOffAfter {
                return Ok(());
            }
            let why = match mood {
                Mood::IsBehind(_) => "event_time is more than 5 minutes ahead of the server's clock",
                _ => "not this one",
            };
            let rejected: Vec<Value> = refused.iter().map(|at| json!({"index": at, "error": why})).collect();
            ("200 OK", json!({"success": true, "accepted": accepted, "duplicates": duplicates, "rejected": rejected}))
        }
    };
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn store(seen: &Mutex<Seen>, events: &[Value], refused: &[usize]) -> (u64, u64) {
    let mut seen = seen.lock().unwrap();
    let (mut accepted, mut duplicates) = (0, 0);
    for (at, event) in events.iter().enumerate() {
        if !refused.contains(&at) {
            let times = seen.ids.entry(event["event_id"].as_str().unwrap().to_owned()).or_default();
            *times += 1;
            *(if *times == 1 { &mut accepted } else { &mut duplicates }) += 1;
        }
    }
    (accepted, duplicates)
}

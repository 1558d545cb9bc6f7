//! A mock site on loopback with the ingest endpoints. It responds correctly, late, incorrectly, or not at all.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use gamelog::log_header::LogHeader;
use serde_json::{Value, json};

/// How the site responds to the next calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    Normal,
    /// 503 with a `Retry-After` of zero seconds.
    Overloaded,
    KeyUnknown,
    /// Stores the events and closes the connection before responding.
    ClosesAfterStoring,
    /// Closes the connection without storing anything.
    ClosesBeforeStoring,
    /// Accepts at most this many events per batch.
    AcceptsAtMost(usize),
    /// Responds with 400 to every batch that contains this kind.
    CannotParse(&'static str),
    /// Rejects the events of this kind.
    Rejects(&'static str),
    /// Rejects the events of this kind because they are ahead of its clock.
    ClockBehind(&'static str),
}

#[derive(Default)]
struct Seen {
    ids: BTreeMap<String, u64>,
    calls: u64,
    /// The player of the log of each batch.
    players: Vec<Option<String>>,
}

/// What the site knows about the key and about players.
struct Accounts {
    /// The kind of the key, or `None` for an older site, which does not name it.
    key_kind: Option<&'static str>,
    /// Number of requests for the kind of the key that fail.
    key_failures: u32,
    /// `nobody` or `other`, by player. The account of the key has claimed all other players.
    claimed_by: BTreeMap<&'static str, &'static str>,
}

pub struct Site {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
    behavior: Arc<Mutex<Behavior>>,
    accounts: Arc<Mutex<Accounts>>,
    running: Option<(Arc<Mutex<bool>>, JoinHandle<()>)>,
}

pub const KEY: &str = "apogee-test-key";

impl Site {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let accounts = Accounts { key_kind: Some("operator"), key_failures: 0, claimed_by: BTreeMap::new() };
        let mut site = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
            behavior: Arc::new(Mutex::new(Behavior::Normal)),
            accounts: Arc::new(Mutex::new(accounts)),
            running: None,
        };
        site.listen(listener);
        site
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn set_behavior(&self, behavior: Behavior) {
        *self.behavior.lock().unwrap() = behavior;
    }

    /// Starts a site whose key is an account's. `claimed_by` are the players that this account has not claimed.
    pub fn start_with_account(claimed_by: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        let site = Self::start();
        site.set_key_kind(Some("account"));
        site.accounts.lock().unwrap().claimed_by.extend(claimed_by);
        site
    }

    pub fn set_key_kind(&self, key_kind: Option<&'static str>) {
        self.accounts.lock().unwrap().key_kind = key_kind;
    }

    /// The next requests for the kind of the key fail with 503.
    pub fn fail_key_requests(&self, count: u32) {
        self.accounts.lock().unwrap().key_failures = count;
    }

    /// The account of the key claims all players.
    pub fn claim_all(&self) {
        self.accounts.lock().unwrap().claimed_by.clear();
    }

    /// Number of batches from logs of a player.
    pub fn batches_of(&self, player: &str) -> usize {
        let seen = self.seen.lock().unwrap();
        seen.players.iter().flatten().filter(|known| *known == player).count()
    }

    /// Stops the site: connections are refused until it restarts.
    pub fn stop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            *stop.lock().unwrap() = true;
            let _ = TcpStream::connect(self.address);
            thread.join().unwrap();
        }
    }

    /// Restarts the site at the same address.
    pub fn restart(&mut self) {
        if self.running.is_none() {
            self.listen(TcpListener::bind(self.address).unwrap());
        }
    }

    /// The stored events, and how often each was sent.
    pub fn ids(&self) -> BTreeMap<String, u64> {
        self.seen.lock().unwrap().ids.clone()
    }

    pub fn calls(&self) -> u64 {
        self.seen.lock().unwrap().calls
    }

    fn listen(&mut self, listener: TcpListener) {
        let stop = Arc::new(Mutex::new(false));
        let (seen, behavior, stopped) = (self.seen.clone(), self.behavior.clone(), stop.clone());
        let accounts = self.accounts.clone();
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if *stopped.lock().unwrap() {
                    return;
                }
                // A killed reader closes its connection; the site continues.
                let _ = stream.and_then(|stream| answer(stream, &seen, &accounts, *behavior.lock().unwrap()));
            }
        });
        self.running = Some((stop, thread));
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Head {
    first_line: String,
    length: usize,
    authorization: String,
    is_gzip: bool,
    /// The player that `Apogee-Log` names.
    player: Option<String>,
}

/// Reads the head of a request; `None` if the connection was closed.
fn read_head(lines: &mut impl BufRead) -> std::io::Result<Option<Head>> {
    let mut first_line = String::new();
    if lines.read_line(&mut first_line)? == 0 {
        return Ok(None);
    }
    let (mut length, mut authorization, mut is_gzip, mut player) = (0, String::new(), false, None);
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "authorization" => authorization = value.trim().to_owned(),
            "content-encoding" => is_gzip = value.trim() == "gzip",
            "apogee-log" => player = LogHeader::parse(value.trim()).unwrap().handle.map(String::from),
            _ => {}
        }
    }
    Ok(Some(Head { first_line, length, authorization, is_gzip, player }))
}

fn answer(
    mut stream: TcpStream,
    seen: &Mutex<Seen>,
    accounts: &Mutex<Accounts>,
    behavior: Behavior,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(std::time::Duration::from_secs(5)))?;
    let mut lines = BufReader::new(stream.try_clone()?);
    // A reader that stops may close a connection immediately after opening it.
    let Some(head) = read_head(&mut lines)? else { return Ok(()) };
    if head.first_line.starts_with("GET /api/reader/grammar ") {
        return respond(&mut stream, "404 Not Found", &json!({}));
    }
    assert_eq!(head.authorization, format!("Bearer {KEY}"));
    if head.first_line.starts_with("GET /api/ingest/key ") {
        let (status, body) = name_key(&mut accounts.lock().unwrap(), behavior);
        return respond(&mut stream, status, &body);
    }
    assert!(head.first_line.starts_with("POST /api/ingest/events "), "{}", head.first_line);
    let mut body = vec![0; head.length];
    lines.read_exact(&mut body)?;
    {
        let mut seen = seen.lock().unwrap();
        seen.calls += 1;
        seen.players.push(head.player.clone());
    }
    assert!(head.is_gzip);
    let mut text = String::new();
    flate2::read::GzDecoder::new(body.as_slice()).read_to_string(&mut text)?;
    assert!(text.len() <= 1024 * 1024);
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.len() <= 1000);
    if let Some(response) = store_batch(&events, head.player.as_deref(), seen, &accounts.lock().unwrap(), behavior) {
        return respond(&mut stream, response.0, &response.1);
    }
    Ok(())
}

fn respond(stream: &mut TcpStream, status: &str, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn error(text: &str) -> Value {
    json!({"success": false, "error": text, "code": "X"})
}

/// The response to a request for the kind of the key.
fn name_key(accounts: &mut Accounts, behavior: Behavior) -> (&'static str, Value) {
    match accounts.key_kind {
        _ if behavior == Behavior::KeyUnknown => ("401 Unauthorized", error("this key is not known")),
        _ if accounts.key_failures > 0 => {
            accounts.key_failures -= 1;
            ("503 Service Unavailable\r\nRetry-After: 0", error("busy"))
        }
        Some(kind) => ("200 OK", json!({"success": true, "kind": kind})),
        None => ("404 Not Found", error("no such route")),
    }
}

/// Stores a batch. Returns status and body of the response, or `None` if the connection is closed without one.
fn store_batch(
    events: &[Value],
    player: Option<&str>,
    seen: &Mutex<Seen>,
    accounts: &Accounts,
    behavior: Behavior,
) -> Option<(&'static str, Value)> {
    let kinds = |kind: &str| {
        events.iter().enumerate().filter(|(_, e)| e["identifier"] == kind).map(|(at, _)| at).collect::<Vec<_>>()
    };
    let claimed_by = player.and_then(|player| accounts.claimed_by.get(player));
    Some(match behavior {
        Behavior::Overloaded => ("503 Service Unavailable\r\nRetry-After: 0", error("busy")),
        Behavior::KeyUnknown => ("401 Unauthorized", error("this key is not known")),
        Behavior::ClosesBeforeStoring => return None,
        _ if accounts.key_kind == Some("account") && player.is_none() => {
            ("400 Bad Request", error("Apogee-Log names no handle"))
        }
        _ if claimed_by.is_some() => {
            let body = json!({
                "success": false, "error": "claim the player", "code": "CLAIM_REQUIRED", "claimed_by": claimed_by
            });
            ("403 Forbidden", body)
        }
        Behavior::AcceptsAtMost(most) if events.len() > most => ("413 Payload Too Large", error("too large")),
        Behavior::CannotParse(kind) if !kinds(kind).is_empty() => ("400 Bad Request", error("cannot be read")),
        _ => {
            let refused = match behavior {
                Behavior::Rejects(kind) | Behavior::ClockBehind(kind) => kinds(kind),
                _ => Vec::new(),
            };
            let (accepted, duplicates) = store(seen, events, &refused);
            if behavior == Behavior::ClosesAfterStoring {
                return None;
            }
            let why = match behavior {
                Behavior::ClockBehind(_) => "event_time is more than 5 minutes ahead of the server's clock",
                _ => "not this one",
            };
            let rejected: Vec<Value> = refused.iter().map(|at| json!({"index": at, "error": why})).collect();
            let body = json!({"success": true, "accepted": accepted, "duplicates": duplicates, "rejected": rejected});
            ("200 OK", body)
        }
    })
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

//! A mock of Discord: it stores messages, rejects repeated nonces and fails on demand.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A failure of the next call that posts a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// 429 for this route.
    RouteLimit(u64),
    /// 429 for all routes.
    GlobalLimit(u64),
    /// Nothing is posted.
    Status(u16),
    /// The message is posted, and the response is a 500.
    PostedThen500,
    /// The message is posted, and the response is not JSON.
    PostedThenInvalid,
    /// The message is posted, and the connection is closed.
    PostedThenClosed,
    /// The message is posted, and no response is sent for a long time.
    PostedThenHang,
}

/// A recorded call.
#[derive(Debug, Clone)]
pub struct Call {
    pub method: String,
    pub path: String,
    pub body: Value,
    pub authorization: Option<String>,
    pub status: u16,
}

#[derive(Debug, Clone)]
pub struct Message {
    pub id: String,
    pub nonce: Option<String>,
    pub body: Value,
    pub edits: usize,
}

#[derive(Default)]
struct State {
    channels: BTreeMap<String, Vec<Message>>,
    /// Status and error code of every call about a channel.
    broken: BTreeMap<String, (u16, u64)>,
    faults: VecDeque<Fault>,
    calls: Vec<Call>,
    next_id: u64,
    forgets_nonces: bool,
    refuses_token: bool,
    deferred_responses: BTreeMap<String, Value>,
}

/// The mock server; it stops with the test's runtime.
#[derive(Clone)]
pub struct MockDiscord {
    pub url: String,
    state: Arc<Mutex<State>>,
}

/// A parsed request.
struct Request {
    method: String,
    path: String,
    authorization: Option<String>,
    bytes: Vec<u8>,
}

enum Reply {
    Json(u16, Value, Vec<(&'static str, String)>),
    Nonsense,
    Close,
    Nothing,
}

fn ok(body: Value) -> Reply {
    Reply::Json(200, body, Vec::new())
}

fn refusal(status: u16, code: u64) -> Reply {
    Reply::Json(status, json!({ "code": code, "message": "No" }), Vec::new())
}

impl MockDiscord {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let this = Self { url, state: Arc::default() };
        let serving = this.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let serving = serving.clone();
                tokio::spawn(async move { serving.serve(socket).await });
            }
        });
        this
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Makes the next posting calls fail.
    pub fn fail_next(&self, faults: &[Fault]) {
        self.state().faults.extend(faults);
    }

    /// Makes all calls about a channel fail.
    pub fn break_channel(&self, channel: &str, status: u16, code: u64) {
        self.state().broken.insert(channel.into(), (status, code));
    }

    /// Ends what [`MockDiscord::break_channel`] began.
    pub fn mend_channel(&self, channel: &str) {
        self.state().broken.remove(channel);
    }

    pub fn refuse_token(&self, refuses: bool) {
        self.state().refuses_token = refuses;
    }

    /// Forgets nonces, as Discord does after some minutes.
    pub fn forget_nonces(&self) {
        self.state().forgets_nonces = true;
    }

    pub fn remove_message(&self, channel: &str, id: &str) {
        self.state().channels.get_mut(channel).unwrap().retain(|message| message.id != id);
    }

    pub fn messages(&self, channel: &str) -> Vec<Message> {
        self.state().channels.get(channel).cloned().unwrap_or_default()
    }

    /// The lines of a channel's feed messages, in order, without their times.
    pub fn lines(&self, channel: &str) -> Vec<String> {
        let texts =
            self.messages(channel).into_iter().map(|m| m.body["embeds"][0]["description"].as_str().unwrap().to_owned());
        let lines = texts.flat_map(|text| text.lines().map(ToOwned::to_owned).collect::<Vec<_>>());
        lines.filter_map(|line| line.split_once(":t> ").map(|(_, rest)| rest.to_owned())).collect()
    }

    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// Number of attempts to post to a channel.
    pub fn posts(&self, channel: &str) -> usize {
        let path = format!("/channels/{channel}/messages");
        self.calls().iter().filter(|call| call.method == "POST" && call.path == path).count()
    }

    /// The completed deferred response of an interaction.
    pub fn deferred_response(&self, token: &str) -> Option<Value> {
        self.state().deferred_responses.get(token).cloned()
    }

    async fn serve(&self, mut socket: TcpStream) {
        let Some(request) = read(&mut socket).await else { return };
        let reply = self.respond(&request);
        let (status, body, headers) = match reply {
            Reply::Json(status, body, headers) => (status, body.to_string(), headers),
            Reply::Nonsense => (200, "<html>not what you think".to_owned(), Vec::new()),
            Reply::Close => return,
            Reply::Nothing => return tokio::time::sleep(Duration::from_secs(600)).await,
        };
        let mut head = format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let _ = socket.write_all(format!("{head}\r\n{body}").as_bytes()).await;
    }

    fn respond(&self, request: &Request) -> Reply {
        let mut state = self.state();
        let path = request.path.split('?').next().unwrap().to_owned();
        let body: Value = serde_json::from_slice(&request.bytes).unwrap_or(Value::Null);
        let reply = state.respond(request, &path, &body);
        let status = match &reply {
            Reply::Json(status, ..) => *status,
            _ => 0,
        };
        state.calls.push(Call {
            method: request.method.clone(),
            path,
            body,
            authorization: request.authorization.clone(),
            status,
        });
        reply
    }
}

impl State {
    fn respond(&mut self, request: &Request, path: &str, body: &Value) -> Reply {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let is_bots = matches!(parts[0], "channels" | "applications");
        if is_bots && (self.refuses_token || request.authorization.as_deref() != Some("Bot the-bot-token")) {
            return refusal(401, 0);
        }
        if let ["channels", channel, ..] = parts[..]
            && let Some((status, code)) = self.broken.get(channel)
        {
            return refusal(*status, *code);
        }
        match (request.method.as_str(), &parts[..]) {
            ("POST", ["channels", channel, "messages"]) => self.post(channel, body),
            ("GET", ["channels", channel, "messages"]) => {
                let found = self.channels.get(*channel).cloned().unwrap_or_default();
                ok(found.iter().rev().map(|m| json!({ "id": m.id, "embeds": m.body["embeds"] })).collect())
            }
            ("PATCH", ["channels", channel, "messages", id]) => {
                let messages = self.channels.entry((*channel).to_owned()).or_default();
                let Some(message) = messages.iter_mut().find(|message| message.id == *id) else {
                    return refusal(404, 10_008);
                };
                message.body = body.clone();
                message.edits += 1;
                ok(json!({ "id": id }))
            }
            ("PUT", ["applications", _, "commands"]) => ok(body.clone()),
            ("GET", ["applications", "@me"]) => ok(json!({ "approximate_guild_count": 612 })),
            ("PATCH", ["webhooks", _, token, "messages", "@original"]) => {
                self.deferred_responses.insert((*token).to_owned(), body.clone());
                ok(json!({ "id": "1" }))
            }
            // The authorization code is the user id.
            ("POST", ["oauth2", "token"]) => {
                let form = String::from_utf8_lossy(&request.bytes).into_owned();
                let code = form.split('&').find_map(|pair| pair.strip_prefix("code=")).unwrap_or_default();
                ok(json!({ "access_token": code, "token_type": "Bearer", "expires_in": 600, "scope": "identify" }))
            }
            ("GET", ["users", "@me"]) => {
                let id = request.authorization.clone().unwrap_or_default().replace("Bearer ", "");
                ok(json!({ "id": id, "username": format!("user{id}"), "discriminator": "0" }))
            }
            _ => refusal(404, 0),
        }
    }

    fn post(&mut self, channel: &str, body: &Value) -> Reply {
        let fault = self.faults.pop_front();
        match fault {
            Some(Fault::RouteLimit(ms)) => return limit(ms, false),
            Some(Fault::GlobalLimit(ms)) => return limit(ms, true),
            Some(Fault::Status(status)) => return refusal(status, 0),
            _ => {}
        }
        let nonce = body["nonce"].as_str().map(ToOwned::to_owned);
        let messages = self.channels.entry(channel.to_owned()).or_default();
        let known = messages.iter().find(|message| {
            !self.forgets_nonces && body["enforce_nonce"] == true && nonce.is_some() && message.nonce == nonce
        });
        let id = match known {
            Some(message) => message.id.clone(),
            None => {
                self.next_id += 1;
                let id = (1_000 + self.next_id).to_string();
                messages.push(Message { id: id.clone(), nonce, body: body.clone(), edits: 0 });
                id
            }
        };
        match fault {
            Some(Fault::PostedThen500) => refusal(500, 0),
            Some(Fault::PostedThenInvalid) => Reply::Nonsense,
            Some(Fault::PostedThenClosed) => Reply::Close,
            Some(Fault::PostedThenHang) => Reply::Nothing,
            _ => ok(json!({ "id": id })),
        }
    }
}

fn limit(ms: u64, is_global: bool) -> Reply {
    let secs = ms as f64 / 1_000.0;
    let mut headers = vec![("Retry-After", ms.div_ceil(1_000).to_string())];
    if is_global {
        headers.push(("X-RateLimit-Global", "true".into()));
    }
    Reply::Json(429, json!({ "message": "slow down", "retry_after": secs, "global": is_global }), headers)
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
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let header = |name: &str| {
        let found = head.split("\r\n").filter_map(|line| line.split_once(':'));
        found.filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned()).next()
    };
    let length: usize = header("content-length").and_then(|v| v.parse().ok()).unwrap_or(0);
    while bytes.len() < end + length {
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Request { method, path, authorization: header("authorization"), bytes: bytes[end..end + length].to_vec() })
}

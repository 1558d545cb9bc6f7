//! The log reader as a separate process against the real site: login, page, uploads.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use apogee::domain::times::EpochMillis;
use apogee::domain::tokens::TokenSigner;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::*;

on_sqlite!(
    a_reader_obtains_its_key_by_device_login_and_uploads,
    login_codes_are_single_use_short_lived_and_rate_limited,
    unknown_lines_are_stored_redacted_for_admins_only,
);

pub const LOG: &[u8] = include_bytes!("../../data/gamelog/pu-4.1.0-fights.log");
/// The prefix of the sample's lines. Other days make other sessions.
const DAY_OF_LOG: &str = "<2025-04-11T";

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Signs a user in without Discord and returns the token.
fn sign_in(server: &Server, discord_id: &str) -> String {
    let at = now();
    server.database.run(&format!(
        "INSERT INTO users (discord_id, discord_username, linked_at, last_seen_at) VALUES ('{discord_id}', 'ada', {at}, {at}); \
         INSERT INTO sessions (id, user_id, token_id, created_at, refreshed_at) \
         SELECT '{}', id, '{}', {at}, {at} FROM users WHERE discord_id = '{discord_id}'",
        hash(&format!("sid {discord_id}")),
        hash(&format!("jti {discord_id}")),
    ));
    let secret = std::fs::read_to_string(server.data_dir().join("secret")).unwrap();
    let signer = TokenSigner::new(secret.trim());
    signer.issue(discord_id, &format!("sid {discord_id}"), &format!("jti {discord_id}"), EpochMillis(at)).unwrap()
}

/// The reader as a user starts it, with a temporary home and without a browser.
pub fn reader(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(crate::support::server::binary());
    command.env_clear().env("HOME", home).env("LANG", "en_US.UTF-8").env("APOGEE_LOG", "warn").arg("watch").args(args);
    command.stdin(Stdio::null());
    command
}

/// A process that is killed when the test ends.
pub struct Running(pub Child);

impl Running {
    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a process and returns the lines of its standard error.
pub fn start(mut command: Command) -> (Running, Receiver<String>) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let err = child.stderr.take().unwrap();
    let (sender, stderr) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(err).lines().map_while(Result::ok) {
            eprintln!("reader: {line}");
            let _ = sender.send(line);
        }
    });
    (Running(child), stderr)
}

/// Waits for the first line from which `find` extracts a value.
pub fn wait_for_line(stderr: &Receiver<String>, part: impl Fn(&str) -> Option<String>) -> String {
    let began = Instant::now();
    loop {
        let line = stderr.recv_timeout(HANG.saturating_sub(began.elapsed())).expect("the expected line");
        if let Some(part) = part(&line) {
            return part;
        }
    }
}

pub fn game(root: &Path) -> (PathBuf, PathBuf) {
    let live = root.join("StarCitizen/LIVE");
    std::fs::create_dir_all(live.join("logbackups")).unwrap();
    (live.join("Game.log"), live)
}

async fn with_token(server: &Server, method: Method, path: &str, token: &str, body: Option<Value>) -> Response {
    let mut request = server.request(method, path).bearer_auth(token);
    if let Some(body) = body {
        request = request.json(&body);
    }
    server.execute(request).await
}

async fn a_reader_obtains_its_key_by_device_login_and_uploads(on: Backend) {
    let server = Server::start(on).await;
    let root = tempfile::tempdir().unwrap();
    let (log, live) = game(root.path());
    std::fs::write(&log, LOG).unwrap();
    let token = sign_in(&server, "71");

    // Without a key nothing is sent, and the error names the remedy.
    let refused = reader(root.path(), &["--once", "--server", &server.address]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("apogee watch login"));

    let (mut running, stderr) = start(reader(root.path(), &["login", "--server", &server.address]));
    let code = wait_for_line(&stderr, |line| line.strip_prefix("Confirm this code: ").map(ToOwned::to_owned));
    wait_for_line(&stderr, |line| line.contains(&format!("/connect?code={code}")).then(String::new));
    let path = format!("/api/reader/login/{}", code.to_lowercase());
    let pending = with_token(&server, Method::GET, &path, &token, None).await.json();
    assert_eq!((&pending["code"], &pending["is_near"]), (&json!(code), &json!(true)), "{pending}");
    let answer =
        with_token(&server, Method::POST, &format!("{path}/answer"), &token, Some(json!({"allow": true}))).await;
    assert_eq!(answer.json()["state"], "confirmed");
    assert!(running.0.wait().unwrap().success(), "the login succeeds");

    // The key belongs to the user, carries the machine's name, and appears in no response or list.
    let owner = "SELECT discord_id AS value FROM ingest_keys k JOIN users u ON u.id = k.user_id";
    assert_eq!(server.database.words(owner), ["71"]);

    // The player of the log is not claimed yet. The reader names the page of the claim.
    let output = reader(root.path(), &["--once", live.to_str().unwrap()]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let notes = String::from_utf8_lossy(&output.stdout);
    assert!(notes.contains(&format!("{}/player/claim?handle=Ada_Quill", server.address)), "{notes}");
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), 0);
    claim(&server, "71", "Ada_Quill");
    let output = reader(root.path(), &["--once", live.to_str().unwrap()]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let wanted = count_events_of(root.path(), LOG, "Ada_Quill");
    assert!(wanted > 0);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), wanted);
    assert!(server.database.number("SELECT COUNT(*) FROM ingest_keys WHERE last_used_at IS NOT NULL") == 1);

    // Confirming again changes nothing.
    assert!(reader(root.path(), &["--once", live.to_str().unwrap()]).output().unwrap().status.success());
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), wanted);
    let output = reader(root.path(), &["status", "--json"]).output().unwrap();
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(status["server"], server.address.as_str());
    assert!(!String::from_utf8_lossy(&output.stdout).contains("apogee_"), "a key is never shown");
}

/// The same session on each of these days.
fn days(days: std::ops::Range<u32>) -> Vec<u8> {
    let log = String::from_utf8_lossy(LOG);
    days.map(|day| log.replace(DAY_OF_LOG, &format!("<2025-04-{day:02}T"))).collect::<String>().into_bytes()
}

/// Makes the account the owner of a player.
pub fn claim(server: &Server, discord_id: &str, handle: &str) {
    let folded = handle.to_lowercase();
    server.database.run(&format!(
        "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('{handle}', '{folded}', '{handle}', 1); \
         UPDATE users SET player_id = (SELECT id FROM players WHERE handle_folded = '{folded}') WHERE discord_id = '{discord_id}'"
    ));
}

/// The number of events of a log, which may still grow, in which a player takes part and which are sent without `--share`.
fn count_events_of(root: &Path, log: &[u8], player: &str) -> i64 {
    let path = root.join("open/Game.log");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, log).unwrap();
    let args = ["--once", "--json", "--dry-run", "--hide", "place_visited", path.to_str().unwrap()];
    let output = reader(root, &args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let takes_part = |event: &Value| ["killer", "victim", "player_name"].iter().any(|name| event[*name] == player);
    events.filter(takes_part).count() as i64
}

async fn login_codes_are_single_use_short_lived_and_rate_limited(on: Backend) {
    let server = Server::start(on).await;
    let token = sign_in(&server, "71");
    let begin = async || {
        let request = server.request(Method::POST, "/api/reader/login").json(&json!({"name": "PC\n"}));
        server.execute(request).await.json()
    };
    let state = async |login: &Value| {
        let key = login["key"].as_str().unwrap();
        with_token(&server, Method::GET, "/api/reader/login/state", key, None).await
    };
    let answer = async |login: &Value, allow: bool| {
        let path = format!("/api/reader/login/{}/answer", login["code"].as_str().unwrap());
        with_token(&server, Method::POST, &path, &token, Some(json!({ "allow": allow }))).await
    };

    // The key is inactive before the code is confirmed, and after it is denied.
    let refused = begin().await;
    let key = refused["key"].as_str().unwrap();
    assert_eq!(state(&refused).await.json()["state"], "waiting");
    assert_eq!(server.try_send(key, &[]).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(answer(&refused, false).await.json()["state"], "refused");
    assert_eq!(state(&refused).await.json()["state"], "refused");
    assert_eq!(answer(&refused, true).await.status, StatusCode::NOT_FOUND, "a code can be answered once");
    assert_eq!(server.try_send(key, &[]).await.status, StatusCode::UNAUTHORIZED);

    // The login is confirmed once, however often its state is requested.
    let taken = begin().await;
    assert_eq!(answer(&taken, true).await.status, StatusCode::OK);
    assert_eq!(answer(&taken, true).await.status, StatusCode::NOT_FOUND);
    assert_eq!(state(&taken).await.json()["state"], "confirmed");
    let key = taken["key"].as_str().unwrap();
    let kind = with_token(&server, Method::GET, "/api/ingest/key", key, None).await.json();
    assert_eq!(kind["kind"], "account", "{kind}");
    assert_eq!(server.database.words("SELECT name AS value FROM ingest_keys"), ["PC"]);

    // The login expires after ten minutes.
    let late = begin().await;
    server.advance(Duration::from_millis(600_001));
    assert_eq!(state(&late).await.code(), "NOT_FOUND");
    assert_eq!(answer(&late, true).await.code(), "NOT_FOUND");
    assert_eq!(state(&taken).await.json()["state"], "confirmed", "its key is still valid");
    begin().await;
    assert_eq!(server.database.number("SELECT COUNT(*) FROM reader_logins"), 1, "expired logins are deleted");

    // Wrong codes are counted per user; three were wrong above.
    let other = sign_in(&server, "72");
    for _ in 0..10 {
        let wrong = with_token(&server, Method::GET, "/api/reader/login/BBBB-BBBB", &other, None).await;
        assert_eq!(wrong.status, StatusCode::NOT_FOUND);
    }
    let limited = with_token(&server, Method::GET, "/api/reader/login/BBBB-BBBB", &other, None).await;
    assert_eq!(limited.code(), "RATE_LIMIT_EXCEEDED");
    assert!(limited.header("retry-after").is_some());
    let fresh = begin().await;
    let path = format!("/api/reader/login/{}", fresh["code"].as_str().unwrap());
    assert_eq!(
        with_token(&server, Method::GET, &path, &token, None).await.status,
        StatusCode::OK,
        "other users are not affected"
    );
    let mut last = StatusCode::OK;
    for _ in 0..20 {
        let request = server.request(Method::POST, "/api/reader/login").json(&json!({}));
        last = server.execute(request).await.status;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS, "logins are limited by address");
}

async fn unknown_lines_are_stored_redacted_for_admins_only(on: Backend) {
    let mut server = Server::prepare(on);
    server.env("APOGEE_ADMIN_DISCORD_IDS", "71");
    server.run();
    let line = "<Actor Death> CActor::Perish: 'Tester_Two' [201000000002] by Tester_One";
    let send = async |samples: Value| {
        let request = server.request(Method::POST, "/api/reader/samples");
        server.execute(request.json(&json!({"patch": "ALPHA 4.9.0", "samples": samples}))).await
    };
    let once = json!([{"line": line, "count": 2}, {"line": line.replace("Tester_Two", "Tester_Three"), "count": 1}]);
    assert_eq!(send(once.clone()).await.json()["taken"], 1);
    assert_eq!(send(once).await.json()["taken"], 1);
    for wrong in [json!([{"line": "<Chat> hello", "count": 1}]), json!([{"line": line, "count": 0}])] {
        assert_eq!(send(wrong).await.code(), "VALIDATION");
    }
    let list = "/api/reader/samples/list";
    let admin = sign_in(&server, "71");
    let shown = with_token(&server, Method::GET, list, &admin, None).await.json();
    let sample = &shown["samples"][0];
    assert_eq!((&sample["told"], &sample["patch"]), (&json!(6), &json!("ALPHA 4.9.0")));
    assert_eq!(sample["line"], "<Actor Death> CActor::x: 'x' [0] x x");
    assert_eq!(shown["samples"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_serves_its_newest_valid_grammar() {
    let server = Server::start(Backend::Sqlite).await;
    let version = async || server.get("/api/reader/grammar").await.json()["version"].as_u64().unwrap();
    let built_in = server.get("/api/reader/grammar").await;
    let own = version().await;
    let path = server.data_dir().join("grammar.json");
    let newer = built_in.text().replacen(&format!("\"version\": {own}"), &format!("\"version\": {}", own + 1), 1);
    std::fs::write(&path, &newer).unwrap();
    assert_eq!(version().await, own + 1, "a new grammar needs no restart");
    std::fs::write(&path, newer.replacen("{victim_id}", "{}", 1)).unwrap();
    assert_eq!(version().await, own, "a grammar that does not parse its samples is not served");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_readers_page_rejects_other_origins_and_missing_tokens() {
    let root = tempfile::tempdir().unwrap();
    let (log, live) = game(root.path());
    std::fs::write(&log, &LOG[..LOG.len() / 2]).unwrap();
    let (_running, stderr) = start(reader(root.path(), &["--open", live.to_str().unwrap()]));
    let url = wait_for_line(&stderr, |line| line.split_once("http://").map(|(_, rest)| rest.to_owned()));
    let (host, token) = url.split_once("/#").unwrap();
    let client = crate::support::server::client();
    let fetch = async |path: &str, headers: &[(&str, &str)]| {
        let mut request = client.get(format!("http://{host}{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    };
    let (page, bearer) = ("/api/reader/page", format!("Bearer {token}"));
    let with_key = ("authorization", bearer.as_str());
    assert_eq!(fetch(page, &[]).await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(fetch(page, &[("authorization", "Bearer wrong")]).await.status(), StatusCode::UNAUTHORIZED);
    // No spelling of a path bypasses the check.
    for path in
        ["/%61pi/reader/page", "/api/re%61der/page", "/ap%69/reader/p%61ge", "/api%2freader/page", "//api/reader/page"]
    {
        let answer = fetch(path, &[]).await;
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert!(status == StatusCode::UNAUTHORIZED || status == StatusCode::NOT_FOUND, "{path}: {status}");
        assert!(!text.contains("\"rows\""), "{path}: {text}");
    }
    assert_eq!(fetch("/%61pi/live?topics=reader", &[]).await.status(), StatusCode::UNAUTHORIZED);
    let login =
        client.post(format!("http://{host}/%61pi/reader/page/login")).json(&json!({"server": "http://127.0.0.1:9"}));
    assert_eq!(login.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
    // A body that never ends is rejected.
    let late = format!(
        "POST {page} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{{"
    );
    let mut connection = std::net::TcpStream::connect(host).unwrap();
    connection.set_read_timeout(Some(HANG)).unwrap();
    connection.write_all(late.as_bytes()).unwrap();
    let mut head = [0; 12];
    std::io::Read::read_exact(&mut connection, &mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 400");

    let origin = format!("http://{host}");
    for (header, status) in [
        (("host", "reader.example.org"), StatusCode::FORBIDDEN),
        (("host", "localhost"), StatusCode::FORBIDDEN),
        (("origin", "https://example.org"), StatusCode::FORBIDDEN),
        (("origin", "null"), StatusCode::FORBIDDEN),
        (("sec-fetch-site", "cross-site"), StatusCode::FORBIDDEN),
        (("sec-fetch-site", "same-site"), StatusCode::FORBIDDEN),
        (("origin", origin.as_str()), StatusCode::OK),
        (("sec-fetch-site", "same-origin"), StatusCode::OK),
    ] {
        assert_eq!(fetch(page, &[with_key, header]).await.status(), status, "{header:?}");
    }
    let front = fetch("/", &[]).await;
    assert!(front.headers()["content-security-policy"].to_str().unwrap().contains("script-src 'self'"));
    assert_eq!(
        fetch("/api/players/top", &[with_key]).await.status(),
        StatusCode::NOT_FOUND,
        "the reader serves no API of a site"
    );

    // Events appear immediately through the stream, which requires the token too.
    assert_eq!(fetch("/api/live?topics=reader", &[]).await.status(), StatusCode::UNAUTHORIZED);
    let mut stream = fetch(&format!("/api/live?topics=reader&token={token}"), &[]).await;
    let mut file = std::fs::OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(&LOG[LOG.len() / 2..]).unwrap();
    let mut text = String::new();
    let reading = async {
        while !text.contains("event: row") {
            text += &String::from_utf8_lossy(&stream.chunk().await.unwrap().expect("the stream continues"));
        }
    };
    tokio::time::timeout(HANG, reading).await.expect("a row arrives");

    // Hidden events are not stored, and the setting is saved.
    let hide = client
        .post(format!("http://{host}{page}"))
        .bearer_auth(token)
        .json(&json!({"hide": ["pve"], "language": "de"}));
    let state: Value = hide.send().await.unwrap().json().await.unwrap();
    assert_eq!((&state["state"]["hide"], &state["state"]["language"]), (&json!(["pve"]), &json!("de")));
    let saved = std::fs::read_to_string(root.path().join(".local/share/apogee/reader/reader.json")).unwrap();
    assert!(saved.contains("\"pve\"") && saved.contains("\"de\""), "{saved}");
    assert!(!saved.contains("StarCitizen"), "a folder given on the command line is not saved: {saved}");
    let whole: Value = fetch(page, &[with_key]).await.json().await.unwrap();
    assert_eq!(whole["words"]["p_feed"], "Verlauf");
    assert!(whole["rows"].as_array().unwrap().len() > 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_sent_before_consent_or_while_paused() {
    let server = Server::start(Backend::Sqlite).await;
    let key = server.key("reader");
    let root = tempfile::tempdir().unwrap();
    let (log, live) = game(root.path());
    std::fs::write(&log, days(1..3)).unwrap();
    let args = ["--open", live.to_str().unwrap(), "--server", &server.address, "--key", &key];
    let (_running, stderr) = start(reader(root.path(), &args));
    let url = wait_for_line(&stderr, |line| line.split_once("http://").map(|(_, rest)| rest.to_owned()));
    let (host, token) = url.split_once("/#").unwrap();
    let client = crate::support::server::client();
    let page = format!("http://{host}/api/reader/page");
    let whole = async || {
        let pending = client.get(&page).bearer_auth(token).send().await.unwrap();
        pending.json::<Value>().await.unwrap()
    };
    let change = async |change: Value| {
        let response = client.post(&page).bearer_auth(token).json(&change).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    };
    let stored = || server.database.number("SELECT COUNT(*) FROM events");

    wait_for_line(&stderr, |line| {
        (line.contains("Nothing is uploaded") && line.contains(&server.address)).then(String::new)
    });
    eventually("queued events", async || whole().await["state"]["upload"]["waiting"].as_u64() > Some(20)).await;
    let state = whole().await["state"].clone();
    assert_eq!((&state["is_agreed"], &state["is_connected"]), (&json!(false), &json!(true)));
    assert!(state["notice"][0].as_str().unwrap().contains(&server.address));
    assert_eq!(stored(), 0, "nothing is sent before consent");
    change(json!({"is_paused": true})).await;
    change(json!({"agree": true})).await;
    assert_eq!(stored(), 0, "nothing while paused");
    change(json!({"is_paused": false})).await;
    let wanted = i64::try_from(state["upload"]["waiting"].as_u64().unwrap()).unwrap();
    eventually("the upload", async || stored() == wanted).await;
    eventually("the count", async || whole().await["state"]["upload"]["waiting"] == 0).await;
    let saved = std::fs::read_to_string(root.path().join(".local/share/apogee/reader/reader.json")).unwrap();
    assert!(!saved.contains(&key), "a key given on the command line is not saved");

    // A second start opens the page of the running reader.
    let second = reader(root.path(), &["--open"]).output().unwrap();
    assert!(second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains(&url));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "daily: depends on the clock"]
async fn parsing_a_large_grammar_does_not_block_other_requests() {
    let server = Server::start(Backend::Sqlite).await;
    // Opening a pipe for reading blocks until it is opened for writing.
    let pipe = server.data_dir().join("grammar.json");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    // More than the server has threads for requests.
    let pending: Vec<_> = (0..workers + 2)
        .map(|_| {
            let request = server.request(Method::GET, "/api/reader/grammar").timeout(HANG);
            tokio::spawn(async move { request.send().await.unwrap().status() })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    for _ in 0..workers * 4 {
        // A new connection each time, so that every worker thread is used.
        let request = crate::support::server::client().get(server.url("/api/health")).timeout(Duration::from_secs(5));
        assert_eq!(request.send().await.unwrap().status(), StatusCode::OK);
    }
    assert!(pending.iter().all(|answer| !answer.is_finished()), "the pipe blocks them");
    // The first writer unblocks all waiting readers.
    std::fs::write(&pipe, "{}").unwrap();
    std::fs::remove_file(&pipe).unwrap();
    for answer in pending {
        assert_eq!(answer.await.unwrap(), StatusCode::OK);
    }
}

//! A site on a free port: within the process of the test, or the real binary as a process where the process is the subject.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder, Method, RequestBuilder, StatusCode};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::oneshot;

use apogee::app::App;
use apogee::config::{Flags, Settings};
use apogee::features::secret;
use apogee::server::{self, ServeError, Stop};

use super::databases::{Backend, Database};
use super::events::now;
use super::eventually;

/// The program under test: the current build, or the one in `APOGEE_TEST_BINARY`. Each call starts one process; the file in
/// `APOGEE_TEST_PROCESSES` gets a line with the test's name for each.
pub fn binary() -> String {
    if let Some(path) = std::env::var_os("APOGEE_TEST_PROCESSES") {
        let mut counted = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        let test = format!("{}\n", std::thread::current().name().unwrap_or("?"));
        counted.write_all(test.as_bytes()).unwrap();
    }
    std::env::var("APOGEE_TEST_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_apogee").into())
}

/// Nothing listens there, so that no test contacts the real site.
const NO_GAME_SITE: &str = "http://127.0.0.1:9";

/// Limit of a start on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A site with its data.
pub struct Server {
    pub database: Database,
    pub address: String,
    pub client: Client,
    running: Option<Running>,
    is_process: bool,
    envs: Vec<(String, String)>,
    /// The output of the process.
    log: Arc<Mutex<String>>,
    // Declared last, so that the directory outlives the process.
    dir: TempDir,
}

/// A running site.
enum Running {
    Process(Child),
    Here(Here),
}

/// A site within the process of the test, on a thread of its own.
struct Here {
    app: Arc<App>,
    stop: oneshot::Sender<Stop>,
    thread: JoinHandle<Result<(), ServeError>>,
}

impl Here {
    /// Stops the site and waits for its end.
    fn stop(self, how: Stop) -> Result<(), ServeError> {
        drop(self.app);
        // The site may have ended already.
        let _ = self.stop.send(how);
        self.thread.join().expect("the site panicked")
    }
}

/// A response of the server.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.bytes)))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The code of an error response, after a check of its envelope.
    pub fn code(&self) -> String {
        let json = self.json();
        assert_eq!(json["success"], false, "{json}");
        let sentence = json["error"].as_str().unwrap_or_default();
        assert!(!sentence.is_empty(), "a failure needs a sentence: {json}");
        json["code"].as_str().unwrap_or_else(|| panic!("a failure needs a code: {json}")).to_owned()
    }
}

/// A client that follows no redirect and does not decompress responses.
pub fn client() -> Client {
    builder().no_gzip().no_brotli().build().unwrap()
}

/// A client that requests compressed responses and decompresses them.
pub fn unpacking_client() -> Client {
    builder().build().unwrap()
}

fn builder() -> ClientBuilder {
    // Closes idle connections before the site does.
    net::http_client()
        .unwrap()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(60))
        .pool_idle_timeout(Duration::from_secs(60))
}

impl Server {
    /// Starts a site with an empty database.
    pub async fn start(on: Backend) -> Self {
        let mut server = Self::prepare(on);
        server.run();
        server
    }

    /// Starts the real binary as a process, with an empty database.
    pub async fn process(on: Backend) -> Self {
        let mut server = Self::prepare(on).into_process();
        server.run();
        server
    }

    /// Makes the next start run the real binary: for its log, signals, kills, files and memory.
    pub fn into_process(mut self) -> Self {
        self.is_process = true;
        self
    }

    /// Makes the next start run within this process again.
    pub fn within(mut self) -> Self {
        self.is_process = false;
        self
    }

    /// A migrated, empty database without a running site.
    pub fn prepare(on: Backend) -> Self {
        let dir = TempDir::new().unwrap();
        let database = Database::copy(on, dir.path());
        Self::of(database, dir, Vec::new())
    }

    /// Another process on the same PostgreSQL database, not started: another data directory, the same secret.
    pub fn beside(&self) -> Self {
        Self::on(&self.database.url, &self.envs)
    }

    /// A process on an existing PostgreSQL database, not started.
    pub fn on(url: &str, envs: &[(String, String)]) -> Self {
        let dir = TempDir::new().unwrap();
        Self::of(Database::of(url), dir, envs.to_vec())
    }

    /// A site with a new database without tables.
    pub fn unmigrated(on: Backend) -> Self {
        let dir = TempDir::new().unwrap();
        let database = Database::make(on, dir.path());
        Self::of(database, dir, Vec::new())
    }

    fn of(database: Database, dir: TempDir, envs: Vec<(String, String)>) -> Self {
        let log = Arc::default();
        Self { database, address: String::new(), client: client(), running: None, is_process: false, envs, log, dir }
    }

    /// The output of the process in all of its starts.
    pub fn log(&self) -> String {
        if !self.is_process {
            return "(only a process has a log)".into();
        }
        self.log.lock().unwrap().clone()
    }

    /// Sets an environment variable for the next start.
    pub fn env(&mut self, name: &str, value: &str) {
        self.envs.retain(|(known, _)| known != name);
        self.envs.push((name.to_owned(), value.to_owned()));
    }

    /// Starts the site.
    pub fn run(&mut self) {
        self.run_at("127.0.0.1:0");
    }

    /// Starts the site at a given address.
    pub fn run_at(&mut self, listen: &str) {
        let began = Instant::now();
        assert!(self.try_run_at(listen), "the server printed no address within {:?}", began.elapsed());
    }

    /// Starts the site where it may fail to start; returns whether it started.
    pub fn try_run(&mut self) -> bool {
        self.try_run_at("127.0.0.1:0")
    }

    fn try_run_at(&mut self, listen: &str) -> bool {
        assert!(self.running.is_none(), "the site runs already");
        match self.settings(listen) {
            Some(settings) => self.try_run_here(settings),
            None => self.try_run_process(listen),
        }
    }

    /// The settings of a site within this process; `None` if a process is needed, because the test wants one or sets variables that
    /// are none of the settings.
    fn settings(&mut self, listen: &str) -> Option<Settings> {
        self.is_process |= self.envs.iter().any(|(name, _)| name.starts_with("APOGEE_LOG"));
        if self.is_process {
            return None;
        }
        let mut flags = Flags::default().with("data-dir", self.data_dir().display().to_string()).with("listen", listen);
        flags = flags.with("database-url", &self.database.url);
        flags = flags.with_variable("APOGEE_GAME_SITE_URL", NO_GAME_SITE)?;
        for (name, value) in &self.envs {
            flags = match flags.with_variable(name, value) {
                Some(flags) => flags,
                None => {
                    self.is_process = true;
                    return None;
                }
            };
        }
        Some(Settings::load(&flags).unwrap())
    }

    fn try_run_here(&mut self, settings: Settings) -> bool {
        let (found, waits) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let announce = move |app: &Arc<App>, bound: SocketAddr| {
                let _ = found.send((Arc::clone(app), bound));
                Ok(())
            };
            let stop = || async { stopped.await.unwrap_or(Stop::AtOnce) };
            let served = runtime.block_on(server::serve_until(settings, async |_| Ok(()), announce, stop));
            runtime.shutdown_background();
            served
        });
        match waits.recv_timeout(START_TIMEOUT) {
            Ok((app, bound)) => {
                self.address = format!("http://{bound}");
                self.running = Some(Running::Here(Here { app, stop, thread }));
                true
            }
            Err(RecvTimeoutError::Disconnected) => {
                let error = thread.join().expect("the site panicked").expect_err("the site announced no address");
                eprintln!("the site did not start: {error}");
                false
            }
            Err(RecvTimeoutError::Timeout) => panic!("the site announced no address within {START_TIMEOUT:?}"),
        }
    }

    fn try_run_process(&mut self, listen: &str) -> bool {
        let mut process = self
            .base()
            .args(["serve", "--listen", listen])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (out, err) = (process.stdout.take().unwrap(), process.stderr.take().unwrap());
        self.running = Some(Running::Process(process));
        let (found, waits) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if let Some(address) = line.strip_prefix("listening on ") {
                    let _ = found.send(address.to_owned());
                }
            }
        });
        let log = Arc::clone(&self.log);
        // Drained, so that the process never blocks; printed when a test fails.
        std::thread::spawn(move || {
            for line in BufReader::new(err).lines().map_while(Result::ok) {
                eprintln!("server: {line}");
                log.lock().unwrap().extend([line.as_str(), "\n"]);
            }
        });
        match waits.recv_timeout(START_TIMEOUT) {
            Ok(address) => self.address = address,
            Err(_) => self.kill(),
        }
        self.running.is_some()
    }

    fn base(&self) -> Command {
        let mut command = Command::new(binary());
        command
            .env_clear()
            .env("RUST_BACKTRACE", "1")
            .env("APOGEE_LOG", "warn")
            .env("APOGEE_GAME_SITE_URL", NO_GAME_SITE)
            .envs(self.envs.iter().cloned())
            .arg("--data-dir")
            .arg(self.data_dir())
            .args(["--database-url", &self.database.url]);
        command
    }

    /// Runs another command on the same data, which must succeed; returns its output.
    pub fn command(&self, args: &[&str]) -> String {
        let ended = self.try_command(args);
        assert_eq!(ended.code, 0, "apogee {args:?} failed: {}", ended.error);
        ended.output
    }

    /// Runs another command on the same data; it may fail. It runs within this process unless the test sets variables that are none of
    /// the settings.
    pub fn try_command(&self, args: &[&str]) -> Ended {
        let is_setting = |(name, value): &(String, String)| Flags::default().with_variable(name, value).is_some();
        if !self.envs.iter().all(is_setting) {
            return self.base().args(args).output().unwrap().into();
        }
        let data_dir = self.data_dir().display().to_string();
        let all = [&["--data-dir", &data_dir, "--database-url", &self.database.url], args].concat();
        let mut variables = vec![("APOGEE_GAME_SITE_URL".to_owned(), NO_GAME_SITE.to_owned())];
        variables.extend(self.envs.iter().cloned());
        run_command(&all, &variables)
    }

    /// Starts another command on the same data.
    pub fn spawn(&self, args: &[&str]) -> Child {
        self.base().args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Moves the clock of the site forward.
    pub fn advance(&self, by: Duration) {
        let Some(Running::Here(here)) = &self.running else { panic!("the site does not run within this process") };
        here.app.store.clock().advance(by);
    }

    /// Runs a job of the site from its beginning and waits for its end.
    pub async fn run_job(&self, name: &str) {
        let Some(Running::Here(here)) = &self.running else { panic!("the site does not run within this process") };
        let jobs = &here.app.diagnostics.jobs;
        let runs = || jobs.all().into_iter().find(|(known, _)| *known == name).map_or(0, |(_, stats)| stats.runs);
        // A run that was under way at the first request may have read old data, so another one follows.
        for _ in 0..2 {
            let before = runs();
            assert!(jobs.trigger(name), "there is no job {name}");
            eventually(&format!("a run of the job {name}"), async || runs() > before).await;
        }
    }

    pub fn data_dir(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// Creates an operator key, as `apogee key create` does.
    pub fn key(&self, name: &str) -> String {
        let key = apogee::features::keys::new_key().unwrap();
        let (hash, name, at) = (secret::hash(&key), name.replace('\'', "''"), now());
        self.database.run(&format!(
            "INSERT INTO ingest_keys (name, key_hash, is_operator, created_at) VALUES ('{name}', '{hash}', TRUE, {at})"
        ));
        key
    }

    /// Resident memory of the process in MiB.
    pub fn memory_mib(&self) -> u64 {
        self.status_mib("VmRSS:")
    }

    /// Peak of the resident memory since the start or the last reset, in MiB.
    pub fn peak_memory_mib(&self) -> u64 {
        self.status_mib("VmHWM:")
    }

    /// Resets the peak of memory.
    pub fn reset_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.process_id()), "5").unwrap();
    }

    /// Number of open files and connections.
    pub fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.process_id())).unwrap().count()
    }

    fn status_mib(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process_id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }

    fn process_id(&self) -> u32 {
        match &self.running {
            Some(Running::Process(process)) => process.id(),
            _ => panic!("no process runs: call into_process() before the start"),
        }
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        match self.running.take() {
            Some(Running::Process(mut process)) => {
                process.kill().unwrap();
                process.wait().unwrap();
            }
            Some(Running::Here(_)) => panic!("only a process can be killed: call into_process() before the start"),
            None => {}
        }
    }

    /// Sends a signal to the process.
    pub fn signal(&self, name: &str) {
        let id = self.process_id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Stops the site gracefully and waits for its end; a process with SIGTERM.
    pub fn stop(&mut self) {
        match self.running.take() {
            Some(Running::Here(here)) => here.stop(Stop::Gracefully).expect("the site ends with success"),
            running => {
                self.running = running;
                self.signal("-TERM");
                self.wait_for_end();
            }
        }
    }

    /// Waits for the end of a process that was signalled.
    pub fn wait_for_end(&mut self) {
        let Some(Running::Process(mut process)) = self.running.take() else { panic!("no process runs") };
        let status = process.wait().unwrap();
        assert!(status.success(), "a stopped server exits with success: {status}");
    }

    /// Starts the site again as a process: see [`Server::into_process`].
    pub fn restart_as_process(&mut self) {
        self.stop();
        self.is_process = true;
        self.run();
    }

    pub fn restart(&mut self) {
        self.stop();
        self.run();
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    pub async fn execute(&self, request: RequestBuilder) -> Response {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        Response { status, headers, bytes: response.bytes().await.unwrap().to_vec() }
    }

    /// The response to a GET request.
    pub async fn get(&self, path: &str) -> Response {
        self.execute(self.request(Method::GET, path)).await
    }

    /// The JSON of a successful GET request.
    pub async fn read(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status, StatusCode::OK, "{path}: {}", response.text());
        let json = response.json();
        assert_eq!(json["success"], true, "{path}: {json}");
        json
    }

    pub async fn post(&self, path: &str, key: &str, body: impl Into<reqwest::Body>) -> Response {
        let request = self.request(Method::POST, path).bearer_auth(key).body(body);
        self.execute(request.header("content-type", HeaderValue::from_static("application/json"))).await
    }

    /// Sends a batch; returns the response.
    pub async fn try_send(&self, key: &str, events: &[Value]) -> Response {
        let body = serde_json::to_vec(&serde_json::json!({ "events": events })).unwrap();
        self.post("/api/ingest/events", key, body).await
    }

    /// Sends a batch with the header `Apogee-Log`; returns the response.
    pub async fn send_from_log(&self, key: &str, log: &str, events: &[Value]) -> Response {
        let request = self.request(Method::POST, "/api/ingest/events").bearer_auth(key).header("apogee-log", log);
        self.execute(request.json(&serde_json::json!({ "events": events }))).await
    }

    /// Sends a batch from the log of a player; every event must be accepted as new.
    pub async fn take_from_log_of(&self, key: &str, handle: &str, events: &[Value]) {
        let log = format!("id=log-{handle}, handle={handle}, channel=LIVE, first=1, last=9999999999999");
        let answer = self.send_from_log(key, &log, events).await.json();
        assert_eq!(answer["rejected"], serde_json::json!([]), "{answer}");
        assert_eq!(answer["accepted"], events.len(), "{answer}");
    }

    /// Sends a batch that must be answered with 200; returns the JSON.
    pub async fn send(&self, key: &str, events: &[Value]) -> Value {
        let response = self.try_send(key, events).await;
        assert_eq!(response.status, StatusCode::OK, "{}", response.text());
        response.json()
    }

    /// Sends a batch of which every event must be accepted as new.
    pub async fn take(&self, key: &str, events: &[Value]) {
        let response = self.send(key, events).await;
        assert_eq!(response["rejected"], serde_json::json!([]), "{response}");
        assert_eq!(response["accepted"], events.len(), "{response}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        match self.running.take() {
            Some(Running::Process(mut process)) => {
                let _ = process.kill();
                let _ = process.wait();
            }
            Some(Running::Here(Here { app, stop, thread })) => {
                drop(app);
                let _ = stop.send(Stop::AtOnce);
                // A panic here would end the process of all tests.
                if !matches!(thread.join(), Ok(Ok(()))) {
                    eprintln!("the site failed while it ended");
                }
            }
            None => {}
        }
    }
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; -1 if a signal ended the command.
    pub code: i32,
    pub output: String,
    /// Its standard error, with the sentence of a failure.
    pub error: String,
}

impl From<std::process::Output> for Ended {
    fn from(output: std::process::Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code().unwrap_or(-1), output: text(&output.stdout), error: text(&output.stderr) }
    }
}

/// Runs a command within this process, as if `variables` were its environment.
pub fn run_command(args: &[&str], variables: &[(String, String)]) -> Ended {
    let all = [&["apogee"], args].concat();
    // A command has its own runtime, which cannot start on a thread of the test's.
    let (written, done) = std::thread::scope(|scope| {
        scope.spawn(|| apogee::cli::run_within(&all, variables)).join().expect("the command panicked")
    });
    let (code, sentence) =
        done.map_or_else(|error| (error.exit_code().into(), error.to_string()), |()| (0, String::new()));
    let output = String::from_utf8_lossy(&written.output).into_owned();
    Ended { code, output, error: written.errors + &sentence }
}

/// Folds a handle as the database does.
pub fn fold(handle: &str) -> String {
    handle.to_ascii_lowercase()
}

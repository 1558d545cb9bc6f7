//! A running reader whose settings can be changed from its page. The command line builds and runs it; the parent module serves its state.
//! It contains no HTTP code and no text in a single language.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use apogee_reader::control::Control;
use apogee_reader::dashboard::{Dashboard, Row};
use apogee_reader::error::ReaderError;
use apogee_reader::filter::Filter;
use apogee_reader::installs::{live_logs, pasted_path};
use apogee_reader::login::{Login, LoginError, machine_name};
use apogee_reader::mutex::lock;
use apogee_reader::note::{Note, Sink};
use apogee_reader::queue::Queue;
use apogee_reader::run::{QUEUE_MAX_EVENTS, RunConfig, run};
use apogee_reader::settings::{ReaderSettings, parse_origin, queue_folder};
use apogee_reader::unknown_lines::UnknownLines;
use apogee_reader::upload::{RetryPolicy, Server};
use apogee_reader::{browser, privacy};
use i18n::Texts;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::events::{Event, Identifier};
use crate::live::{Hub, OutgoingMessage, StateUpdate, Topic};

/// The topic of the reader's live stream.
pub const TOPIC: &str = "reader";

/// The figures of the evening on the page, with the events that they come from.
const FIGURES: [(&str, Identifier); 7] = [
    ("clocks", Identifier::ConnectionSuccess),
    ("contracts", Identifier::MissionAccepted),
    ("pay", Identifier::Payout),
    ("kills", Identifier::Kill),
    ("vehicles", Identifier::VehicleDestruction),
    ("ship", Identifier::SeatEntered),
    ("crashes", Identifier::GameCrashed),
];

/// A login started from the page, which shows it.
#[derive(Debug, Clone, Serialize)]
pub struct PendingLogin {
    code: String,
    confirm_url: String,
    error: Option<String>,
    #[serde(skip)]
    waiting: tokio::task::AbortHandle,
}

/// A change of settings. Omitted fields remain unchanged.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub struct SettingsPatch {
    pub language: Option<String>,
    pub hide: Option<Vec<String>>,
    pub skips_backups: Option<bool>,
    pub sends_samples: Option<bool>,
    pub is_paused: Option<bool>,
    /// A folder of the game, or a log.
    pub add_log: Option<String>,
    pub remove_log: Option<String>,
    /// The user agrees to the privacy notice.
    pub agree: Option<bool>,
    pub disconnect: Option<bool>,
}

impl SettingsPatch {
    /// Returns true if site or logs change, which restarts the reader.
    fn needs_restart(&self) -> bool {
        self.add_log.is_some() || self.remove_log.is_some() || self.disconnect == Some(true)
    }

    fn apply(&self, settings: &mut ReaderSettings) -> Result<(), ChangeError> {
        settings.language = self.language.clone().or(settings.language.take());
        settings.hide = self.hide.clone().unwrap_or(std::mem::take(&mut settings.hide));
        settings.skips_backups = self.skips_backups.unwrap_or(settings.skips_backups);
        settings.sends_samples = self.sends_samples.unwrap_or(settings.sends_samples);
        settings.is_paused = self.is_paused.unwrap_or(settings.is_paused);
        if self.add_log.is_some() || self.remove_log.is_some() {
            settings.logs = settings.log_paths();
        }
        if let Some(typed) = &self.add_log {
            for log in live_logs(&[pasted_path(Path::new(typed))]) {
                if !log.is_absolute() || !log.parent().is_some_and(Path::is_dir) {
                    return Err(ChangeError::Message("p_no_folder"));
                }
                settings.logs.retain(|known| *known != log);
                settings.logs.push(log);
            }
        }
        if let Some(gone) = &self.remove_log {
            settings.logs = live_logs(&settings.logs);
            settings.logs.retain(|log| log.display().to_string() != *gone);
        }
        if self.disconnect == Some(true) {
            settings.key = None;
        }
        Ok(())
    }
}

/// Why a change was rejected: the key of a translated sentence, or an error.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("{0}")]
    Message(&'static str),
    #[error("{0}")]
    Login(#[from] LoginError),
    #[error("{0}")]
    RunConfig(#[from] ReaderError),
}

/// A running reader, with the state and settings that its page can read and change.
pub struct ReaderService {
    pub home: PathBuf,
    /// The settings of this run: the saved ones, overridden by flags.
    settings: Mutex<ReaderSettings>,
    /// The settings for the next start, without flags.
    saved: Mutex<ReaderSettings>,
    /// Nothing is uploaded.
    is_dry_run: bool,
    filter: Arc<Mutex<Filter>>,
    unknown_lines: Arc<UnknownLines>,
    pub hub: Hub,
    dashboard: Mutex<Dashboard>,
    control: Mutex<Arc<Control>>,
    login: Mutex<Option<PendingLogin>>,
    is_shutting_down: AtomicBool,
}

impl ReaderService {
    /// `settings` are the saved settings, overridden by the flags of this run.
    pub fn new(
        home: PathBuf,
        saved: ReaderSettings,
        settings: ReaderSettings,
        filter: Filter,
        is_dry_run: bool,
    ) -> Self {
        let unknown_lines = UnknownLines::default();
        unknown_lines.allow(settings.sends_samples);
        Self {
            home,
            settings: Mutex::new(settings),
            saved: Mutex::new(saved),
            is_dry_run,
            filter: Arc::new(Mutex::new(filter)),
            unknown_lines: Arc::new(unknown_lines),
            hub: Hub::starting_after(0),
            dashboard: Mutex::default(),
            control: Mutex::default(),
            login: Mutex::new(None),
            is_shutting_down: AtomicBool::new(false),
        }
    }

    /// Follows and uploads until [`ReaderService::stop`]. Restarts when logs or site change. Notes also go to
    /// `terminal`.
    pub async fn run(self: &Arc<Self>, terminal: Box<dyn Sink>) -> Result<(), ReaderError> {
        let sink: Arc<Mutex<dyn Sink>> = Arc::new(Mutex::new(ServiceSink { service: self.clone(), terminal }));
        loop {
            let control = Arc::new(Control::default());
            *lock(&self.control) = control.clone();
            // Checked after the control is replaced, so that no stop is missed.
            if self.is_shutting_down.load(Ordering::SeqCst) {
                break;
            }
            let config = self.run_config();
            let before = Queue::inspect(&config.folder)?;
            lock(&self.dashboard).begin(&config.logs, before);
            self.update_pause();
            self.publish_state();
            run(config, sink.clone(), control).await?;
        }
        self.hub.close();
        Ok(())
    }

    /// Stops the reader.
    pub fn stop(&self) {
        self.is_shutting_down.store(true, Ordering::SeqCst);
        lock(&self.control).stop();
    }

    /// The texts in the selected language.
    pub fn texts(&self) -> &'static Texts {
        lock(&self.settings).language().reader()
    }

    fn site(&self) -> Option<Server> {
        lock(&self.settings).site().filter(|_| !self.is_dry_run)
    }

    fn run_config(&self) -> RunConfig {
        let server = self.site();
        let settings = lock(&self.settings).clone();
        RunConfig {
            logs: live_logs(&settings.log_paths()),
            filter: self.filter.clone(),
            folder: queue_folder(&self.home, server.as_ref()),
            server,
            with_backups: !settings.skips_backups,
            queue_limit: QUEUE_MAX_EVENTS,
            unknown_lines: self.unknown_lines.clone(),
            retry_policy: RetryPolicy::default(),
        }
    }

    fn is_agreed(&self) -> bool {
        privacy::is_shown(&queue_folder(&self.home, self.site().as_ref()))
    }

    /// Pauses uploads until the user has agreed, and while the user pauses them.
    fn update_pause(&self) {
        let is_held = lock(&self.settings).is_paused || (self.site().is_some() && !self.is_agreed());
        lock(&self.control).clone().pause(is_held);
    }

    /// The state of the page, without the rows.
    pub fn state(&self) -> Value {
        let texts = self.texts();
        let (site, is_agreed) = (self.site(), self.is_agreed());
        let sends = site.is_some() && is_agreed;
        let settings = lock(&self.settings).clone();
        let login = lock(&self.login).clone();
        let filter = lock(&self.filter).clone();
        let dashboard = lock(&self.dashboard);
        json!({
            "language": settings.language().code(),
            "server": settings.server,
            // The reader has a key for its site.
            "is_connected": site.is_some(),
            // The user has agreed to the privacy notice.
            "is_agreed": is_agreed,
            "is_paused": settings.is_paused,
            "notice": privacy::page_notice(texts, settings.server.as_deref().unwrap_or(texts.text("p_your_site"))),
            "logs": dashboard.logs(),
            "hide": settings.hide,
            "skips_backups": settings.skips_backups,
            "sends_samples": settings.sends_samples,
            "samples": self.unknown_lines.all(),
            "evening": dashboard.evening,
            // What happens to the events behind each figure of the evening.
            "reach": BTreeMap::from(FIGURES.map(|(name, kind)| (name, filter.reach(kind, sends)))),
            "upload": dashboard.upload(texts),
            "notes": dashboard.notes(texts),
            "login": login,
        })
    }

    /// The newest events, newest first.
    pub fn rows(&self) -> Vec<Row> {
        lock(&self.dashboard).rows(self.texts())
    }

    /// Applies a change now and saves it for later starts.
    pub fn change(&self, patch: SettingsPatch) -> Result<(), ChangeError> {
        let mut saved = lock(&self.saved).clone();
        patch.apply(&mut saved)?;
        saved.save(&self.home)?;
        *lock(&self.saved) = saved;
        let mut settings = lock(&self.settings).clone();
        patch.apply(&mut settings)?;
        self.unknown_lines.allow(settings.sends_samples);
        if patch.hide.is_some() {
            lock(&self.filter).set_shown(settings.filter());
        }
        *lock(&self.settings) = settings;
        if patch.agree == Some(true) {
            privacy::mark_shown(&queue_folder(&self.home, self.site().as_ref()))?;
        }
        if patch.needs_restart() {
            lock(&self.control).stop();
        }
        self.update_pause();
        self.publish_state();
        Ok(())
    }

    /// Starts a login at a site. It continues in the background until the user confirms or denies it.
    pub async fn log_in(self: &Arc<Self>, typed: &str) -> Result<(), ChangeError> {
        let origin = parse_origin(typed).ok_or(ChangeError::Message("p_wrong_address"))?;
        self.cancel_login();
        let login = Login::start(&origin, &machine_name()).await?;
        let service = self.clone();
        let (code, confirm_url) = (login.code.clone(), login.confirm_url.clone());
        let url = origin.clone();
        let waiting = tokio::spawn(async move {
            let result = login.wait(&url).await;
            service.end_login(&url, result);
        });
        *lock(&self.login) =
            Some(PendingLogin { code, confirm_url: confirm_url.clone(), error: None, waiting: waiting.abort_handle() });
        browser::open(&confirm_url);
        self.publish_state();
        Ok(())
    }

    pub fn cancel_login(&self) {
        if let Some(pending) = lock(&self.login).take() {
            pending.waiting.abort();
        }
        self.publish_state();
    }

    fn end_login(&self, origin: &str, result: Result<String, LoginError>) {
        let saved = result.map_err(ChangeError::from).and_then(|key| {
            for settings in [&self.saved, &self.settings] {
                let mut settings = lock(settings);
                (settings.server, settings.key) = (Some(origin.to_owned()), Some(key.clone()));
            }
            let saved = lock(&self.saved).clone();
            Ok(saved.save(&self.home)?)
        });
        match saved {
            Ok(()) => {
                *lock(&self.login) = None;
                lock(&self.control).stop();
            }
            Err(error) => {
                let sentence = self.error_text(&error);
                if let Some(pending) = lock(&self.login).as_mut() {
                    pending.error = Some(sentence);
                }
            }
        }
        self.publish_state();
    }

    /// The error in the language of the page, if it is translated.
    pub fn error_text(&self, error: &ChangeError) -> String {
        let texts = self.texts();
        match error {
            ChangeError::Message(key) => texts.text(key).to_owned(),
            ChangeError::Login(error) => error.text(texts),
            other => other.to_string(),
        }
    }

    /// Publishes the current state to open pages.
    pub fn publish_state(&self) {
        let topic = Topic::new(TOPIC);
        if !self.hub.has_subscribers(topic) {
            return;
        }
        let snapshot = self.state().to_string();
        let update = StateUpdate { name: "reader", topic, snapshot, delta: None, is_changed: true };
        self.hub.publish_states(self.hub.epoch(), vec![update]);
    }

    /// Publishes an event to the page. Returns false if it is already known.
    fn publish_row(&self, event: &Event) -> bool {
        let topic = Topic::new(TOPIC);
        let texts = self.texts();
        let Some(row) = lock(&self.dashboard).add_event(event, texts) else { return false };
        let id = i64::try_from(row.id).unwrap_or(i64::MAX);
        if self.hub.has_subscribers(topic) {
            let json = serde_json::to_string(&row).unwrap_or_default();
            self.hub.publish(id, vec![(id, OutgoingMessage { name: "row", topics: vec![topic], json })]);
        } else {
            // Without an open page the event is not buffered: a page that connects later loads the whole state.
            self.hub.reset_to(id);
        }
        true
    }
}

/// Forwards events and notes to the terminal and the page.
struct ServiceSink {
    service: Arc<ReaderService>,
    terminal: Box<dyn Sink>,
}

impl Sink for ServiceSink {
    fn event(&mut self, event: &Event) {
        if self.service.publish_row(event) {
            self.terminal.event(event);
        }
    }

    fn seen(&mut self, event: &Event) {
        lock(&self.service.dashboard).add_seen(event);
    }

    fn note(&mut self, note: &Note) {
        self.terminal.note(note);
        lock(&self.service.dashboard).add_note(note);
        self.service.publish_state();
    }

    fn failure(&mut self) -> Option<std::io::Error> {
        self.terminal.failure()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_pasted_on_the_page_is_found() {
        let root = tempfile::tempdir().unwrap();
        let live = root.path().join("LIVE");
        std::fs::create_dir_all(live.join("logbackups")).unwrap();
        let path = live.display().to_string();
        for typed in [format!("\u{202a}{path} "), format!("\"{path}\""), format!("{path}/logbackups\u{a0}")] {
            let mut settings = ReaderSettings { logs: vec![root.path().join("PTU/Game.log")], ..Default::default() };
            SettingsPatch { add_log: Some(typed), ..SettingsPatch::default() }.apply(&mut settings).unwrap();
            assert_eq!(settings.logs[1..], [live.join("Game.log")]);
        }
    }
}

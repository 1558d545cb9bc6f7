//! The state shown on the reader's page: newest events, the evening, logs, and uploads.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::PathBuf;

use gamelog::evening::Evening;
use gamelog::events::{Event, GameMode};
use i18n::Texts;
use serde::Serialize;

use super::claims::UnclaimedEvents;
use super::feed::{note_text, sentence};
use super::filter::EventType;
use super::note::{Note, UnclaimedPlayer};
use super::queue_state::QueueState;

/// Number of newest events shown.
const MAX_ROWS: usize = 300;
const MAX_NOTES: usize = 4;
/// Number of event ids compared when logs are read again for another site.
const MAX_KNOWN_IDS: usize = 20_000;

/// An event as shown on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    pub id: u64,
    /// Epoch milliseconds.
    pub at: i64,
    /// The group of the event, as named by filters.
    pub kind: &'static str,
    pub mode: Option<GameMode>,
    /// The sentence in the language of the page.
    pub text: String,
}

/// The state of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogState {
    pub path: String,
    /// The log exists and is followed; otherwise the reader waits for the game.
    pub is_followed: bool,
}

/// The state of uploads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct UploadState {
    pub waiting: u64,
    pub sent: u64,
    /// Events that wait until their player is claimed.
    pub unclaimed: Vec<UnclaimedEvents>,
    /// The current problem with the site.
    pub trouble: Option<String>,
    pub is_key_refused: bool,
}

/// Collects events and notes for the page.
#[derive(Default)]
pub struct Dashboard {
    rows: VecDeque<(u64, Event)>,
    last_id: u64,
    known: HashSet<String>,
    pub evening: Evening,
    logs: BTreeMap<PathBuf, bool>,
    queue: QueueState,
    sent: u64,
    unclaimed: Vec<UnclaimedPlayer>,
    trouble: Option<Note>,
    notes: VecDeque<Note>,
}

impl Dashboard {
    /// Starts with these logs and this queue.
    pub fn begin(&mut self, logs: &[PathBuf], queue: QueueState) {
        self.logs = logs.iter().map(|log| (log.clone(), false)).collect();
        self.sent = queue.sent;
        self.queue = queue;
        self.unclaimed.clear();
        self.trouble = None;
        self.notes.clear();
    }

    /// Adds an event to the evening. Returns false if it is already known.
    pub fn add_seen(&mut self, event: &Event) -> bool {
        if let Some(id) = &event.event_id {
            if self.known.len() == MAX_KNOWN_IDS {
                self.known.clear();
            }
            if !self.known.insert(id.clone()) {
                return false;
            }
        }
        self.evening.take(event);
        true
    }

    /// Adds an event. Returns its row, or `None` if it is already known.
    pub fn add_event(&mut self, event: &Event, texts: &Texts) -> Option<Row> {
        if !self.add_seen(event) {
            return None;
        }
        self.last_id += 1;
        if self.rows.len() == MAX_ROWS {
            self.rows.pop_front();
        }
        self.rows.push_back((self.last_id, event.clone()));
        Some(row(self.last_id, event, texts))
    }

    pub fn add_note(&mut self, note: &Note) {
        match note {
            Note::Reading(path) => {
                if let Some(is_followed) = self.logs.get_mut(path) {
                    *is_followed = true;
                }
            }
            Note::Waiting(path) => {
                self.logs.insert(path.clone(), false);
            }
            Note::Queued(state) => self.queue = state.clone(),
            Note::Uploaded { accepted, duplicates } => {
                self.sent = self.sent.saturating_add(*accepted).saturating_add(*duplicates);
                self.trouble = None;
            }
            Note::Unclaimed(player) => {
                self.remove_unclaimed(&player.handle);
                self.unclaimed.push(player.clone());
                self.trouble = None;
            }
            Note::Claimed(handle) => self.remove_unclaimed(handle),
            Note::ForeignLog(log) => {
                self.remove_unclaimed(&log.handle);
                self.trouble = None;
                self.keep(note);
            }
            Note::Retry { .. } | Note::KeyRejected { .. } => self.trouble = Some(note.clone()),
            Note::Rejected { .. }
            | Note::AheadOfClock(_)
            | Note::UnknownShapes(_)
            | Note::Untimed { .. }
            | Note::LogsWithheld { .. }
            | Note::Nameless(_)
            | Note::QueueFull
            | Note::Unreadable { .. } => self.keep(note),
        }
    }

    /// Keeps a note in the list. The newest note of a kind replaces older ones.
    fn keep(&mut self, note: &Note) {
        self.notes.retain(|known| std::mem::discriminant(known) != std::mem::discriminant(note));
        if self.notes.len() == MAX_NOTES {
            self.notes.pop_front();
        }
        self.notes.push_back(note.clone());
    }

    fn remove_unclaimed(&mut self, handle: &str) {
        self.unclaimed.retain(|known| !known.handle.eq_ignore_ascii_case(handle));
    }

    /// The newest events, newest first.
    pub fn rows(&self, texts: &Texts) -> Vec<Row> {
        self.rows.iter().rev().map(|(id, event)| row(*id, event, texts)).collect()
    }

    pub fn logs(&self) -> Vec<LogState> {
        let state = |(path, is_followed): (&PathBuf, &bool)| LogState {
            path: path.display().to_string(),
            is_followed: *is_followed,
        };
        self.logs.iter().map(state).collect()
    }

    pub fn upload(&self, texts: &Texts) -> UploadState {
        UploadState {
            waiting: self.queue.waiting,
            sent: self.sent,
            unclaimed: self.unclaimed.iter().map(|player| UnclaimedEvents::new(player, &self.queue)).collect(),
            trouble: self.trouble.as_ref().map(|note| note_text(texts, note)),
            is_key_refused: matches!(self.trouble, Some(Note::KeyRejected { .. })),
        }
    }

    /// Other notes, oldest first.
    pub fn notes(&self, texts: &Texts) -> Vec<String> {
        self.notes.iter().map(|note| note_text(texts, note)).collect()
    }
}

fn row(id: u64, event: &Event, texts: &Texts) -> Row {
    Row {
        id,
        at: event.event_time.0,
        kind: EventType::of(event).name(),
        mode: event.game_mode,
        text: sentence(texts, event),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue_state::ForeignLog;
    use gamelog::events::Identifier;
    use gamelog::times::EpochMillis;
    use i18n::Language;

    fn queue(waiting: u64, sent: u64) -> QueueState {
        QueueState { waiting, sent, ..QueueState::default() }
    }

    fn login(number: i64) -> Event {
        Event {
            player_name: Some("Tester_One".into()),
            ..Event::new(Identifier::Login, EpochMillis(1_790_000_000_000 + number))
        }
    }

    #[test]
    fn rows_are_the_newest_in_the_requested_language() {
        let (english, german) = (Language::En.reader(), Language::De.reader());
        let mut dashboard = Dashboard::default();
        for number in 0..MAX_ROWS as i64 + 5 {
            dashboard.add_event(&login(number), english);
        }
        let rows = dashboard.rows(german);
        assert_eq!((rows.len(), rows[0].id), (MAX_ROWS, dashboard.last_id));
        assert_eq!((rows[0].text.as_str(), rows[0].kind), ("Tester_One hat sich angemeldet", "sessions"));
    }

    #[test]
    fn events_read_again_for_another_site_are_shown_once() {
        let texts = Language::En.reader();
        let mut dashboard = Dashboard::default();
        let event = Event { event_id: Some("login:1".into()), ..login(1) };
        assert!(dashboard.add_event(&event, texts).is_some());
        dashboard.begin(&["Game.log".into()], QueueState::default());
        assert!(dashboard.add_event(&event, texts).is_none());
        assert_eq!(dashboard.rows(texts).len(), 1);
    }

    #[test]
    fn a_successful_upload_clears_the_error() {
        let texts = Language::En.reader();
        let mut dashboard = Dashboard::default();
        dashboard.begin(&["Game.log".into()], queue(3, 10));
        dashboard.add_note(&Note::KeyRejected { error: "revoked".into() });
        assert!(dashboard.upload(texts).is_key_refused);
        dashboard.add_note(&Note::Uploaded { accepted: 2, duplicates: 1 });
        dashboard.add_note(&Note::Queued(queue(0, 13)));
        assert_eq!(dashboard.upload(texts), UploadState { waiting: 0, sent: 13, ..UploadState::default() });
    }

    #[test]
    fn an_unclaimed_player_is_shown_until_the_claim() {
        let texts = Language::En.reader();
        let mut dashboard = Dashboard::default();
        let player = |handle: &str| UnclaimedPlayer { handle: handle.into(), url: format!("https://x.test/{handle}") };
        let players = [("tester_one".to_owned(), 12), ("tester_two".to_owned(), 7)];
        dashboard.begin(&["Game.log".into()], QueueState::default());
        dashboard.add_note(&Note::Unclaimed(player("Tester_One")));
        dashboard.add_note(&Note::Unclaimed(player("Tester_Two")));
        dashboard.add_note(&Note::Queued(QueueState { players: players.into(), ..queue(20, 0) }));
        let shown = |dashboard: &Dashboard| {
            let unclaimed = dashboard.upload(texts).unclaimed;
            unclaimed.into_iter().map(|events| (events.player.handle, events.waiting)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&dashboard), [("Tester_One".to_owned(), 12), ("Tester_Two".to_owned(), 7)]);
        dashboard.add_note(&Note::Claimed("Tester_One".into()));
        assert_eq!(shown(&dashboard), [("Tester_Two".to_owned(), 7)]);
        dashboard.add_note(&Note::ForeignLog(ForeignLog { handle: "TESTER_TWO".into(), first: None }));
        assert!(shown(&dashboard).is_empty());
        assert!(dashboard.notes(texts)[0].contains("TESTER_TWO"));
    }

    #[test]
    fn a_log_is_followed_once_it_exists() {
        let mut dashboard = Dashboard::default();
        dashboard.begin(&["Game.log".into()], QueueState::default());
        dashboard.add_note(&Note::Waiting("Game.log".into()));
        assert!(!dashboard.logs()[0].is_followed);
        dashboard.add_note(&Note::Reading("Game.log".into()));
        dashboard.add_note(&Note::Reading("logbackups/a.log".into()));
        assert_eq!(dashboard.logs(), [LogState { path: "Game.log".into(), is_followed: true }]);
    }
}

//! The state shown on the reader's page: newest events, session summary, logs, and uploads.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::PathBuf;

use serde::Serialize;

use crate::domain::events::{Event, GameMode};

use super::feed::{note_text, sentence};
use super::filter::EventType;
use super::held::HeldCounts;
use super::note::Note;
use super::summary::Summary;
use crate::i18n::Texts;

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
    pub held: HeldState,
    /// The current problem with the site.
    pub trouble: Option<String>,
    pub is_key_refused: bool,
}

/// Uploaded events that the site does not count, since the reader has used this site.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct HeldState {
    pub count: u64,
    /// One sentence per reason with what makes the events count, the most frequent first.
    pub reasons: Vec<String>,
}

/// Collects events and notes for the page.
#[derive(Default)]
pub struct Dashboard {
    rows: VecDeque<(u64, Event)>,
    last_id: u64,
    known: HashSet<String>,
    summary: Summary,
    logs: BTreeMap<PathBuf, bool>,
    waiting: u64,
    sent: u64,
    held: HeldCounts,
    trouble: Option<Note>,
    notes: VecDeque<Note>,
}

impl Dashboard {
    /// Starts with these logs and the counters of the queue.
    pub fn begin(&mut self, logs: &[PathBuf], waiting: u64, sent: u64) {
        self.logs = logs.iter().map(|log| (log.clone(), false)).collect();
        (self.waiting, self.sent) = (waiting, sent);
        self.held = HeldCounts::default();
        self.trouble = None;
        self.notes.clear();
    }

    /// Adds an event. Returns its row, or `None` if it is already known.
    pub fn add_event(&mut self, event: &Event, texts: &Texts) -> Option<Row> {
        if let Some(id) = &event.event_id {
            if self.known.len() == MAX_KNOWN_IDS {
                self.known.clear();
            }
            if !self.known.insert(id.clone()) {
                return None;
            }
        }
        self.last_id += 1;
        self.summary.take(event);
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
            Note::Queued(count) => self.waiting = *count,
            Note::Uploaded { accepted, duplicates } => {
                self.sent = self.sent.saturating_add(*accepted).saturating_add(*duplicates);
                self.trouble = None;
            }
            Note::Held(counts) => self.held.merge(counts),
            Note::Retry { .. } | Note::KeyRejected { .. } => self.trouble = Some(note.clone()),
            Note::Rejected { .. }
            | Note::AheadOfClock(_)
            | Note::UnknownShapes(_)
            | Note::Nameless(_)
            | Note::QueueFull
            | Note::Unreadable { .. } => {
                // The newest note of a kind replaces older ones.
                self.notes.retain(|known| std::mem::discriminant(known) != std::mem::discriminant(note));
                if self.notes.len() == MAX_NOTES {
                    self.notes.pop_front();
                }
                self.notes.push_back(note.clone());
            }
        }
    }

    /// The newest events, newest first.
    pub fn rows(&self, texts: &Texts) -> Vec<Row> {
        self.rows.iter().rev().map(|(id, event)| row(*id, event, texts)).collect()
    }

    pub fn last_id(&self) -> u64 {
        self.last_id
    }

    pub fn summary(&self) -> &Summary {
        &self.summary
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
            waiting: self.waiting,
            sent: self.sent,
            held: HeldState { count: self.held.total(), reasons: self.held.reasons(texts) },
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
    use crate::domain::events::Identifier;
    use crate::domain::times::EpochMillis;
    use crate::i18n::Language;

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
        assert_eq!((rows.len(), rows[0].id), (MAX_ROWS, dashboard.last_id()));
        assert_eq!((rows[0].text.as_str(), rows[0].kind), ("Tester_One hat sich angemeldet", "sessions"));
    }

    #[test]
    fn events_read_again_for_another_site_are_shown_once() {
        let texts = Language::En.reader();
        let mut dashboard = Dashboard::default();
        let event = Event { event_id: Some("login:1".into()), ..login(1) };
        assert!(dashboard.add_event(&event, texts).is_some());
        dashboard.begin(&["Game.log".into()], 0, 0);
        assert!(dashboard.add_event(&event, texts).is_none());
        assert_eq!(dashboard.rows(texts).len(), 1);
    }

    #[test]
    fn a_successful_upload_clears_the_error() {
        let texts = Language::En.reader();
        let mut dashboard = Dashboard::default();
        dashboard.begin(&["Game.log".into()], 3, 10);
        dashboard.add_note(&Note::KeyRejected { error: "revoked".into() });
        assert!(dashboard.upload(texts).is_key_refused);
        dashboard.add_note(&Note::Uploaded { accepted: 2, duplicates: 1 });
        dashboard.add_note(&Note::Queued(0));
        assert_eq!(dashboard.upload(texts), UploadState { waiting: 0, sent: 13, ..UploadState::default() });
    }

    #[test]
    fn held_events_are_added_up_until_the_reader_starts_again() {
        let texts = Language::En.reader();
        let mut dashboard = Dashboard::default();
        let mut counts = HeldCounts::default();
        counts.add("unclaimed");
        dashboard.add_note(&Note::Held(counts.clone()));
        counts.add("two_logs");
        dashboard.add_note(&Note::Held(counts));
        let held = dashboard.upload(texts).held;
        assert_eq!((held.count, held.reasons.len()), (3, 2));
        assert!(held.reasons[0].starts_with("2: no account has claimed the player"), "{held:?}");
        dashboard.begin(&["Game.log".into()], 0, 0);
        assert_eq!(dashboard.upload(texts).held, HeldState::default());
    }

    #[test]
    fn a_log_is_followed_once_it_exists() {
        let mut dashboard = Dashboard::default();
        dashboard.begin(&["Game.log".into()], 0, 0);
        dashboard.add_note(&Note::Waiting("Game.log".into()));
        assert!(!dashboard.logs()[0].is_followed);
        dashboard.add_note(&Note::Reading("Game.log".into()));
        dashboard.add_note(&Note::Reading("logbackups/a.log".into()));
        assert_eq!(dashboard.logs(), [LogState { path: "Game.log".into(), is_followed: true }]);
    }
}

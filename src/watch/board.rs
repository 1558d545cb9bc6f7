//! What a reader's own page shows: the newest events, the sums of the session, how logs and uploads stand.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::PathBuf;

use serde::Serialize;

use crate::domain::events::{Event, GameMode};

use super::Note;
use super::feed::{note_text, sentence};
use super::filter::EventType;
use super::summary::Summary;
use super::words::Words;

/// So many of the newest events are shown.
const ROWS_MAX: usize = 300;
const NOTES_MAX: usize = 4;
/// So many events are known again when logs are read anew for another site.
const KNOWN_MAX: usize = 20_000;

/// One event as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    pub id: u64,
    /// Epoch milliseconds.
    pub at: i64,
    /// The group of the event, as filters name it.
    pub kind: &'static str,
    pub mode: Option<GameMode>,
    /// The sentence, in the page's language.
    pub text: String,
}

/// How a log stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogState {
    pub path: String,
    /// It is there and followed; else the reader waits for the game.
    pub is_followed: bool,
}

/// How uploads stand.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct UploadState {
    pub waiting: u64,
    pub sent: u64,
    /// What is wrong with the site, in words.
    pub trouble: Option<String>,
    pub is_key_refused: bool,
}

/// Gathers what a reader tells.
#[derive(Default)]
pub struct Board {
    rows: VecDeque<(u64, Event)>,
    last_id: u64,
    known: HashSet<String>,
    summary: Summary,
    logs: BTreeMap<PathBuf, bool>,
    waiting: u64,
    sent: u64,
    trouble: Option<Note>,
    notes: VecDeque<Note>,
}

impl Board {
    /// Begins to follow these logs, with what the queue held before.
    pub fn begin(&mut self, logs: &[PathBuf], waiting: u64, sent: u64) {
        self.logs = logs.iter().map(|log| (log.clone(), false)).collect();
        (self.waiting, self.sent) = (waiting, sent);
        self.trouble = None;
        self.notes.clear();
    }

    /// Takes an event; gives its row, or nothing when it was told before.
    pub fn event(&mut self, event: &Event, words: &Words) -> Option<Row> {
        if let Some(id) = &event.event_id {
            if self.known.len() == KNOWN_MAX {
                self.known.clear();
            }
            if !self.known.insert(id.clone()) {
                return None;
            }
        }
        self.last_id += 1;
        self.summary.take(event);
        if self.rows.len() == ROWS_MAX {
            self.rows.pop_front();
        }
        self.rows.push_back((self.last_id, event.clone()));
        Some(row(self.last_id, event, words))
    }

    pub fn note(&mut self, note: &Note) {
        match note {
            Note::Reading(path) => {
                if let Some(is_followed) = self.logs.get_mut(path) {
                    *is_followed = true;
                }
            }
            Note::Waiting(path) => {
                self.logs.insert(path.clone(), false);
            }
            Note::Waits(count) => self.waiting = *count,
            Note::Uploaded { accepted, duplicates } => {
                self.sent = self.sent.saturating_add(*accepted).saturating_add(*duplicates);
                self.trouble = None;
            }
            Note::Retry { .. } | Note::KeyRefused { .. } => self.trouble = Some(note.clone()),
            Note::Rejected { .. }
            | Note::Early(_)
            | Note::UnknownShapes(_)
            | Note::Nameless(_)
            | Note::QueueFull
            | Note::Unreadable { .. } => {
                // The newest of a kind says all that the older ones said.
                self.notes.retain(|known| std::mem::discriminant(known) != std::mem::discriminant(note));
                if self.notes.len() == NOTES_MAX {
                    self.notes.pop_front();
                }
                self.notes.push_back(note.clone());
            }
        }
    }

    /// The newest events, newest first.
    pub fn rows(&self, words: &Words) -> Vec<Row> {
        self.rows.iter().rev().map(|(id, event)| row(*id, event, words)).collect()
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

    pub fn upload(&self, words: &Words) -> UploadState {
        UploadState {
            waiting: self.waiting,
            sent: self.sent,
            trouble: self.trouble.as_ref().map(|note| note_text(words, note)),
            is_key_refused: matches!(self.trouble, Some(Note::KeyRefused { .. })),
        }
    }

    /// What else there is to say, oldest first.
    pub fn notes(&self, words: &Words) -> Vec<String> {
        self.notes.iter().map(|note| note_text(words, note)).collect()
    }
}

fn row(id: u64, event: &Event, words: &Words) -> Row {
    Row {
        id,
        at: event.event_time.0,
        kind: EventType::of(event).name(),
        mode: event.game_mode,
        text: sentence(words, event),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::events::Identifier;
    use crate::domain::times::EpochMillis;
    use crate::watch::words::Language;

    fn login(number: i64) -> Event {
        Event {
            player_name: Some("Tester_One".into()),
            ..Event::new(Identifier::Login, EpochMillis(1_790_000_000_000 + number))
        }
    }

    #[test]
    fn rows_are_the_newest_and_speak_the_language_that_is_asked_for() {
        let (english, german) = (Words::of(Language::English), Words::of(Language::German));
        let mut board = Board::default();
        for number in 0..ROWS_MAX as i64 + 5 {
            board.event(&login(number), &english);
        }
        let rows = board.rows(&german);
        assert_eq!((rows.len(), rows[0].id), (ROWS_MAX, board.last_id()));
        assert_eq!((rows[0].text.as_str(), rows[0].kind), ("Tester_One hat sich angemeldet", "sessions"));
    }

    #[test]
    fn logs_that_are_read_anew_for_another_site_are_not_told_twice() {
        let words = Words::of(Language::English);
        let mut board = Board::default();
        let event = Event { event_id: Some("login:1".into()), ..login(1) };
        assert!(board.event(&event, &words).is_some());
        board.begin(&["Game.log".into()], 0, 0);
        assert!(board.event(&event, &words).is_none());
        assert_eq!(board.rows(&words).len(), 1);
    }

    #[test]
    fn an_upload_that_works_ends_the_trouble() {
        let words = Words::of(Language::English);
        let mut board = Board::default();
        board.begin(&["Game.log".into()], 3, 10);
        board.note(&Note::KeyRefused { error: "revoked".into() });
        assert!(board.upload(&words).is_key_refused);
        board.note(&Note::Uploaded { accepted: 2, duplicates: 1 });
        board.note(&Note::Waits(0));
        assert_eq!(board.upload(&words), UploadState { waiting: 0, sent: 13, trouble: None, is_key_refused: false });
    }

    #[test]
    fn a_log_is_followed_once_it_is_there() {
        let mut board = Board::default();
        board.begin(&["Game.log".into()], 0, 0);
        board.note(&Note::Waiting("Game.log".into()));
        assert!(!board.logs()[0].is_followed);
        board.note(&Note::Reading("Game.log".into()));
        board.note(&Note::Reading("logbackups/a.log".into()));
        assert_eq!(board.logs(), [LogState { path: "Game.log".into(), is_followed: true }]);
    }
}

//! Builds events and collects those that are ready. Duplicates are dropped, and events of the local player wait until the
//! log names the player.

use std::collections::{HashSet, VecDeque};

use crate::events::{Event, GameMode, Identifier};
use crate::times::EpochMillis;

use super::text::clean_name;

/// The deadline of a tracker without pending events.
pub(super) const NO_DEADLINE: i64 = i64::MAX;
/// Number of recent event keys that are compared, because the game writes some lines twice.
const MAX_KEYS: usize = 4096;
/// Maximum number of events that wait for the name of the player. Further ones are dropped.
const MAX_NAMELESS: usize = 1000;

/// The player, patch and mode of a session, and the events that are ready.
#[derive(Default)]
pub(super) struct Emitter {
    handle: Option<String>,
    geid: Option<String>,
    pub patch: Option<String>,
    pub mode: Option<GameMode>,
    pub sub_mode: Option<String>,
    ready: Vec<Event>,
    nameless: Vec<Event>,
    nameless_count: u64,
    keys: HashSet<String>,
    key_order: VecDeque<String>,
}

impl Emitter {
    pub fn handle(&self) -> Option<&str> {
        self.handle.as_deref()
    }

    fn geid(&self) -> Option<&str> {
        self.geid.as_deref()
    }

    /// Returns true if the handle or the id is the local player's.
    pub fn is_own(&self, handle: &str, geid: &str) -> bool {
        self.handle().is_some_and(|own| own.eq_ignore_ascii_case(handle))
            || self.geid().is_some_and(|own| own == geid && own != "0")
    }

    /// Creates an event in the current mode and patch. Its id depends only on the line, so parsing the line again gives
    /// the same id.
    pub fn event(&self, identifier: Identifier, at: EpochMillis, key: &str) -> Event {
        Event {
            event_id: Some(clean_name(&format!("{}:{}:{key}", identifier.as_str(), at.0))),
            game_mode: self.mode,
            sub_game_mode: self.sub_mode.clone(),
            patch: self.patch.clone(),
            ..Event::new(identifier, at)
        }
    }

    /// Emits an event that already names its actors.
    pub fn emit(&mut self, event: Event) {
        if self.insert_key(&event) {
            self.ready.push(event);
        }
    }

    /// Emits an event of the local player. It is held back until the log has named the player.
    pub fn emit_own(&mut self, mut event: Event) {
        let Some(handle) = &self.handle else {
            if self.nameless.len() < MAX_NAMELESS {
                self.nameless.push(event);
            }
            return;
        };
        match event.identifier {
            Identifier::Kill => event.victim = Some(handle.clone()),
            _ => {
                event.player_name = Some(handle.clone());
                event.player_geid = self.geid.clone();
            }
        }
        self.emit(event);
    }

    /// Emits the events held back by a log that never named its player, without a name.
    pub fn emit_nameless(&mut self) {
        for event in std::mem::take(&mut self.nameless) {
            self.nameless_count += 1;
            self.emit(event);
        }
    }

    /// The number of events emitted without a name.
    pub fn nameless_count(&self) -> u64 {
        self.nameless_count
    }

    /// Sets the local player and emits the events that waited for the name.
    pub fn set_player(&mut self, handle: String, geid: Option<String>) {
        if handle.is_empty() {
            return;
        }
        if self.handle().is_none_or(|own| !own.eq_ignore_ascii_case(&handle)) {
            self.handle = Some(handle);
            self.geid = None;
        }
        if geid.as_deref().is_some_and(|id| !id.is_empty() && id != "0") {
            self.geid = geid;
        }
        for event in std::mem::take(&mut self.nameless) {
            self.emit_own(event);
        }
    }

    /// Sets the player from a line that names it again on every change of servers. Such a line never changes the player.
    pub fn confirm_player(&mut self, handle: String, geid: String) {
        if self.handle().is_none_or(|own| own.eq_ignore_ascii_case(&handle)) {
            self.set_player(handle, Some(geid));
        }
    }

    /// Removes and returns the events that are ready.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Event> {
        self.ready.drain(..)
    }

    /// The emitter of the next run: a new state with the events that are ready.
    pub fn into_new_run(self) -> Self {
        Self { ready: self.ready, ..Self::default() }
    }

    /// Remembers the key of an event. Returns false if it is already known.
    fn insert_key(&mut self, event: &Event) -> bool {
        let Some(key) = &event.event_id else { return true };
        if !self.keys.insert(key.clone()) {
            return false;
        }
        self.key_order.push_back(key.clone());
        if self.key_order.len() > MAX_KEYS
            && let Some(oldest) = self.key_order.pop_front()
        {
            self.keys.remove(&oldest);
        }
        true
    }
}

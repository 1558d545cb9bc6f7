//! Deaths of the local player in builds that write no kill lines. Several traces of one death become one event; deaths
//! of other players are ignored.

use crate::events::{Event, Identifier};
use crate::times::EpochMillis;

use super::emitter::{Emitter, NO_DEADLINE};
use super::grammar::Fields;
use super::text::clean_name;

/// Traces of one death occur within this time. The corpse is logged at the respawn, about half a minute later.
const SAME_DEATH_WINDOW_MS: i64 = 60_000;
/// Lines that say that the player is downed repeat within this time of the first.
const SAME_DOWNED_WINDOW_MS: i64 = 60_000;
/// The kill line of a death follows its first trace within this time.
const KILL_LINE_WINDOW_MS: i64 = 3000;
/// A downed player is dead if the actor is removed within this time. A later removal may be a change of servers.
const BLEED_OUT_WINDOW_MS: i64 = 300_000;
const MAX_BODIES: usize = 32;
/// Prefix of the bodies of the menu's dummy, which have the same ids in every session.
const DUMMY_PREFIX: &str = "200000000";
const DUMMY_LEN: usize = 12;

#[derive(Default)]
pub(super) struct Deaths {
    bodies: Vec<String>,
    last_at: Option<EpochMillis>,
    downed_at: Option<EpochMillis>,
    /// When the player was downed, of several lines the first.
    first_downed_at: Option<EpochMillis>,
    pending: Option<Event>,
}

impl Deaths {
    pub fn deadline(&self) -> i64 {
        self.pending.as_ref().map_or(NO_DEADLINE, |event| event.event_time.0 + KILL_LINE_WINDOW_MS + 1)
    }

    pub fn flush(&mut self, now: EpochMillis, emitter: &mut Emitter) {
        if self.deadline() <= now.0
            && let Some(event) = self.pending.take()
        {
            emitter.emit_own(event);
        }
    }

    /// Replaces a pending death, because the kill line holds more.
    pub fn on_kill_line(&mut self, at: EpochMillis) {
        self.pending = None;
        self.downed_at = None;
        self.last_at = Some(at);
    }

    /// Records a body of the player. Only the corpse of such a body is a death of the player.
    pub fn on_own_body(&mut self, handle: &str, body: &str, emitter: &Emitter) {
        let is_dummy = body.starts_with(DUMMY_PREFIX) && body.len() == DUMMY_LEN;
        if !is_dummy && emitter.is_own(handle, "") && !self.bodies.iter().any(|known| known == body) {
            if self.bodies.len() == MAX_BODIES {
                self.bodies.remove(0);
            }
            self.bodies.push(body.to_owned());
        }
        if emitter.is_own(handle, "") {
            self.downed_at = None;
        }
    }

    pub fn on_corpse(&mut self, body: &str, at: EpochMillis, emitter: &Emitter) {
        if self.bodies.iter().any(|own| own == body) {
            self.record_death(at, None, emitter);
        }
    }

    pub fn on_corpse_state(&mut self, handle: &str, at: EpochMillis, emitter: &Emitter) {
        if emitter.is_own(handle, "") {
            self.record_death(at, None, emitter);
        }
    }

    /// Returns true if the player died.
    pub fn on_dead_in_ship(&mut self, line: &Fields, at: EpochMillis, emitter: &Emitter) -> bool {
        let is_own = emitter.is_own(&line.text("handle"), &line.text("geid"));
        if is_own {
            self.record_death(at, Some((line.text("ship"), line.text("zone"))), emitter);
        }
        is_own
    }

    pub fn on_downed(&mut self, at: EpochMillis, emitter: &mut Emitter) {
        self.downed_at = Some(at);
        let is_known = self.first_downed_at.is_some_and(|first| (at.0 - first.0).abs() <= SAME_DOWNED_WINDOW_MS);
        if !is_known {
            self.first_downed_at = Some(at);
            let event = emitter.event(Identifier::Downed, at, "own");
            emitter.emit_own(event);
        }
    }

    /// Handles the removal of the player's actor, which is a death only after the player was downed.
    pub fn on_unbound(&mut self, geid: &str, entity: &str, at: EpochMillis, emitter: &Emitter) {
        let is_downed = self.downed_at.is_some_and(|downed| (0..=BLEED_OUT_WINDOW_MS).contains(&(at.0 - downed.0)));
        if is_downed && geid == entity && emitter.is_own("", geid) {
            self.record_death(at, None, emitter);
        }
    }

    fn record_death(&mut self, at: EpochMillis, ship: Option<(String, String)>, emitter: &Emitter) {
        self.downed_at = None;
        let is_known = self.last_at.is_some_and(|last| (at.0 - last.0).abs() <= SAME_DEATH_WINDOW_MS);
        if !is_known {
            self.last_at = Some(at);
            let key = format!("own:{}", emitter.handle().unwrap_or_default());
            self.pending = Some(Event { victim_is_npc: Some(false), ..emitter.event(Identifier::Kill, at, &key) });
        }
        if let (Some((ship, zone)), Some(event)) = (ship, &mut self.pending) {
            event.vehicle_name = Some(clean_name(&ship));
            event.zone = Some(clean_name(&zone));
        }
    }
}

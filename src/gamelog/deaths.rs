//! The local player's deaths on builds that write no kill lines: several traces, one death, never a stranger's.

use crate::domain::events::{Event, Identifier};
use crate::domain::times::EpochMillis;

use super::grammar::Fields;
use super::hud::short;
use super::session::{NOT_DUE, Teller};

/// Traces of one death follow each other within this time; the corpse comes with the respawn, half a minute late.
const ONE_DEATH_MS: i64 = 60_000;
/// A kill line of the same death comes within this time of the first trace.
const KILL_LINE_MS: i64 = 3000;
/// Who was downed is dead when the actor goes away within this time; later it may be a change of servers.
const BLEED_OUT_MS: i64 = 300_000;
const BODIES_MAX: usize = 32;
/// Bodies of the menu's dummy, the same ids in every session.
const DUMMY_PREFIX: &str = "200000000";
const DUMMY_LEN: usize = 12;

#[derive(Default)]
pub(super) struct Deaths {
    bodies: Vec<String>,
    last_at: Option<EpochMillis>,
    downed_at: Option<EpochMillis>,
    waiting: Option<Event>,
}

impl Deaths {
    pub fn due(&self) -> i64 {
        self.waiting.as_ref().map_or(NOT_DUE, |event| event.event_time.0 + KILL_LINE_MS + 1)
    }

    pub fn release(&mut self, now: EpochMillis, teller: &mut Teller) {
        if self.due() <= now.0
            && let Some(event) = self.waiting.take()
        {
            teller.tell_own(event);
        }
    }

    /// The log has a kill line for it, which says more.
    pub fn told_by_kill(&mut self, at: EpochMillis) {
        self.waiting = None;
        self.downed_at = None;
        self.last_at = Some(at);
    }

    /// The player puts on a body: the only one whose corpse is the player's own.
    pub fn own_body(&mut self, handle: &str, body: &str, teller: &Teller) {
        let is_dummy = body.starts_with(DUMMY_PREFIX) && body.len() == DUMMY_LEN;
        if !is_dummy && teller.is_own(handle, "") && !self.bodies.iter().any(|known| known == body) {
            if self.bodies.len() == BODIES_MAX {
                self.bodies.remove(0);
            }
            self.bodies.push(body.to_owned());
        }
        if teller.is_own(handle, "") {
            self.downed_at = None;
        }
    }

    pub fn corpse(&mut self, body: &str, at: EpochMillis, teller: &Teller) {
        if self.bodies.iter().any(|own| own == body) {
            self.died(at, None, teller);
        }
    }

    pub fn corpse_state(&mut self, handle: &str, at: EpochMillis, teller: &Teller) {
        if teller.is_own(handle, "") {
            self.died(at, None, teller);
        }
    }

    pub fn dead_in_ship(&mut self, line: &Fields, at: EpochMillis, teller: &Teller) {
        if teller.is_own(&line.text("handle"), &line.text("geid")) {
            self.died(at, Some((line.text("ship"), line.text("zone"))), teller);
        }
    }

    pub fn downed(&mut self, at: EpochMillis) {
        self.downed_at = Some(at);
    }

    /// The player's actor is taken down: after being downed this is the death, alone it means nothing.
    pub fn unbound(&mut self, geid: &str, entity: &str, at: EpochMillis, teller: &Teller) {
        let is_downed = self.downed_at.is_some_and(|downed| (0..=BLEED_OUT_MS).contains(&(at.0 - downed.0)));
        if is_downed && geid == entity && teller.is_own("", geid) {
            self.died(at, None, teller);
        }
    }

    fn died(&mut self, at: EpochMillis, ship: Option<(String, String)>, teller: &Teller) {
        self.downed_at = None;
        let is_known = self.last_at.is_some_and(|last| (at.0 - last.0).abs() <= ONE_DEATH_MS);
        if !is_known {
            self.last_at = Some(at);
            let key = format!("own:{}", teller.handle().unwrap_or_default());
            self.waiting = Some(Event { victim_is_npc: Some(false), ..teller.event(Identifier::Kill, at, &key) });
        }
        if let (Some((ship, zone)), Some(event)) = (ship, &mut self.waiting) {
            event.vehicle_name = Some(short(&ship));
            event.zone = Some(short(&zone));
        }
    }
}

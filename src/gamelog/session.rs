//! One run of the game as its log tells it: who plays, which patch and mode, and what waits for more evidence.

use std::collections::{HashSet, VecDeque};

use crate::domain::events::{Event, GameMode, Identifier};
use crate::domain::times::EpochMillis;

use super::deaths::Deaths;
use super::fights::Fights;
use super::grammar::{Fields, Grammar, Meaning};
use super::hud;
use super::missions::Missions;
use super::reader::Ending;
use super::seats::Seats;

/// No event waits.
pub(super) const NOT_DUE: i64 = i64::MAX;
/// So many keys are remembered against lines that the game wrote twice.
const KEYS_MAX: usize = 4096;
/// So many events wait for the name of their player.
const NAMELESS_MAX: usize = 1000;

#[derive(Default)]
pub(super) struct Session {
    pub teller: Teller,
    fights: Fights,
    deaths: Deaths,
    missions: Missions,
    seats: Seats,
    is_login_told: bool,
    is_over: bool,
}

/// Who and where the player is, and the events that are ready.
#[derive(Default)]
pub(super) struct Teller {
    handle: Option<String>,
    geid: Option<String>,
    patch: Option<String>,
    mode: Option<GameMode>,
    sub_mode: Option<String>,
    ready: Vec<Event>,
    nameless: Vec<Event>,
    nameless_told: u64,
    keys: HashSet<String>,
    key_order: VecDeque<String>,
}

impl Teller {
    pub fn handle(&self) -> Option<&str> {
        self.handle.as_deref()
    }

    pub fn geid(&self) -> Option<&str> {
        self.geid.as_deref()
    }

    /// Handle or id is the local player's.
    pub fn is_own(&self, handle: &str, geid: &str) -> bool {
        self.handle().is_some_and(|own| own.eq_ignore_ascii_case(handle))
            || self.geid().is_some_and(|own| own == geid && own != "0")
    }

    /// An event of this moment; its key is the same whenever the same line is read again.
    pub fn event(&self, identifier: Identifier, at: EpochMillis, key: &str) -> Event {
        Event {
            event_id: Some(hud::short(&format!("{}:{}:{key}", identifier.as_str(), at.0))),
            game_mode: self.mode,
            sub_game_mode: self.sub_mode.clone(),
            patch: self.patch.clone(),
            ..Event::new(identifier, at)
        }
    }

    /// Tells an event that names its people itself.
    pub fn tell(&mut self, event: Event) {
        if self.is_new(&event) {
            self.ready.push(event);
        }
    }

    /// Tells an event of the local player; it waits until the log has said who that is.
    pub fn tell_own(&mut self, mut event: Event) {
        let Some(handle) = &self.handle else {
            if self.nameless.len() < NAMELESS_MAX {
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
        self.tell(event);
    }

    /// The log ends without having said who plays: its events are told without a name.
    fn tell_nameless(&mut self) {
        for event in std::mem::take(&mut self.nameless) {
            self.nameless_told += 1;
            self.tell(event);
        }
    }

    fn is_new(&mut self, event: &Event) -> bool {
        let Some(key) = &event.event_id else { return true };
        if !self.keys.insert(key.clone()) {
            return false;
        }
        self.key_order.push_back(key.clone());
        if self.key_order.len() > KEYS_MAX
            && let Some(oldest) = self.key_order.pop_front()
        {
            self.keys.remove(&oldest);
        }
        true
    }

    fn learn(&mut self, handle: String, geid: Option<String>) {
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
            self.tell_own(event);
        }
    }
}

impl Session {
    pub fn handle(&self) -> Option<&str> {
        self.teller.handle()
    }

    pub fn patch(&self) -> Option<&str> {
        self.teller.patch.as_deref()
    }

    pub fn nameless(&self) -> u64 {
        self.teller.nameless_told
    }

    pub fn drain(&mut self) -> std::vec::Drain<'_, Event> {
        self.teller.ready.drain(..)
    }

    /// The time from which on something that waits can be told, or [`NOT_DUE`].
    #[inline]
    pub fn due(&self) -> i64 {
        self.fights.due().min(self.deaths.due()).min(self.missions.due()).min(self.seats.due())
    }

    /// Tells what has waited until `now`, a time of the log.
    pub fn release(&mut self, now: EpochMillis) {
        if self.due() > now.0 {
            return;
        }
        self.seats.release(now, &mut self.teller);
        self.fights.release(now, &mut self.teller);
        self.deaths.release(now, &mut self.teller);
        self.missions.release(now, &mut self.teller);
    }

    pub fn finish(&mut self, ending: Ending, last: Option<EpochMillis>) {
        self.release(EpochMillis(NOT_DUE));
        self.teller.tell_nameless();
        if ending == Ending::Closed
            && self.is_login_told
            && let Some(last) = last
        {
            self.log_out(last);
        }
    }

    /// Takes a line of a known shape; `last` is the stamp of the line before it.
    pub fn take(&mut self, grammar: &Grammar, line: &Fields, at: EpochMillis, last: Option<EpochMillis>) {
        let teller = &mut self.teller;
        match line.meaning {
            Meaning::Start => self.start_over(last),
            Meaning::Branch => teller.patch = patch_of_branch(&line.text("patch")).or(teller.patch.take()),
            Meaning::FileVersion => {
                if teller.patch.is_none() {
                    teller.patch = patch_of_version(&line.text("version"));
                }
            }
            Meaning::Character => teller.learn(line.text("handle"), Some(line.text("geid"))),
            Meaning::Nickname => {
                // Every server change repeats it; it never makes somebody else the player.
                let (handle, geid) = (line.text("handle"), line.text("geid"));
                if teller.handle().is_none_or(|own| own.eq_ignore_ascii_case(&handle)) {
                    teller.learn(handle, Some(geid));
                }
            }
            Meaning::Login => {
                teller.learn(line.text("handle"), None);
                self.log_in(at);
            }
            Meaning::Mode => self.arrive(&line.text("rules"), at),
            Meaning::Kill => {
                if self.fights.kill(line, at, teller) {
                    self.deaths.told_by_kill(at);
                }
            }
            Meaning::Vehicle => self.fights.vehicle(line, at, self.seats.vehicle_id(), teller),
            Meaning::VehicleSpawn => self.fights.spawned(&line.text("id"), &line.text("geid"), teller),
            Meaning::SeatGranted => self.seats.granted(&line.text("vehicle"), &line.text("id"), at, teller),
            Meaning::SeatRequested => self.seats.requested(&line.text("vehicle"), &line.text("id"), at, teller),
            Meaning::SeatReleased => self.seats.released(&line.text("vehicle"), &line.text("id"), at, teller),
            Meaning::Marker => self.missions.marker(line, at, teller),
            Meaning::MissionStart => self.missions.started(&line.text("mission"), &line.text("definition"), at, teller),
            Meaning::EndMission => self.missions.end_mission(line, at, teller),
            Meaning::MissionEnded => self.missions.ended(&line.text("mission"), &line.text("state"), at, teller),
            Meaning::ObjectiveState => self.missions.objective_state(line, at, teller),
            Meaning::Notification => self.notification(grammar, line, at),
            Meaning::OwnBody => self.deaths.own_body(&line.text("handle"), &line.text("body"), teller),
            Meaning::Corpse => self.deaths.corpse(&line.text("body"), at, teller),
            Meaning::CorpseState => self.deaths.corpse_state(&line.text("handle"), at, teller),
            Meaning::DeadInShip => self.deaths.dead_in_ship(line, at, teller),
            Meaning::Downed => {
                if teller.is_own(&line.text("handle"), "") {
                    self.deaths.downed(at);
                }
            }
            Meaning::Unbound => self.deaths.unbound(&line.text("geid"), &line.text("entity"), at, teller),
            Meaning::Quit | Meaning::Crash => self.log_out(at),
            Meaning::Skip => {}
        }
    }

    fn notification(&mut self, grammar: &Grammar, line: &Fields, at: EpochMillis) {
        use super::grammar::Notice;
        let text = line.text("text");
        let Some((notice, rest)) = grammar.notice(&text) else { return };
        if notice == Notice::Downed {
            self.deaths.downed(at);
        } else {
            self.missions.notice(notice, rest, &line.text("mission"), &line.text("objective"), at, &mut self.teller);
        }
    }

    /// A new run of the game in the same bytes: the old one ended where it stopped.
    fn start_over(&mut self, last: Option<EpochMillis>) {
        self.finish(Ending::Closed, last);
        let ready = std::mem::take(&mut self.teller.ready);
        *self = Self { teller: Teller { ready, ..Teller::default() }, ..Self::default() };
    }

    fn log_in(&mut self, at: EpochMillis) {
        if !std::mem::replace(&mut self.is_login_told, true) {
            let key = self.teller.handle().unwrap_or_default().to_owned();
            let event =
                Event { game_mode: None, sub_game_mode: None, ..self.teller.event(Identifier::Login, at, &key) };
            self.teller.tell_own(event);
        }
    }

    fn log_out(&mut self, at: EpochMillis) {
        self.release(EpochMillis(NOT_DUE));
        if !std::mem::replace(&mut self.is_over, true) {
            let key = self.teller.handle().unwrap_or_default().to_owned();
            let event =
                Event { game_mode: None, sub_game_mode: None, ..self.teller.event(Identifier::Logout, at, &key) };
            self.teller.tell_own(event);
        }
    }

    fn arrive(&mut self, rules: &str, at: EpochMillis) {
        self.teller.mode = match rules {
            "SC_Default" => Some(GameMode::Pu),
            _ if rules.starts_with("EA_") => Some(GameMode::Ac),
            _ => None,
        };
        self.teller.sub_mode = self.teller.mode.filter(|mode| *mode == GameMode::Ac).map(|_| hud::short(rules));
        self.seats.release(EpochMillis(NOT_DUE), &mut self.teller);
        self.seats.left();
        // A build that words its login differently still says who arrives where.
        if self.teller.handle().is_some() {
            self.log_in(at);
        }
        if self.teller.mode.is_some() {
            let event = self.teller.event(Identifier::ConnectionSuccess, at, rules);
            self.teller.tell_own(event);
        }
    }
}

/// `sc-alpha-4.1.0-hotfix` is patch `ALPHA 4.1.0`.
fn patch_of_branch(branch: &str) -> Option<String> {
    let number = branch.split('-').find(|part| part.starts_with(|c: char| c.is_ascii_digit()))?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (is_number && number.contains('.') && number.len() <= 12).then(|| format!("ALPHA {number}"))
}

/// The file's version only holds major and minor, and `1.0` in builds that do not say.
fn patch_of_version(version: &str) -> Option<String> {
    let mut parts = version.trim().split('.');
    let (major, minor) = (parts.next()?.parse::<u8>().ok()?, parts.next()?.parse::<u8>().ok()?);
    (major >= 2).then(|| format!("ALPHA {major}.{minor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patch_is_the_number_of_the_branch() {
        assert_eq!(patch_of_branch("sc-alpha-4.1.0").as_deref(), Some("ALPHA 4.1.0"));
        assert_eq!(patch_of_branch("sc-alpha-4.3.2-hotfix").as_deref(), Some("ALPHA 4.3.2"));
        assert_eq!(patch_of_branch("main"), None);
        assert_eq!(patch_of_version("4.8.178.24160").as_deref(), Some("ALPHA 4.8"));
        assert_eq!(patch_of_version("1.0.178.24160"), None);
    }
}

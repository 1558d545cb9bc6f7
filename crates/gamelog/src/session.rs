//! The state of one run of the game: player, patch and mode, and the events that wait for more evidence.

use crate::events::{Event, GameMode, Identifier};
use crate::times::EpochMillis;

use super::collisions::Collisions;
use super::deaths::Deaths;
use super::emitter::{Emitter, NO_DEADLINE};
use super::fights::Fights;
use super::grammar::{Fields, Grammar, Meaning};
use super::missions::Missions;
use super::notice::Notice;
use super::places::Places;
use super::stays::{self, Stays};
use super::text;
use super::vehicles::CurrentVehicle;

/// The beginning of the names of the engine's exceptions.
const EXCEPTION_PREFIX: &str = "STATUS_CRYENGINE_";

/// How a log ends when no more bytes can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The log is complete. A session without a logout ended at its last timestamp.
    Closed,
    /// The game may still be running, so the session remains open.
    Open,
}

/// The state of one run of the game.
#[derive(Default)]
pub(super) struct Session {
    emitter: Emitter,
    fights: Fights,
    deaths: Deaths,
    missions: Missions,
    vehicle: CurrentVehicle,
    stays: Stays,
    collisions: Collisions,
    places: Places,
    has_crashed: bool,
    is_logged_in: bool,
    is_logged_out: bool,
}

impl Session {
    pub fn handle(&self) -> Option<&str> {
        self.emitter.handle()
    }

    pub fn patch(&self) -> Option<&str> {
        self.emitter.patch.as_deref()
    }

    pub fn set_patch(&mut self, patch: &str) {
        if self.patch() != Some(patch) {
            self.emitter.patch = Some(patch.to_owned());
        }
    }

    pub fn nameless(&self) -> u64 {
        self.emitter.nameless_count()
    }

    pub fn drain(&mut self) -> std::vec::Drain<'_, Event> {
        self.emitter.drain()
    }

    /// The log time from which a pending event can be emitted, or [`NO_DEADLINE`].
    #[inline]
    pub fn deadline(&self) -> i64 {
        [
            self.fights.deadline(),
            self.deaths.deadline(),
            self.missions.deadline(),
            self.vehicle.deadline(),
            self.stays.deadline(),
            self.collisions.deadline(),
        ]
        .into_iter()
        .fold(NO_DEADLINE, i64::min)
    }

    /// Emits the events whose deadline is before `now`, a time of the log.
    pub fn flush(&mut self, now: EpochMillis) {
        if self.deadline() > now.0 {
            return;
        }
        self.vehicle.flush(now, &mut self.emitter);
        self.fights.flush(now, &mut self.emitter);
        self.deaths.flush(now, &mut self.emitter);
        self.missions.flush(now, &mut self.emitter);
        self.stays.flush(now, &mut self.emitter);
        self.collisions.flush(now);
    }

    pub fn finish(&mut self, ending: Ending, last: Option<EpochMillis>) {
        self.flush(EpochMillis(NO_DEADLINE));
        if ending == Ending::Closed
            && let Some(last) = last
        {
            self.stays.end("unknown", last, &mut self.emitter);
        }
        self.emitter.emit_nameless();
        if ending == Ending::Closed
            && self.is_logged_in
            && let Some(last) = last
        {
            self.log_out(last);
        }
    }

    /// Applies a line of a known shape. `last` is the timestamp of the line before it.
    pub fn apply(&mut self, grammar: &Grammar, line: &Fields, at: EpochMillis, last: Option<EpochMillis>) {
        let emitter = &mut self.emitter;
        match line.meaning {
            Meaning::Start => self.start_over(last),
            Meaning::Branch => emitter.patch = patch_of_branch(&line.text("patch")).or(emitter.patch.take()),
            Meaning::FileVersion => {
                emitter.patch = emitter.patch.take().or_else(|| patch_of_version(&line.text("version")));
            }
            Meaning::Character => emitter.set_player(line.text("handle"), Some(line.text("geid"))),
            Meaning::Nickname => emitter.confirm_player(line.text("handle"), line.text("geid")),
            Meaning::Disconnected => {
                emitter.confirm_player(line.text("handle"), line.text("geid"));
                self.stays.on_disconnected(line, at, emitter);
            }
            Meaning::Login => {
                emitter.set_player(line.text("handle"), None);
                self.log_in(at);
            }
            Meaning::Mode => self.enter_mode(&line.text("rules"), &line.text("running"), at),
            Meaning::Kill => {
                if self.fights.on_kill(line, at, emitter) {
                    self.deaths.on_kill_line(at);
                    self.collisions.on_own_death(&line.text("zone"), at, emitter);
                }
            }
            Meaning::Vehicle => self.fights.on_vehicle(line, at, self.vehicle.vehicle_id(), emitter),
            Meaning::VehicleSpawn => self.fights.on_spawn(&line.text("id"), &line.text("geid"), emitter),
            Meaning::SeatGranted => self.vehicle.on_grant(&line.text("vehicle"), &line.text("id"), at, emitter),
            Meaning::SeatRequested => self.vehicle.on_request(&line.text("vehicle"), &line.text("id"), at, emitter),
            Meaning::SeatReleased => self.vehicle.on_release(&line.text("vehicle"), &line.text("id"), at, emitter),
            Meaning::Marker => self.missions.on_marker(line, at, emitter),
            Meaning::MissionGiver => self.missions.on_giver(&line.text("mission"), &line.text("giver")),
            Meaning::MissionStart => {
                self.missions.on_start(&line.text("mission"), &line.text("definition"), at, emitter)
            }
            Meaning::EndMission => self.missions.on_end_mission(line, at, emitter),
            Meaning::MissionEnded => self.missions.on_ended(&line.text("mission"), &line.text("state"), at, emitter),
            Meaning::ObjectiveState => self.missions.on_objective_state(line, at, emitter),
            Meaning::Notification => self.notification(grammar, line, at),
            Meaning::OwnBody => self.deaths.on_own_body(&line.text("handle"), &line.text("body"), emitter),
            Meaning::Corpse => self.deaths.on_corpse(&line.text("body"), at, emitter),
            Meaning::CorpseState => self.deaths.on_corpse_state(&line.text("handle"), at, emitter),
            Meaning::DeadInShip => {
                if self.deaths.on_dead_in_ship(line, at, emitter) {
                    self.collisions.on_own_death(&line.text("ship"), at, emitter);
                }
            }
            Meaning::Downed => {
                if emitter.is_own(&line.text("handle"), "") {
                    self.deaths.on_downed(at, emitter);
                }
            }
            Meaning::Place => self.places.on_inventory(&line.text("handle"), &line.text("zone"), at, emitter),
            Meaning::Collision => {
                self.collisions.on_collision(&line.text("vehicle"), self.vehicle.vehicle_id(), at, emitter);
            }
            Meaning::Unbound => self.deaths.on_unbound(&line.text("geid"), &line.text("entity"), at, emitter),
            Meaning::Quit => self.end_run("quit", at),
            Meaning::Crash => self.crash(&line.text("exception"), at),
            Meaning::Skip => {}
        }
    }

    fn notification(&mut self, grammar: &Grammar, line: &Fields, at: EpochMillis) {
        let text = text::strip_markup(&line.text("text"));
        let Some((notice, rest)) = grammar.match_notice(text.trim_start()) else { return };
        let emitter = &mut self.emitter;
        match notice {
            Notice::Downed => self.deaths.on_downed(at, emitter),
            Notice::Payout => self.missions.on_payout(rest, &line.text("number"), at, emitter),
            Notice::Blueprint => {
                if let Some(name) = text::contract_title(rest) {
                    let event = emitter.event(Identifier::BlueprintReceived, at, &line.text("number"));
                    emitter.emit_own(Event { text: Some(name), ..event });
                }
            }
            _ => {
                self.missions.on_notice(notice, rest, &line.text("mission"), &line.text("objective"), at, emitter);
            }
        }
    }

    /// Starts a new run of the game within the same bytes. The previous run ended at its last timestamp.
    fn start_over(&mut self, last: Option<EpochMillis>) {
        self.finish(Ending::Closed, last);
        *self = Self { emitter: std::mem::take(&mut self.emitter).into_new_run(), ..Self::default() };
    }

    fn log_in(&mut self, at: EpochMillis) {
        if !std::mem::replace(&mut self.is_logged_in, true) {
            let key = self.emitter.handle().unwrap_or_default().to_owned();
            let event =
                Event { game_mode: None, sub_game_mode: None, ..self.emitter.event(Identifier::Login, at, &key) };
            self.emitter.emit_own(event);
        }
    }

    fn crash(&mut self, exception: &str, at: EpochMillis) {
        self.end_run("crash", at);
        if !exception.is_empty() && !std::mem::replace(&mut self.has_crashed, true) {
            let text = Some(text::clean_name(&format!("{EXCEPTION_PREFIX}{exception}")));
            let event = self.emitter.event(Identifier::GameCrashed, at, exception);
            self.emitter.emit_own(Event { text, ..event });
        }
    }

    fn end_run(&mut self, text: &str, at: EpochMillis) {
        self.stays.end(text, at, &mut self.emitter);
        self.log_out(at);
    }

    fn log_out(&mut self, at: EpochMillis) {
        self.flush(EpochMillis(NO_DEADLINE));
        if !std::mem::replace(&mut self.is_logged_out, true) {
            let key = self.emitter.handle().unwrap_or_default().to_owned();
            let event =
                Event { game_mode: None, sub_game_mode: None, ..self.emitter.event(Identifier::Logout, at, &key) };
            self.emitter.emit_own(event);
        }
    }

    fn enter_mode(&mut self, rules: &str, running: &str, at: EpochMillis) {
        self.emitter.mode = match rules {
            stays::UNIVERSE => Some(GameMode::Pu),
            _ if rules.starts_with("EA_") => Some(GameMode::Ac),
            _ => None,
        };
        self.emitter.sub_mode = self.emitter.mode.filter(|mode| *mode == GameMode::Ac).map(|_| text::clean_name(rules));
        self.vehicle.flush(EpochMillis(NO_DEADLINE), &mut self.emitter);
        self.vehicle.reset();
        // Some builds word the login differently but still name the player who enters a mode.
        if self.emitter.handle().is_some() {
            self.log_in(at);
        }
        let loading = stays::millis(running);
        self.stays.on_arrival(rules, loading, at, &mut self.emitter);
        self.missions.on_arrival(at);
        if let Some(mode) = self.emitter.mode {
            let seconds = loading.filter(|_| mode == GameMode::Pu).map(|loading| loading / 1000);
            let event = Event { seconds, ..self.emitter.event(Identifier::ConnectionSuccess, at, rules) };
            self.emitter.emit_own(event);
        }
    }
}

/// Converts a branch such as `sc-alpha-4.1.0-hotfix` to a patch name (`ALPHA 4.1.0`).
fn patch_of_branch(branch: &str) -> Option<String> {
    let number = branch.split('-').find(|part| part.starts_with(|c: char| c.is_ascii_digit()))?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (is_number && number.contains('.') && number.len() <= 12).then(|| format!("ALPHA {number}"))
}

/// Converts a file version to a patch name. It holds only major and minor; some builds write `1.0`, which is ignored.
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

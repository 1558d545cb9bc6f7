//! Stays of the local player in the Persistent Universe, from arrival to departure. Menus and Arena Commander are no stays.

use crate::events::{Event, GameMode, Identifier};
use crate::times::EpochMillis;

use super::emitter::{Emitter, NO_DEADLINE};
use super::grammar::Fields;

/// The game rules of the Persistent Universe.
pub(super) const UNIVERSE: &str = "SC_Default";
/// The cause of a channel that closes at every change between menu and universe.
const ROUTINE_CAUSE: &str = "30010";
/// The disconnection of a stay is logged at most this long after the next arrival.
const LATE_LINE_MS: i64 = 60_000;
/// The uptime of a channel and the timestamps of its stay differ by at most this.
const UPTIME_TOLERANCE_MS: i64 = 5000;
/// Longer times are not those of loading or of a channel.
const MAX_SECONDS: f64 = 30.0 * 24.0 * 3600.0;

#[derive(Default)]
pub(super) struct Stays {
    open: Option<Stay>,
    /// A stay that ended at the latest at this arrival, and whose disconnection may follow.
    closing: Option<(Stay, EpochMillis)>,
}

struct Stay {
    arrived: EpochMillis,
    /// How long the arrival took.
    loading_ms: Option<i64>,
}

impl Stay {
    /// The end of the stay according to the uptime of its channel, which includes loading.
    fn end(&self, uptime_ms: i64) -> Option<i64> {
        self.loading_ms.map(|loading| (self.arrived.0 + uptime_ms - loading).max(self.arrived.0))
    }

    fn leave(self, text: &str, at: EpochMillis, emitter: &mut Emitter) {
        // A stay has one departure. Its time depends on how far the log was read, so the id is that of the arrival.
        let event = emitter.event(Identifier::UniverseLeft, self.arrived, "stay");
        let (game_mode, text) = (Some(GameMode::Pu), Some(text.to_owned()));
        emitter.emit_own(Event { event_time: at, game_mode, sub_game_mode: None, text, ..event });
    }
}

impl Stays {
    pub fn deadline(&self) -> i64 {
        self.closing.as_ref().map_or(NO_DEADLINE, |(_, next)| next.0 + LATE_LINE_MS + 1)
    }

    pub fn flush(&mut self, now: EpochMillis, emitter: &mut Emitter) {
        if self.deadline() <= now.0
            && let Some((stay, next)) = self.closing.take()
        {
            stay.leave("unknown", next, emitter);
        }
    }

    /// Handles the arrival in any mode, which ends an open stay.
    pub fn on_arrival(&mut self, rules: &str, loading_ms: Option<i64>, at: EpochMillis, emitter: &mut Emitter) {
        if let Some(stay) = self.open.take() {
            self.flush(EpochMillis(NO_DEADLINE), emitter);
            self.closing = Some((stay, at));
        }
        self.open = (rules == UNIVERSE).then_some(Stay { arrived: at, loading_ms });
    }

    /// Handles the end of a channel. Its uptime says whether it belongs to the open stay or to the one before.
    pub fn on_disconnected(&mut self, line: &Fields, at: EpochMillis, emitter: &mut Emitter) {
        if line.text("cause") == ROUTINE_CAUSE || line.text("rules") != UNIVERSE {
            return;
        }
        let uptime = millis(&line.text("uptime"));
        let end = |stay: &Stay| uptime.and_then(|uptime| stay.end(uptime));
        let is_open = |stay: &Stay| end(stay).is_none_or(|end| (end - at.0).abs() <= UPTIME_TOLERANCE_MS);
        match (self.open.take_if(|stay| is_open(stay)), self.closing.take()) {
            (Some(stay), closing) => {
                self.closing = closing;
                stay.leave("disconnect", at, emitter);
            }
            (None, Some((stay, next))) => {
                let end = end(&stay).map_or(next, |end| EpochMillis(end.min(next.0)));
                stay.leave("disconnect", end, emitter);
            }
            // A longer uptime is that of an earlier channel.
            (None, None) => {
                if let Some(stay) = self.open.take_if(|stay| end(stay).is_some_and(|end| end <= at.0)) {
                    let at = end(&stay).map_or(at, EpochMillis);
                    stay.leave("disconnect", at, emitter);
                }
            }
        }
    }

    /// Ends the open stay with the run of the game.
    pub fn end(&mut self, text: &str, at: EpochMillis, emitter: &mut Emitter) {
        self.flush(EpochMillis(NO_DEADLINE), emitter);
        if let Some(stay) = self.open.take() {
            stay.leave(text, at, emitter);
        }
    }
}

/// Converts a number of seconds such as `63.215439`.
pub(super) fn millis(seconds: &str) -> Option<i64> {
    let seconds = seconds.parse::<f64>().ok().filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds))?;
    Some((seconds * 1000.0) as i64)
}

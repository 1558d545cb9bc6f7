//! Sessions of the game and stays in the Persistent Universe, and their length, independent of the order in which events arrive.

use crate::events::{CONNECTION, DEPARTURE, GameMode, LOGIN, LOGOUT, mode_code};
use crate::times::{DAY_MS, EpochMillis};

/// The longest playtime of one session, in seconds.
pub const MAX_SESSION_SECS: i64 = 24 * 3600;

/// How far a logout may be from an earlier login if other logins or logouts lie between them, in milliseconds.
pub const MAX_OVERLAP_MS: i64 = DAY_MS;

/// Where a player is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i16)]
pub enum SessionKind {
    /// In the game, from login to logout: playtime.
    Play = 1,
    /// In the Persistent Universe, from arrival to departure, without loading and menus: universe time.
    Universe = 2,
}

impl SessionKind {
    pub const ALL: [Self; 2] = [Self::Play, Self::Universe];

    /// The stored value.
    pub fn code(self) -> i16 {
        self as i16
    }

    /// The categories of the events that begin and end it.
    pub fn categories(self) -> [i16; 2] {
        match self {
            Self::Play => [LOGIN, LOGOUT],
            Self::Universe => [CONNECTION, DEPARTURE],
        }
    }

    /// The codes of the game modes whose events do not belong to it: Arena Commander is outside the universe.
    pub fn foreign_modes(self) -> Vec<i16> {
        match self {
            Self::Play => Vec::new(),
            Self::Universe => vec![mode_code(Some(GameMode::Ac))],
        }
    }
}

/// A time of presence: from a login to its logout, or from an arrival to its departure, with all sessions that overlap it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaySession {
    pub kind: SessionKind,
    pub login_at: EpochMillis,
    /// `None` if the login has no logout.
    pub logout_at: Option<EpochMillis>,
    /// The logout, or else the player's last event before the next login.
    pub last_seen_at: EpochMillis,
}

impl PlaySession {
    pub fn starting_at(kind: SessionKind, login_at: EpochMillis) -> Self {
        Self { kind, login_at, logout_at: None, last_seen_at: login_at }
    }

    /// The end of the session, at most one day after the login.
    pub fn end(&self) -> EpochMillis {
        self.last_seen_at.min(EpochMillis(self.login_at.0 + MAX_SESSION_SECS * 1000))
    }

    /// The length in whole seconds.
    pub fn secs(&self) -> i64 {
        (self.end().0 - self.login_at.0).max(0) / 1000
    }

    /// The whole seconds that fall on each UTC day, with a time of that day. Their sum is [`secs`](Self::secs).
    pub fn secs_by_day(&self) -> Vec<(EpochMillis, i64)> {
        let (mut parts, mut from, mut counted) = (Vec::new(), self.login_at, 0);
        while counted < self.secs() {
            let until = self.end().0.min(from.0 + from.until_next_day());
            let secs = (until - self.login_at.0) / 1000 - counted;
            parts.push((from, secs));
            (from, counted) = (EpochMillis(until), counted + secs);
        }
        parts
    }

    pub fn is_open(&self) -> bool {
        self.logout_at.is_none()
    }

    /// Extends the session by an event before the next login.
    pub fn see(&mut self, at: EpochMillis) {
        if self.is_open() {
            self.last_seen_at = self.last_seen_at.max(at);
        }
    }

    /// Ends the session by its logout.
    pub fn log_out(&mut self, at: EpochMillis) {
        (self.logout_at, self.last_seen_at) = (Some(at), at);
    }
}

/// A login or a logout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    pub at: EpochMillis,
    pub is_login: bool,
}

/// Derives sessions from the logins and logouts of a player, or stays from arrivals and departures, in any order.
///
/// A player may run the game on two computers. Each logout ends the latest login that has none, and a session contains those that began
/// after it. After a crash, a login has no logout: an earlier one is looked for only within [`MAX_OVERLAP_MS`].
pub fn replay(kind: SessionKind, mut marks: Vec<Mark>) -> Vec<PlaySession> {
    // At the same instant a login sorts first.
    marks.sort_by_key(|mark| (mark.at, !mark.is_login));
    let mut sessions: Vec<PlaySession> = Vec::new();
    let mut follows_login = false;
    for mark in marks {
        if mark.is_login {
            sessions.push(PlaySession::starting_at(kind, mark.at));
        } else if let Some(begun) = sessions.iter().rposition(PlaySession::is_open) {
            let is_near = mark.at.0 - sessions[begun].login_at.0 <= MAX_OVERLAP_MS;
            if is_near || follows_login {
                sessions[begun].log_out(mark.at);
                sessions.truncate(begun + 1);
            }
        }
        follows_login = mark.is_login;
    }
    // Of two logins at the same instant, one may have a logout.
    sessions.dedup_by(|next, session| {
        let is_same = next.login_at == session.login_at;
        if is_same {
            *session = *next;
        }
        is_same
    });
    sessions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(marks: &[(i64, bool)]) -> Vec<(i64, i64)> {
        let marks = marks.iter().map(|(secs, is_login)| Mark { at: EpochMillis(secs * 1000), is_login: *is_login });
        let replayed = replay(SessionKind::Play, marks.collect());
        replayed.iter().map(|session| (session.login_at.secs(), session.secs())).collect()
    }

    #[test]
    fn a_session_lasts_from_login_to_logout_in_any_order() {
        assert_eq!(sessions(&[(100, true), (400, false), (900, true), (950, false)]), [(100, 300), (900, 50)]);
        assert_eq!(sessions(&[(950, false), (900, true), (400, false), (100, true)]), [(100, 300), (900, 50)]);
    }

    #[test]
    fn overlapping_sessions_count_once_from_the_first_login_to_the_last_logout() {
        assert_eq!(sessions(&[(0, true), (2_400, true), (3_600, false), (6_000, false)]), [(0, 6_000)]);
        assert_eq!(sessions(&[(0, true), (600, true), (1_200, false), (6_000, false)]), [(0, 6_000)]);
        // Clocks that differ by a minute: the second computer logs in before the first logs out.
        assert_eq!(sessions(&[(0, true), (3_540, true), (3_600, false), (7_200, false)]), [(0, 7_200)]);
        assert_eq!(sessions(&[(0, true), (0, true), (60, false), (90, false)]), [(0, 90)]);
    }

    #[test]
    fn a_crash_leaves_the_sessions_after_it_as_they_are() {
        assert_eq!(sessions(&[(0, true), (5_000, true), (6_000, false)]), [(0, 0), (5_000, 1_000)]);
        let later = [(0, true), (200_000, true), (200_100, false), (200_200, false)];
        assert_eq!(sessions(&later), [(0, 0), (200_000, 100)]);
    }

    #[test]
    fn without_a_logout_the_last_event_ends_it() {
        let mut session = PlaySession::starting_at(SessionKind::Play, EpochMillis(100_000));
        session.see(EpochMillis(160_000));
        assert_eq!(session.secs(), 60);
        session.log_out(EpochMillis(130_000));
        session.see(EpochMillis(170_000));
        assert_eq!(session.secs(), 30);
    }

    #[test]
    fn the_seconds_of_a_stay_fall_on_its_days() {
        let mut stay = PlaySession::starting_at(SessionKind::Universe, EpochMillis(DAY_MS - 1_500));
        stay.log_out(EpochMillis(DAY_MS + 2_700));
        let parts: Vec<(i32, i64)> = stay.secs_by_day().into_iter().map(|(at, secs)| (at.day().0, secs)).collect();
        assert_eq!((parts, stay.secs()), (vec![(0, 1), (1, 3)], 4));
        stay.log_out(EpochMillis(3 * DAY_MS));
        assert_eq!(stay.secs_by_day().iter().map(|(_, secs)| secs).sum::<i64>(), MAX_SESSION_SECS);
    }

    #[test]
    fn no_session_counts_for_more_than_a_day() {
        assert_eq!(sessions(&[(0, true), (200_000, false)]), [(0, MAX_SESSION_SECS)]);
    }

    #[test]
    fn a_logout_before_any_login_belongs_to_no_session() {
        assert_eq!(sessions(&[(60, false)]), []);
    }
}

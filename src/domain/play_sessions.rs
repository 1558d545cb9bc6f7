//! Play sessions and their length, independent of the order in which events arrive.

use super::times::EpochMillis;

/// The longest playtime of one session, in seconds.
pub const MAX_SESSION_SECS: i64 = 24 * 3600;

/// The time from a login to the event that ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaySession {
    pub login_at: EpochMillis,
    /// The first logout before the next login, if there is one.
    pub logout_at: Option<EpochMillis>,
    /// The player's last event before the next login.
    pub last_seen_at: EpochMillis,
}

impl PlaySession {
    pub fn starting_at(login_at: EpochMillis) -> Self {
        Self { login_at, logout_at: None, last_seen_at: login_at }
    }

    /// The end of the session: the logout, or else the last event, but at most one day after the login.
    pub fn end(&self) -> EpochMillis {
        let end = self.logout_at.unwrap_or(self.last_seen_at);
        end.min(EpochMillis(self.login_at.0 + MAX_SESSION_SECS * 1000))
    }

    /// The length in whole seconds.
    pub fn secs(&self) -> i64 {
        (self.end().0 - self.login_at.0).max(0) / 1000
    }

    /// Extends the session by an event that belongs to it.
    pub fn record_event(&mut self, at: EpochMillis, is_logout: bool) {
        self.last_seen_at = self.last_seen_at.max(at);
        if is_logout {
            self.logout_at = Some(self.logout_at.map_or(at, |known| known.min(at)));
        }
    }
}

/// Derives sessions from a player's whole history: `(time, is_login, is_logout)` in any order.
pub fn replay(mut seen: Vec<(EpochMillis, bool, bool)>) -> Vec<PlaySession> {
    // At the same instant a login sorts first, so that other events of that instant belong to the new session.
    seen.sort_by_key(|&(at, is_login, _)| (at, !is_login));
    let mut sessions: Vec<PlaySession> = Vec::new();
    for (at, is_login, is_logout) in seen {
        match sessions.last_mut() {
            Some(last) if is_login && last.login_at == at => {}
            _ if is_login => sessions.push(PlaySession::starting_at(at)),
            Some(last) => last.record_event(at, is_logout),
            None => {}
        }
    }
    sessions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: i64) -> EpochMillis {
        EpochMillis(secs * 1000)
    }

    #[test]
    fn a_session_lasts_from_login_to_logout_in_any_order() {
        let mut events =
            vec![(at(100), true, false), (at(160), false, false), (at(400), false, true), (at(900), false, false)];
        let forward = replay(events.clone());
        events.reverse();
        assert_eq!(forward, replay(events));
        assert_eq!(forward[0].secs(), 300);
    }

    #[test]
    fn without_a_logout_the_last_event_ends_it() {
        let events = vec![(at(100), true, false), (at(160), false, false), (at(5000), true, false)];
        let secs: Vec<i64> = replay(events).iter().map(PlaySession::secs).collect();
        assert_eq!(secs, [60, 0]);
    }

    #[test]
    fn no_session_counts_for_more_than_a_day() {
        let events = vec![(at(0), true, false), (at(200_000), false, true)];
        assert_eq!(replay(events)[0].secs(), MAX_SESSION_SECS);
    }

    #[test]
    fn events_before_any_login_belong_to_no_session() {
        assert_eq!(replay(vec![(at(50), false, false), (at(60), false, true)]), []);
    }
}

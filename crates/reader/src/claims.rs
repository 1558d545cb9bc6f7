//! Which events a site accepts from this reader's key. With an operator's key these are all. With an account's key these
//! are the events of a log's own player, once the account has claimed that player.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gamelog::LogFacts;
use gamelog::events::Event;
use gamelog::upload::takes_part;
use serde::Serialize;

use super::note::{Note, UnclaimedPlayer};
use super::queue_state::{ForeignLog, QueueState};
use super::upload::{BatchResponse, ClaimedBy, KeyKind, UploadError, Uploader};

/// The number of events that wait for the claim of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnclaimedEvents {
    #[serde(flatten)]
    pub player: UnclaimedPlayer,
    pub waiting: u64,
}

/// What the site accepts, as far as its responses of this run show it.
pub struct Claims {
    /// `None` until the site has named it.
    pub key_kind: Option<KeyKind>,
    retry_delay: Duration,
    /// By lower-case handle.
    unclaimed: BTreeMap<String, PendingClaim>,
}

/// An unclaimed player, and when logs of the player are tried again.
struct PendingClaim {
    player: UnclaimedPlayer,
    retry_at: Instant,
    /// A note has named the player.
    is_noted: bool,
}

impl UnclaimedEvents {
    pub fn new(player: &UnclaimedPlayer, queue: &QueueState) -> Self {
        let waiting = queue.players.get(&player.handle.to_ascii_lowercase()).copied().unwrap_or(0);
        Self { player: player.clone(), waiting }
    }
}

impl Claims {
    /// `retry_delay` is the time after which logs of an unclaimed player are tried again.
    pub fn new(retry_delay: Duration) -> Self {
        Self { key_kind: None, retry_delay, unclaimed: BTreeMap::new() }
    }

    pub fn is_account_key(&self) -> bool {
        self.key_kind == Some(KeyKind::Account)
    }

    /// Returns true if the key requires a log with a known player, and this log has not named its player yet.
    pub fn lacks_player(&self, facts: &LogFacts) -> bool {
        self.is_account_key() && facts.player().is_none()
    }

    /// Returns true if events of a log can be sent now.
    pub fn may_send(&self, facts: &LogFacts) -> bool {
        match facts.player() {
            Some(player) => {
                let pending = self.unclaimed.get(&player.folded());
                pending.is_none_or(|pending| pending.retry_at <= Instant::now())
            }
            None => !self.is_account_key(),
        }
    }

    /// Returns true if an event of a log is sent. From an account, sites accept the events in which the log's player
    /// takes part.
    pub fn is_wanted(&self, event: &Event, facts: &LogFacts) -> bool {
        !self.is_account_key() || facts.handle.as_deref().is_some_and(|player| takes_part(event, player))
    }

    /// Records what a response says about the claim of a log's player. Returns the note about a change.
    pub fn update(
        &mut self,
        facts: &LogFacts,
        result: &Result<BatchResponse, UploadError>,
        uploader: &Uploader,
    ) -> Option<Note> {
        let player = facts.player()?;
        match result {
            Err(UploadError::ClaimRequired { claimed_by: ClaimedBy::Nobody, .. }) => {
                let retry_at = Instant::now() + self.retry_delay;
                let unclaimed = UnclaimedPlayer { handle: player.to_string(), url: uploader.claim_url(&player) };
                let pending = PendingClaim { player: unclaimed.clone(), retry_at, is_noted: true };
                let known = self.unclaimed.insert(player.folded(), pending);
                known.is_none_or(|known| !known.is_noted).then_some(Note::Unclaimed(unclaimed))
            }
            Err(UploadError::ClaimRequired { claimed_by: ClaimedBy::Other, .. }) => {
                self.unclaimed.remove(&player.folded());
                Some(Note::ForeignLog(ForeignLog { handle: player.to_string(), first: facts.first }))
            }
            Err(_) => {
                // Noted again when the site responds, because this error is noted now.
                self.unclaimed.values_mut().for_each(|pending| pending.is_noted = false);
                None
            }
            Ok(_) => self.unclaimed.remove(&player.folded()).map(|known| Note::Claimed(known.player.handle)),
        }
    }

    /// The players whom nobody has claimed.
    pub fn unclaimed(&self) -> Vec<UnclaimedPlayer> {
        self.unclaimed.values().map(|pending| pending.player.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upload::Server;
    use gamelog::events::Identifier;
    use gamelog::times::EpochMillis;

    const ONE: &str = "Tester_One";

    fn facts(handle: Option<&str>) -> LogFacts {
        LogFacts { handle: handle.map(Into::into), first: Some(EpochMillis(5)), ..LogFacts::default() }
    }

    fn claims(key_kind: KeyKind, retry_delay: Duration) -> Claims {
        let mut claims = Claims::new(retry_delay);
        claims.key_kind = Some(key_kind);
        claims
    }

    fn uploader() -> Uploader {
        Uploader::new(&Server { url: "https://stats.example.org".into(), key: "k".into() }).unwrap()
    }

    fn claim_required(claimed_by: ClaimedBy) -> Result<BatchResponse, UploadError> {
        Err(UploadError::ClaimRequired { error: "claim it".into(), claimed_by })
    }

    #[test]
    fn an_account_sends_the_events_of_the_logs_player() {
        let event = |killer: &str, victim: &str| Event {
            killer: Some(killer.into()),
            victim: Some(victim.into()),
            ..Event::new(Identifier::Kill, EpochMillis(5))
        };
        let login = Event { player_name: Some("TESTER_ONE".into()), ..Event::new(Identifier::Login, EpochMillis(5)) };
        let (own, foreign) = ([event(ONE, "x"), event("x", "tester_one"), login], event("x", "Tester_Two"));
        let account = claims(KeyKind::Account, Duration::ZERO);
        assert!(own.iter().all(|event| account.is_wanted(event, &facts(Some(ONE)))));
        assert!(!account.is_wanted(&foreign, &facts(Some(ONE))));
        assert!(claims(KeyKind::Operator, Duration::ZERO).is_wanted(&foreign, &facts(Some(ONE))));
    }

    #[test]
    fn an_account_sends_no_log_without_a_player() {
        for handle in [None, Some("no handle")] {
            let account = claims(KeyKind::Account, Duration::ZERO);
            assert!(!account.may_send(&facts(handle)) && account.lacks_player(&facts(handle)));
            let operator = claims(KeyKind::Operator, Duration::ZERO);
            assert!(operator.may_send(&facts(handle)) && !operator.lacks_player(&facts(handle)));
        }
        assert!(claims(KeyKind::Account, Duration::ZERO).may_send(&facts(Some(ONE))));
    }

    #[test]
    fn logs_of_an_unclaimed_player_wait_and_the_wait_is_noted_once_and_after_an_outage() {
        let (mut claims, uploader) = (claims(KeyKind::Account, Duration::from_secs(3600)), uploader());
        let (lower, log) = (facts(Some("tester_one")), facts(Some(ONE)));
        let note = claims.update(&log, &claim_required(ClaimedBy::Nobody), &uploader);
        let url = "https://stats.example.org/player/claim?handle=Tester_One".to_owned();
        let player = UnclaimedPlayer { handle: ONE.into(), url };
        assert_eq!(note, Some(Note::Unclaimed(player.clone())));
        assert_eq!(claims.update(&log, &claim_required(ClaimedBy::Nobody), &uploader), None);
        assert!(!claims.may_send(&log) && !claims.may_send(&lower) && claims.may_send(&facts(Some("Tester_Two"))));
        assert_eq!(claims.unclaimed(), std::slice::from_ref(&player));
        let outage = Err(UploadError::Temporary { error: "away".into(), after: None });
        assert_eq!(claims.update(&log, &outage, &uploader), None);
        assert!(!claims.may_send(&log));
        let note = claims.update(&log, &claim_required(ClaimedBy::Nobody), &uploader);
        assert_eq!(note, Some(Note::Unclaimed(player)));
        let note = claims.update(&lower, &Ok(BatchResponse::default()), &uploader);
        assert_eq!(note, Some(Note::Claimed(ONE.into())));
        assert!(claims.may_send(&log) && claims.unclaimed().is_empty());
    }

    #[test]
    fn a_log_of_another_account_is_named() {
        let (mut claims, uploader) = (claims(KeyKind::Account, Duration::ZERO), uploader());
        let log = facts(Some(ONE));
        claims.update(&log, &claim_required(ClaimedBy::Nobody), &uploader);
        assert!(claims.may_send(&log), "the next attempt is due");
        let note = claims.update(&log, &claim_required(ClaimedBy::Other), &uploader);
        assert_eq!(note, Some(Note::ForeignLog(ForeignLog { handle: ONE.into(), first: Some(EpochMillis(5)) })));
        assert!(claims.unclaimed().is_empty());
    }
}

//! Disputes: a player in an event says that it did not happen.

use crate::domain::events::ValidEvent;

use super::assessment::{Report, Voice, side_of};
use super::grade::Grade;
use super::reporter::Scope;

/// The number of events that an account can dispute on a UTC day.
pub const DISPUTES_PER_DAY: i64 = 5;

/// Who disputes an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dispute {
    /// The account that disputes.
    pub user_id: i64,
    /// The folded handle of the account's player.
    pub handle: String,
}

impl Dispute {
    /// Whether the event does not count because of the dispute: only the own word of the opponent is against the own word of the player.
    /// What an operator or both sides report stands, and so does what the player's own account or log reports.
    ///
    /// The opponent's word is not enough, however long an admin takes. A report that arrived while the game ran would be enough after
    /// fourteen days; reports do not show that yet.
    pub fn suspends(&self, event: &ValidEvent, grade: Grade, reports: &[Report]) -> bool {
        let Some(side) = side_of(event, &self.handle) else { return false };
        let is_own = |report: &Report| {
            report.reporter == Scope::Account(self.user_id) || report.voice() == Some(Voice::Party(side))
        };
        !grade.is_confirmed() && !reports.iter().any(is_own)
    }
}

/// How a dispute ended. The values are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum DisputeOutcome {
    /// An admin decided that the event never counts.
    Upheld = 1,
    /// An admin decided that the event counts.
    Dismissed = 2,
    /// The event became void for another reason.
    EventVoid = 3,
    /// The player took it back.
    Withdrawn = 4,
}

impl DisputeOutcome {
    const ALL: [Self; 4] = [Self::Upheld, Self::Dismissed, Self::EventVoid, Self::Withdrawn];

    /// The outcomes after which a dispute no longer suspends its event.
    pub const SETTLED: [Self; 2] = [Self::Dismissed, Self::Withdrawn];

    pub fn code(self) -> i16 {
        self as i16
    }

    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::counters::Side;
    use crate::domain::events::{Event, Identifier, validate};
    use crate::domain::times::EpochMillis;
    use crate::domain::trust::Provenance;

    const NOW: EpochMillis = EpochMillis(1_790_000_000_000);

    fn suspends(handle: &str, grade: Grade, reports: &[Report]) -> bool {
        let names =
            Event { killer: Some("Ace".into()), victim: Some("Foe".into()), ..Event::new(Identifier::Kill, NOW) };
        Dispute { user_id: 2, handle: handle.into() }.suspends(&validate(names, NOW).unwrap(), grade, reports)
    }

    fn report(account: i64, voice: Option<Voice>) -> Report {
        let provenance = voice.map(|voice| Provenance { voice, is_independent: true });
        Report { provenance, reporter: Scope::Account(account) }
    }

    #[test]
    fn the_own_word_of_the_opponent_is_suspended() {
        let (killer, victim) =
            (report(1, Some(Voice::Party(Side::Killer))), report(3, Some(Voice::Party(Side::Victim))));
        assert!(suspends("foe", Grade::SelfReported, &[killer]));
        assert!(suspends("ace", Grade::Conceded, &[victim]));
        assert!(suspends("foe", Grade::Legacy, &[report(1, None)]));
        assert!(suspends("foe", Grade::ThirdParty, &[report(1, Some(Voice::ThirdParty))]));
    }

    #[test]
    fn what_more_than_the_opponent_reports_stands() {
        let (killer, victim) =
            (report(1, Some(Voice::Party(Side::Killer))), report(3, Some(Voice::Party(Side::Victim))));
        for grade in [Grade::Operator, Grade::Confirmed] {
            assert!(!suspends("foe", grade, &[killer]));
        }
        assert!(!suspends("foe", Grade::Conceded, &[victim]), "the player's own log");
        assert!(!suspends("ace", Grade::SelfReported, &[killer]), "the player's own log");
        assert!(!suspends("foe", Grade::Legacy, &[report(2, None)]), "the player's own account");
        assert!(!suspends("other", Grade::SelfReported, &[killer]), "not in the event");
    }

    #[test]
    fn each_outcome_has_its_code() {
        assert!(DisputeOutcome::ALL.into_iter().all(|one| DisputeOutcome::from_code(one.code()) == Some(one)));
        assert_eq!(DisputeOutcome::from_code(0), None);
    }
}

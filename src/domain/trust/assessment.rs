//! What the reports of an event are worth together: its grade, the sides for which it counts, and why it does not stand.

use std::collections::BTreeSet;

use crate::domain::counters::Side;
use crate::domain::events::ValidEvent;

use super::grade::Grade;
use super::reasons::Reasons;
use super::reporter::Scope;

/// What the sender of a report is to its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Voice {
    /// The operator of the site.
    Operator,
    /// The account has claimed the player that the log names, and this player is on a side of the event.
    Party(Side),
    /// The log names a player on a side of the event, and no account has claimed this player.
    Unclaimed(Side),
    /// Every other account.
    ThirdParty,
}

impl Voice {
    /// Whether the report stands against those of others, and fills empty fields.
    pub fn is_first_hand(self) -> bool {
        matches!(self, Self::Operator | Self::Party(_))
    }
}

/// Whose log a report comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LogOwner {
    Operator,
    /// The account has claimed the player that the log names, given as a folded handle.
    Reporter(String),
    /// No account has claimed the player that the log names.
    Nobody(String),
    /// Another account has claimed the player, or the sender did not name the log or its player.
    Stranger,
}

impl LogOwner {
    /// What the sender of a report from this log is to an event.
    pub fn voice(&self, event: &ValidEvent) -> Voice {
        match self {
            Self::Operator => Voice::Operator,
            Self::Stranger => Voice::ThirdParty,
            Self::Reporter(handle) => side_of(event, handle).map_or(Voice::ThirdParty, Voice::Party),
            Self::Nobody(handle) => side_of(event, handle).map_or(Voice::ThirdParty, Voice::Unclaimed),
        }
    }
}

/// The side of a player, given by the folded handle. A player on both sides of a fight is the one that it counts against.
pub(super) fn side_of(event: &ValidEvent, handle: &str) -> Option<Side> {
    let sides = [(Side::Victim, &event.victim), (Side::Killer, &event.killer), (Side::Player, &event.player)];
    let is_player = |party: &crate::domain::events::Party| party.player().is_some_and(|own| own.folded() == handle);
    sides.into_iter().find(|(_, party)| is_player(party)).map(|(side, _)| side)
}

/// What is known of the sender of a report when it arrives. It is stored with the report, so that later changes of the account do not
/// change what the report is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Provenance {
    pub voice: Voice,
    /// Whether the account is old and active enough to confirm the reports of others.
    pub is_independent: bool,
}

/// The code of an unknown provenance: the report arrived before provenance was stored.
const UNKNOWN: i16 = 0;
const INDEPENDENT: i16 = 16;

impl Provenance {
    pub const OPERATOR: Self = Self { voice: Voice::Operator, is_independent: true };

    const VOICES: [(i16, Voice); 8] = [
        (1, Voice::Operator),
        (2, Voice::Party(Side::Killer)),
        (3, Voice::Party(Side::Victim)),
        (4, Voice::Party(Side::Player)),
        (5, Voice::Unclaimed(Side::Killer)),
        (6, Voice::Unclaimed(Side::Victim)),
        (7, Voice::Unclaimed(Side::Player)),
        (8, Voice::ThirdParty),
    ];

    /// The stored value; 0 if the provenance is unknown.
    pub fn code(provenance: Option<Self>) -> i16 {
        let Some(Self { voice, is_independent }) = provenance else { return UNKNOWN };
        let code = Self::VOICES.iter().find(|(_, known)| *known == voice).map_or(UNKNOWN, |(code, _)| *code);
        code | if is_independent { INDEPENDENT } else { 0 }
    }

    pub fn from_code(code: i16) -> Option<Self> {
        let voice = Self::VOICES.iter().find(|(known, _)| *known == code & !INDEPENDENT).map(|(_, voice)| *voice)?;
        Some(Self { voice, is_independent: code & INDEPENDENT != 0 })
    }
}

/// A report that is not void.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Report {
    /// `None` if the report arrived before provenance was stored.
    pub provenance: Option<Provenance>,
    pub reporter: Scope,
}

impl Report {
    pub(super) fn voice(&self) -> Option<Voice> {
        if self.reporter.is_operator() { Some(Voice::Operator) } else { self.provenance.map(|known| known.voice) }
    }
}

/// The sides for which an event counts, as a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CountedSides(i16);

impl CountedSides {
    pub const NONE: Self = Self(0);
    pub const KILLER: Self = Self(1);
    pub const ALL: Self = Self(7);

    /// The stored value.
    pub fn bits(self) -> i16 {
        self.0
    }

    /// Reads a stored value; unknown bits are dropped.
    pub fn from_bits(bits: i16) -> Self {
        Self(bits & Self::ALL.0)
    }

    pub fn contains(self, side: Side) -> bool {
        let bit = match side {
            Side::Killer => 1,
            Side::Victim => 2,
            Side::Player => 4,
        };
        self.0 & bit != 0
    }
}

/// What the reports of an event are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assessment {
    pub grade: Grade,
    pub counts: CountedSides,
    /// Either [`Reasons::NONE`], [`Reasons::UNCLAIMED`] or [`Reasons::THIRD_PARTY`].
    pub reasons: Reasons,
}

impl Assessment {
    fn standing(grade: Grade, counts: CountedSides) -> Self {
        Self { grade, counts, reasons: Reasons::NONE }
    }
}

/// Assesses an event by its reports, in any order.
///
/// What helps a player counts on the player's own word or the opponent's. What harms a player counts on the player's own word, or if
/// the event is confirmed. Two accounts that confirm each other have to be independent; if one is not, each side's own word counts,
/// and the event stays self-reported. A vehicle loss is also confirmed by its causer and an independent account that did not take
/// part.
pub fn assess(event: &ValidEvent, reports: &[Report]) -> Assessment {
    let senders = |voice: Voice| -> BTreeSet<(Scope, bool)> {
        let sent = reports.iter().filter(|report| report.voice() == Some(voice));
        sent.map(|report| (report.reporter, report.provenance.is_some_and(|known| known.is_independent))).collect()
    };
    let confirms = |one: &BTreeSet<(Scope, bool)>, other: &BTreeSet<(Scope, bool)>| {
        one.iter().any(|(a, is_old)| *is_old && other.iter().any(|(b, is_other_old)| *is_other_old && a != b))
    };
    let has = |wanted: fn(Option<Voice>) -> bool| reports.iter().any(|report| wanted(report.voice()));
    let (killers, victims) = (senders(Voice::Party(Side::Killer)), senders(Voice::Party(Side::Victim)));
    let is_loss = event.identifier.is_vehicle_loss();
    if has(|voice| voice == Some(Voice::Operator)) {
        Assessment::standing(Grade::Operator, CountedSides::ALL)
    } else if confirms(&killers, &victims) || (is_loss && confirms(&killers, &senders(Voice::ThirdParty))) {
        Assessment::standing(Grade::Confirmed, CountedSides::ALL)
    } else if !killers.is_empty() {
        let counts = if victims.is_empty() { CountedSides::KILLER } else { CountedSides::ALL };
        Assessment::standing(Grade::SelfReported, counts)
    } else if !victims.is_empty() {
        Assessment::standing(Grade::Conceded, CountedSides::ALL)
    } else if has(|voice| voice == Some(Voice::Party(Side::Player))) {
        Assessment::standing(Grade::SelfReported, CountedSides::ALL)
    } else {
        let is_unclaimed = has(|voice| matches!(voice, Some(Voice::Unclaimed(_))));
        let reasons = if is_unclaimed { Reasons::UNCLAIMED } else { Reasons::THIRD_PARTY };
        Assessment { grade: Grade::ThirdParty, counts: CountedSides::NONE, reasons }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::events::{Event, Identifier, validate};
    use crate::domain::times::EpochMillis;

    const NOW: EpochMillis = EpochMillis(1_790_000_000_000);

    fn event(identifier: Identifier) -> ValidEvent {
        let names = Event { killer: Some("Ace".into()), victim: Some("Foe".into()), ..Event::new(identifier, NOW) };
        let vehicle_name = identifier.is_vehicle_loss().then(|| "AEGS_Sabre_123456".to_owned());
        validate(Event { vehicle_name, ..names }, NOW).unwrap()
    }

    fn report(account: i64, voice: Voice, is_independent: bool) -> Report {
        Report { provenance: Some(Provenance { voice, is_independent }), reporter: Scope::Account(account) }
    }

    fn grade(reports: &[Report]) -> (Grade, CountedSides, Reasons) {
        let Assessment { grade, counts, reasons } = assess(&event(Identifier::Kill), reports);
        (grade, counts, reasons)
    }

    const KILLER: Voice = Voice::Party(Side::Killer);
    const VICTIM: Voice = Voice::Party(Side::Victim);

    #[test]
    fn a_death_counts_on_the_victims_word_or_confirmed() {
        let own = grade(&[report(1, KILLER, true)]);
        assert_eq!(own, (Grade::SelfReported, CountedSides::KILLER, Reasons::NONE));
        let conceded = grade(&[report(2, VICTIM, true)]);
        assert_eq!(conceded, (Grade::Conceded, CountedSides::ALL, Reasons::NONE));
        let both = grade(&[report(1, KILLER, true), report(2, VICTIM, true)]);
        assert_eq!(both, (Grade::Confirmed, CountedSides::ALL, Reasons::NONE));
    }

    #[test]
    fn new_accounts_confirm_nothing() {
        for (one, other) in [(false, false), (true, false), (false, true)] {
            let both = grade(&[report(1, KILLER, one), report(2, VICTIM, other)]);
            assert_eq!(both, (Grade::SelfReported, CountedSides::ALL, Reasons::NONE));
        }
    }

    #[test]
    fn the_operators_report_is_graded_first() {
        let operator = Report { provenance: None, reporter: Scope::Operator };
        assert_eq!(grade(&[report(2, VICTIM, true), operator]), (Grade::Operator, CountedSides::ALL, Reasons::NONE));
    }

    #[test]
    fn each_provenance_has_its_code() {
        for (_, voice) in Provenance::VOICES {
            for is_independent in [false, true] {
                let known = Some(Provenance { voice, is_independent });
                assert_eq!(Provenance::from_code(Provenance::code(known)), known);
            }
        }
        assert_eq!((Provenance::code(None), Provenance::from_code(0)), (0, None));
    }

    #[test]
    fn an_account_does_not_confirm_itself() {
        let both = grade(&[report(1, KILLER, true), report(1, VICTIM, true)]);
        assert_eq!(both.0, Grade::SelfReported);
    }

    #[test]
    fn reports_of_strangers_count_nowhere_and_reports_of_unclaimed_players_wait() {
        let stranger = report(3, Voice::ThirdParty, true);
        assert_eq!(grade(&[stranger]), (Grade::ThirdParty, CountedSides::NONE, Reasons::THIRD_PARTY));
        let waiting = report(1, Voice::Unclaimed(Side::Killer), true);
        assert_eq!(grade(&[stranger, waiting]), (Grade::ThirdParty, CountedSides::NONE, Reasons::UNCLAIMED));
    }

    #[test]
    fn an_independent_witness_confirms_a_vehicle_loss_and_no_kill() {
        let reports = [report(1, KILLER, true), report(3, Voice::ThirdParty, true)];
        assert_eq!(grade(&reports).0, Grade::SelfReported);
        assert_eq!(assess(&event(Identifier::VehicleDestruction), &reports).grade, Grade::Confirmed);
        let young = [reports[0], report(3, Voice::ThirdParty, false)];
        assert_eq!(assess(&event(Identifier::VehicleDestruction), &young).grade, Grade::SelfReported);
    }

    #[test]
    fn a_log_speaks_for_the_player_it_names() {
        let kill = event(Identifier::Kill);
        let owner = |handle: &str| LogOwner::Reporter(handle.to_owned());
        assert_eq!(owner("ace").voice(&kill), KILLER);
        assert_eq!(owner("foe").voice(&kill), VICTIM);
        assert_eq!(owner("other").voice(&kill), Voice::ThirdParty);
        assert_eq!(LogOwner::Nobody("foe".into()).voice(&kill), Voice::Unclaimed(Side::Victim));
        assert_eq!(LogOwner::Stranger.voice(&kill), Voice::ThirdParty);
    }

    /// How much a grade is worth; the own word of either side is worth the same.
    fn worth(grade: Grade) -> u8 {
        match grade {
            Grade::ThirdParty => 0,
            Grade::SelfReported | Grade::Conceded => 1,
            Grade::Confirmed => 2,
            Grade::Operator => 3,
        }
    }

    fn any_report() -> impl Strategy<Value = Report> {
        let voices = prop::sample::select(vec![
            KILLER,
            VICTIM,
            Voice::Unclaimed(Side::Killer),
            Voice::Unclaimed(Side::Victim),
            Voice::ThirdParty,
        ]);
        (1..5i64, voices, any::<bool>()).prop_map(|(account, voice, is_old)| report(account, voice, is_old))
    }

    proptest! {
        #[test]
        fn the_order_of_reports_does_not_matter(reports in prop::collection::vec(any_report(), 0..6)) {
            let reversed: Vec<Report> = reports.iter().rev().copied().collect();
            for kind in [Identifier::Kill, Identifier::VehicleDestruction] {
                prop_assert_eq!(assess(&event(kind), &reports), assess(&event(kind), &reversed));
            }
        }

        #[test]
        fn a_report_never_lowers_a_grade_or_a_count(reports in prop::collection::vec(any_report(), 0..6), next in any_report()) {
            for kind in [Identifier::Kill, Identifier::VehicleDestruction] {
                let before = assess(&event(kind), &reports);
                let after = assess(&event(kind), &[&reports[..], &[next]].concat());
                prop_assert!(worth(after.grade) >= worth(before.grade));
                prop_assert_eq!(after.counts.bits() & before.counts.bits(), before.counts.bits());
            }
        }
    }
}
